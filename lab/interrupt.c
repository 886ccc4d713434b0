// SPDX-License-Identifier: GPL-2.0-or-later
/* The request to end. */
#include "lab/interrupt.h"

volatile sig_atomic_t interrupt_request;
