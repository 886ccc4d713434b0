/* SPDX-License-Identifier: GPL-2.0 */
/* How the files of topo/ report an error: a code, and one line of text. */
#ifndef LOSSLAB_TOPO_ERR_H
#define LOSSLAB_TOPO_ERR_H

/*
 * Write one line into err[TOPO_ERR_MAX], cut to fit, and return -@code. What is quoted may
 * come from hostile text, so control bytes become '?': a message can neither add a line
 * to a log nor steer a terminal.
 */
int topo_fail(int code, char *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
