// SPDX-License-Identifier: GPL-2.0
/* The signal that asks a command to end. */
#include "lab/interrupt.h"

volatile sig_atomic_t interrupted;
