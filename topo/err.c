// SPDX-License-Identifier: GPL-2.0-or-later
/* Error messages: always one printable line. */
#include "topo/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void err_printable(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			*s = '?';
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX]; /* an argument may be err->text itself */
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_printable(text);
	memcpy(err->text, text, sizeof(text));
	err->code = code;
	return code;
}
