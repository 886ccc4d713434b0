// SPDX-License-Identifier: GPL-2.0
/* Error messages of topo/: always one printable line. */
#include "topo/err.h"

#include <stdarg.h>

#include "topo/topo.h"

int topo_fail(int code, char *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err, TOPO_ERR_MAX, fmt, ap);
	va_end(ap);
	for (unsigned char *c = (unsigned char *)err; *c; c++)
		if (*c < ' ' || *c == 0x7f)
			*c = '?';
	return -code;
}
