// SPDX-License-Identifier: GPL-2.0
/* The table of keys, continued: faults and what heals them. */
#include "lab/config/cfg_keys.h"

static const struct cfg_key fault_keys[] = {
	{ .name = "fault",
	  .kind = CFG_TEXT,
	  CFG_MEMBER(fault),
	  .def = "",
	  .help = "TIME[-TIME]:WHAT:WHERE, with ';' between: down, up, flap=D/U, drop=P, corrupt=P, pause=CLASS" },
	{ .name = "fault_file",
	  .kind = CFG_TEXT,
	  CFG_MEMBER(fault_file),
	  .def = "",
	  .help = "a file of the same, one a line" },
	{ .name = "route_delay",
	  .kind = CFG_TIME,
	  CFG_MEMBER(route_delay),
	  .max = 1000 * CFG_PS_PER_S,
	  .special = { "never", TIME_NEVER },
	  .def = "1ms",
	  .help = "routes follow links that break or mend after this" },
	{ .name = "pfc_watchdog",
	  .kind = CFG_TIME,
	  CFG_MEMBER(pfc_watchdog),
	  .min = PS_PER_NS,
	  .max = 1000 * CFG_PS_PER_S,
	  .special = { "off", 0 },
	  .def = "off",
	  .help = "a switch port paused for so long, with frames waiting, drops them and ignores PAUSE (SONiC: "
		  "200ms)" },
	{ .name = "pfc_restore",
	  .kind = CFG_TIME,
	  CFG_MEMBER(pfc_restore),
	  .min = PS_PER_NS,
	  .max = 1000 * CFG_PS_PER_S,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .help = "... until so long after the last PAUSE has run out; auto = twice pfc_watchdog" },
};
const struct cfg_group cfg_fault_group = { "Faults", fault_keys, CFG_ROWS(fault_keys) };
