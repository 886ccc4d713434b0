/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A request to end, made by a signal handler and looked at wherever something can last: planning, waiting for agents,
 * between windows. What finds it set returns -EINTR.
 */
#ifndef LOSSLAB_INTERRUPT_H
#define LOSSLAB_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/* The signal that asked, or what else its handler has put there; 0: nobody has. */
extern volatile sig_atomic_t interrupt_request;

static inline bool interrupted(void)
{
	return interrupt_request;
}

#endif
