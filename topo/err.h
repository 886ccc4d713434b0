/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How topo/ and lab/ report an error: a code, and one line of text. */
#ifndef LOSSLAB_TOPO_ERR_H
#define LOSSLAB_TOPO_ERR_H

#define ERR_TEXT_MAX 320

/* What went wrong. Writers fill it in only when they fail; readers look at it only then. */
struct err {
	int code;                /* -errno */
	char text[ERR_TEXT_MAX]; /* "where: what; what to do": one printable line without newline */
};

/*
 * Set both and return @code, to be returned as it is. The line is cut to fit. What it quotes may come from hostile
 * text, so control characters become '?': a message can neither add a line to a log nor steer a terminal.
 */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Replace the control characters of @s by '?', in place. */
void err_printable(char *s);

#endif
