/* SPDX-License-Identifier: GPL-2.0 */
/* The signal that asks a command to end. A command's handler sets it; what may last over 100 ms looks at it. */
#ifndef LOSSLAB_INTERRUPT_H
#define LOSSLAB_INTERRUPT_H

#include <signal.h>

/* 0: go on. Otherwise undo and return -EINTR. */
extern volatile sig_atomic_t interrupted;

#endif
