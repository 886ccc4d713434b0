#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run a scenario with the kernel engine where that is possible, else with the twin, and say which and why.
set -eu
losslab=${B:-build}/losslab
scenario=$1
shift
if [ "$(id -u)" != 0 ]; then
	echo "Not root: running the twin, which gives the same results without namespaces."
	exec "$losslab" run --engine twin "$scenario" "$@"
fi
if ! "$losslab" doctor >/dev/null 2>&1; then
	echo "This system cannot run the kernel engine (losslab doctor says why): running the twin, which gives the same results."
	exec "$losslab" run --engine twin "$scenario" "$@"
fi
exec "$losslab" run "$scenario" "$@"
