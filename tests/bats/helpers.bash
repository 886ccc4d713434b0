# SPDX-License-Identifier: GPL-2.0-or-later
# Loaded by every bats file: a lab of its own for each test, skips with a reason, waiting for conditions.
#
#	load helpers
#	@test "..." { requires root veth; up fat-tree:k=4; ... }
#
# setup and teardown below serve as they are. A file that needs its own calls lab_setup and lab_teardown in them.

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
LOSSLAB=${LOSSLAB:-$REPO/build/losslab}
export LOSSLAB_TOPO=${LOSSLAB_TOPO:-$REPO/topo}

# A name and a directory of labs of this test alone: labs of the user's, or of a test beside this one, are out of reach.
lab_setup()
{
	LAB=t$$
	export LOSSLAB_RUN_DIR=$BATS_TEST_TMPDIR/run
	PIDS=()
}

# Ends what the test started and takes its lab down; a namespace that is left fails the test.
lab_teardown()
{
	local pid left

	for pid in "${PIDS[@]}"; do
		kill -CONT "$pid" 2>/dev/null || :
		kill -KILL "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
	[ "$(id -u)" -eq 0 ] || return 0
	"$LOSSLAB" down --all >/dev/null || return 1
	left=$(namespaces "$LAB-")
	[ -z "$left" ] || { echo "left behind: $left"; return 1; }
}

setup() { lab_setup; }
teardown() { lab_teardown; }

# requires root veth xdp ...: skip, by name, what this machine cannot do.
requires()
{
	local what

	for what in "$@"; do
		case $what in
		root) [ "$(id -u)" -eq 0 ] || skip "needs root" ;;
		veth) unshare -n ip link add type veth 2>/dev/null || skip "needs veth" ;;
		xdp | kernel) "$LOSSLAB" doctor >/dev/null || skip "needs what losslab doctor says is missing" ;;
		*) command -v "$what" >/dev/null || skip "needs $what" ;;
		esac
	done
}

# Names under /run/netns that begin with $1, one a line.
namespaces()
{
	local f

	for f in /run/netns/"$1"*; do
		[ -e "$f" ] && echo "${f##*/}"
	done
	return 0
}

# What of this test's own is under /run/netns, one a line: its labs' namespaces, and those of runs whose process is gone
# (a lab that a run brings up for itself is called by its pid; while that lives, it is somebody's).
traces()
{
	local f name pid

	namespaces "$LAB-"
	namespaces "${LAB}b-"
	for f in /run/netns/run[0-9]*; do
		name=${f##*/run}
		pid=${name%%-*}
		[ ! -e "$f" ] || kill -0 "$pid" 2>/dev/null || [ ! -e "$f" ] || echo "run$name"
	done
}

count_namespaces() { namespaces "$1" | wc -l; }

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for()
{
	local end=$((SECONDS + $1 + 1))

	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || { echo "waited in vain for: $*"; return 1; }
		sleep 0.01
	done
}

# Build the test's own lab.
up() { "$LOSSLAB" up --name "$LAB" "$@"; }
down() { "$LOSSLAB" down --name "$LAB"; }
node() { "$LOSSLAB" exec --name "$LAB" "$@"; }

# background COMMAND...: start it, ended by teardown at the latest. Its pid is $!, its output in $BATS_TEST_TMPDIR/bg.
background()
{
	"$@" >"$BATS_TEST_TMPDIR/bg" 2>&1 3>&- &
	PIDS+=($!)
}

# refused CODE PATTERN COMMAND...: it fails with this code and one line on stderr that matches.
refused()
{
	local code=$1 pattern=$2 lines

	shift 2
	run "$@"
	# shellcheck disable=SC2154 # bats sets them
	lines=$(wc -l <<<"$output")
	# shellcheck disable=SC2154
	echo "code $status: $output"
	[ "$status" -eq "$code" ] && [ "$lines" -eq 1 ] && [[ $output == losslab:\ * && $output =~ $pattern ]]
}
