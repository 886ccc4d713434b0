// SPDX-License-Identifier: GPL-2.0-or-later
/* A number is a jansson string that begins with the byte 1; json_write() takes the quotes off. No text has it. */
#include "lab/records/json_exact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/records/records_impl.h"

#define NUMBER "\x01"       /* in the tree */
#define WRITTEN "\"\\u0001" /* as jansson writes it */

static json_t *number(const char *digits)
{
	char marked[sizeof(struct decimal) + sizeof(NUMBER)];

	snprintf(marked, sizeof(marked), NUMBER "%s", digits);
	return json_string(marked);
}

json_t *json_exact(u64 v, u32 places)
{
	return number(decimal(v, places).s);
}

json_t *json_number_or_text(const char *digits)
{
	size_t whole = strspn(digits, "0123456789"), n = whole, more = 0;

	if (digits[n] == '.') {
		more = strspn(digits + n + 1, "0123456789");
		n += 1 + more;
	}
	if (!whole || digits[n] || (n > whole && !more) || (whole > 1 && *digits == '0') || n >= sizeof(struct decimal))
		return json_text(digits);
	return number(digits);
}

json_t *json_text(const char *text)
{
	json_t *s = strchr(text, *NUMBER) ? NULL : json_string(text);
	char *ascii;

	if (s)
		return s;
	ascii = strdup(text);
	if (!ascii)
		return NULL;
	for (char *c = ascii; *c; c++)
		if ((unsigned char)*c >= 0x80 || *c == *NUMBER)
			*c = '?';
	s = json_string(ascii);
	free(ascii);
	return s;
}

int json_write(json_t *root, int indent, FILE *out)
{
	char *text = json_dumps(root, JSON_ENCODE_ANY | JSON_INDENT(indent)), *at = text, *mark;

	json_decref(root);
	if (!text)
		return -ENOMEM;
	while ((mark = strstr(at, WRITTEN))) {
		fwrite(at, 1, (size_t)(mark - at), out);
		at = mark + strlen(WRITTEN);
		mark = strchr(at, '"');
		fwrite(at, 1, (size_t)(mark - at), out);
		at = mark + 1;
	}
	fprintf(out, "%s\n", at);
	free(text);
	return ferror(out) ? -EIO : 0;
}
