#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing lost silently, and nothing left behind: what goes wrong in the middle of a run ends it, by name.
# alone: it kills runs and looks for what they leave

load helpers
load ../twin/records
bats_require_minimum_version 1.5.0

setup()
{
	lab_setup
	SAID=$BATS_TEST_TMPDIR/bg
}

# A run that goes on for a minute, in the background, on the test's lab or its own: its pid is $RUN.
long_run()
{
	background env --default-signal=INT,TERM,HUP "$LOSSLAB" run -q workload=permutation bytes=1GB "$@"
	RUN=$!
}

# The same with VARIABLE=VALUE, $1, in its environment.
long_run_with()
{
	local env=$1

	shift
	background env --default-signal=INT,TERM,HUP "$env" "$LOSSLAB" run -q workload=permutation bytes=1GB "$@"
	RUN=$!
}

# Frames that namespace $1's interface $2 has received.
received() { ip netns exec "$1" cat "/sys/class/net/$2/statistics/rx_packets" 2>/dev/null || echo 0; }
moving() { kill -0 "$RUN" && [ "$(received "$1" eth0)" -gt 1000 ]; }

agents() { cat "/proc/$RUN/task/$RUN/children" 2>/dev/null || :; }
# The agent of host $1.
agent()
{
	local pid

	for pid in $(agents); do
		[ "$(cat "/proc/$pid/comm")" != "$1" ] || echo "$pid"
	done
}

# Gone, or dead and not waited for by the init of a container.
gone()
{
	local pid

	for pid in "$@"; do
		[ ! -e "/proc/$pid" ] || grep -q '^State:.[ZX]' "/proc/$pid/status" 2>/dev/null || [ ! -e "/proc/$pid" ] || return 1
	done
}

# ends CODE PATTERN: the run is over within 40 s, with this code and one line that matches.
ends()
{
	local code=0

	wait_for 40 gone "$RUN"
	wait "$RUN" || code=$?
	cat "$SAID"
	[ "$code" -eq "$1" ] && [ "$(grep -c '^losslab: ' "$SAID")" -eq 1 ] && [ "$(wc -l <"$SAID")" -eq 1 ] && grep -qE "$2" "$SAID"
}

nothing_left()
{
	down
	[ -z "$(namespaces "$LAB-")" ] && [ -z "$(ls -A "$LOSSLAB_RUN_DIR")" ]
}

@test "conserve: a switch's port to a host taken down behind the lab's back" {
	requires root veth kernel
	up star:n=4
	long_run --name "$LAB"
	wait_for 20 moving "$LAB-h0"
	pids=$(agents)
	ip -n "$LAB-s0" link set p0 down
	ends 1 '^losslab: (link (h0 -> s0:p0|s0:p0 -> h0): |host h0: )'
	# shellcheck disable=SC2086 # pids
	gone $pids
	nothing_left
}

@test "conserve: a port between switches taken down behind the lab's back" {
	requires root veth kernel
	up dumbbell:left=1,right=1
	long_run --name "$LAB"
	wait_for 20 moving "$LAB-h0"
	ip -n "$LAB-s1" link set p1 down
	ends 1 '^losslab: link (s0:p1 -> s1:p1|s1:p1 -> s0:p1): [0-9]+ of [0-9]+ frames have arrived'
	nothing_left
}

@test "conserve: a host's port taken down behind the lab's back" {
	requires root veth kernel
	up star:n=4
	long_run --name "$LAB"
	wait_for 20 moving "$LAB-h2"
	ip -n "$LAB-h2" link set eth0 down
	ends 1 '^losslab: (link (h2 -> s0:p2|s0:p2 -> h2): |host h2: )'
	nothing_left
}

# So are those that the kernel drops while it takes the program away.
@test "conserve: a host's counting program removed: frames that nobody counts are missed" {
	requires root veth kernel tc
	up star:n=4
	long_run --name "$LAB"
	wait_for 20 moving "$LAB-h1"
	ip netns exec "$LAB-h1" tc qdisc del dev eth0 clsact
	ends 1 '^losslab: (link (s0:p1 -> h1|h1 -> s0:p1): [0-9]+ of [0-9]+ frames have arrived|host h1: )'
	nothing_left
}

@test "conserve: an agent that is killed" {
	requires root veth kernel
	up star:n=4
	long_run --name "$LAB"
	wait_for 20 moving "$LAB-h2"
	pids=$(agents)
	kill -KILL "$(agent h2)"
	ends 1 '^losslab: host h2: its agent has died \(signal 9\)'
	# shellcheck disable=SC2086 # pids
	gone $pids
	"$LOSSLAB" status --name "$LAB" | grep ': up,'
	nothing_left
}

@test "conserve: an agent killed amid READs, SENDs, MELO, iWARP: the lab's next run is as if nothing had been" {
	requires root veth kernel
	for keys in "irn op=read message=64KB cc=timely" "irn-gbn op=send message=64KB rq=4" "melo cc=dcqcn" iwarp; do
		up star:n=4
		# shellcheck disable=SC2086 # words
		long_run --name "$LAB" loss=0.001 transport=$keys
		wait_for 20 moving "$LAB-h2"
		kill -KILL "$(agent h2)"
		ends 1 '^losslab: host h2: its agent has died \(signal 9\)'
		# shellcheck disable=SC2086
		kernel "$BATS_TEST_TMPDIR/kernel" workload=permutation bytes=50KB loss=0.01 transport=$keys
		# shellcheck disable=SC2086
		twin "$BATS_TEST_TMPDIR/twin" topology=star:n=4 workload=permutation bytes=50KB loss=0.01 transport=$keys
		same_records "$BATS_TEST_TMPDIR/kernel" "$BATS_TEST_TMPDIR/twin"
		nothing_left
	done
}

# Delays of up to 4 s and a deadline of 200 ms stand in for an agent that never comes back.
@test "conserve: an agent that hangs" {
	requires root veth kernel
	up star:n=4
	long_run_with LOSSLAB_CHAOS=4000000,200 --name "$LAB"
	ends 1 '^losslab: host h[0-3]: its agent hangs: no agent has finished a window for 200 ms$'
	nothing_left
}

# stopped FOR WHOM...: stop them for so many seconds.
stopped()
{
	local seconds=$1

	shift
	kill -STOP "$@"
	sleep "$seconds"
	kill -CONT "$@"
}

# Longer than every deadline, which is 500 ms here.
@test "conserve: an agent, the conductor, all of them stopped for a while: the digest is the twin's" {
	requires root veth kernel
	up star:n=4
	twin "$BATS_TEST_TMPDIR/twin" topology=star:n=4 workload=permutation bytes=60MB
	long_run_with LOSSLAB_CHAOS=0,500 --name "$LAB" bytes=60MB --out "$BATS_TEST_TMPDIR/kernel"
	wait_for 20 moving "$LAB-h0"
	stopped 2 "$(agent h1)"
	stopped 2 "$RUN"
	# shellcheck disable=SC2046 # pids
	stopped 2 "$RUN" $(agents)
	# shellcheck disable=SC2046
	stopped 2 $(agents)
	kill -0 "$RUN" # it was on all the time
	wait "$RUN"
	same_records "$BATS_TEST_TMPDIR/kernel" "$BATS_TEST_TMPDIR/twin"
}

@test "conserve: SIGINT while an agent is stopped ends the run at once" {
	requires root veth kernel
	up star:n=4
	long_run --name "$LAB"
	wait_for 20 moving "$LAB-h3"
	kill -STOP "$(agent h3)"
	sleep 0.3
	kill -INT "$RUN"
	wait_for 2 gone "$RUN"
	ends 1 '^losslab: run: interrupted by SIGINT$'
	nothing_left
}

@test "conserve: the conductor killed: agents gone, the lab free for the next run" {
	requires root veth kernel
	up star:n=4
	long_run --name "$LAB"
	wait_for 20 moving "$LAB-h0"
	pids=$(agents)
	[ "$(wc -w <<<"$pids")" -eq 4 ]
	kill -KILL "$RUN"
	# shellcheck disable=SC2086 # pids
	wait_for 5 gone $pids
	"$LOSSLAB" run -q --name "$LAB" flows=10 | grep '10 completed (done)'
	nothing_left
}

@test "conserve: the conductor of a lab of its own killed: down removes it" {
	requires root veth kernel
	long_run topology=star:n=4
	wait_for 20 moving "run$RUN-h0"
	pids=$(agents)
	kill -KILL "$RUN"
	# shellcheck disable=SC2086 # pids
	wait_for 5 gone $pids
	"$LOSSLAB" down --name "run$RUN"
	[ -z "$(namespaces "run$RUN-")" ]
	[ -z "$(ls -A "$LOSSLAB_RUN_DIR")" ]
}

@test "conserve: SIGINT, SIGTERM and SIGHUP end a run, and its own lab goes" {
	requires root veth kernel
	for signal in INT TERM HUP; do
		long_run topology=star:n=4
		wait_for 20 moving "run$RUN-h0"
		pids=$(agents)
		kill "-$signal" "$RUN"
		wait_for 10 gone "$RUN"
		code=0
		wait "$RUN" || code=$?
		cat "$SAID"
		[ "$code" -ne 0 ]
		[ "$(wc -l <"$SAID")" -eq 1 ]
		[ "$(cat "$SAID")" = "losslab: run: interrupted by SIG$signal" ]
		# shellcheck disable=SC2086 # pids
		gone $pids
		[ -z "$(namespaces "run$RUN-")" ]
		[ -z "$(ls -A "$LOSSLAB_RUN_DIR")" ]
	done
}

@test "conserve: SIGINT while a run starts" {
	requires root veth kernel
	long_run topology=fat-tree:k=8
	wait_for 20 test -e "/run/netns/run$RUN-h9"
	kill -INT "$RUN"
	wait_for 20 gone "$RUN"
	code=0
	wait "$RUN" || code=$?
	[ "$code" -ne 0 ]
	cat "$SAID"
	[ -z "$(namespaces "run$RUN-")" ]
	[ -z "$(ls -A "$LOSSLAB_RUN_DIR")" ]
}

@test "conserve: down ends a run in progress and removes the lab" {
	requires root veth kernel
	up star:n=4
	long_run --name "$LAB"
	wait_for 20 moving "$LAB-h0"
	pids=$(agents)
	nothing_left
	# shellcheck disable=SC2086 # pids
	wait_for 5 gone "$RUN" $pids
	code=0
	wait "$RUN" || code=$?
	[ "$code" -ne 0 ]
}

@test "conserve: losslab down ends a run, which says so and removes the empty directory that it has made" {
	requires root veth kernel
	mkdir "$BATS_TEST_TMPDIR/mine"
	up star:n=4
	for dir in new/a/b mine; do
		long_run -n "$LAB" out="$BATS_TEST_TMPDIR/$dir"
		wait_for 20 moving "$LAB-h0"
		[ -d "$BATS_TEST_TMPDIR/$dir" ]
		down
		wait_for 10 gone "$RUN"
		code=0
		wait "$RUN" || code=$?
		[ "$code" -eq 1 ]
		[ "$(cat "$SAID")" = "losslab: run: interrupted by losslab down" ]
		[ ! -e "$BATS_TEST_TMPDIR/new" ] && [ -d "$BATS_TEST_TMPDIR/mine" ]
		up star:n=4
	done
}
