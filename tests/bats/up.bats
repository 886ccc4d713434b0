#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# up, down, status, exec: a lab comes up as documented, and goes without a trace whatever happened.
# alone: it kills labs half-way and times them

load helpers
bats_require_minimum_version 1.5.0

@test "up and down leave no trace" {
	requires root veth
	run up fat-tree:k=4
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output =~ ^"$LAB: fat-tree k=4: 16 hosts, 20 switches, 48 links up in "[0-9.]+" s"$ ]]
	[ "$(count_namespaces "$LAB-")" -eq 37 ]
	down
	[ -z "$(namespaces "$LAB-")" ]
	run ! grep "^$LAB-" <<<"$(ip netns)"
	[ -z "$(ls -A "$LOSSLAB_RUN_DIR")" ]
}

@test "ports, addresses and MTU are as documented" {
	requires root veth
	up star:n=3
	node h2 -- ip -o link show | grep -E '^100002: eth0@.* mtu 2300 .*LOWER_UP|^100002: eth0@.*LOWER_UP.* mtu 2300'
	node h2 -- ip -o link show eth0 | grep 'link/ether 02:00:00:00:00:03'
	node h2 -- ip -o -4 addr show | grep 'inet 10.0.0.3/8'
	node s0 -- ip -o link show p0 | grep -E '^10000: .*LOWER_UP.* mtu 2300 .*06:00:00:00:00:00'
	node s0 -- ip -o link show p2 | grep -E '^10002: .*LOWER_UP.* mtu 2300 .*06:00:00:00:00:02'
	node s0 -- ip -d -o link show p2 | grep 'numtxqueues 1 numrxqueues 1'
	node ctl -- ip -o link show ctl0 | grep -E '^9000: .*LOWER_UP'
	node ctl -- ip -o link show ctl1 | grep -E '^9001: .*LOWER_UP'
	[ ! -e /proc/sys/net/ipv6 ] || [ -z "$(node h2 -- ip -o -6 addr show)" ]
}

@test "ifindices of a fabric are lab-wide unique, switch 0's ports first" {
	requires root veth
	up fat-tree:k=4
	all=$(for s in $(seq 0 19); do node "s$s" -- ip -o link show type veth | cut -d: -f1; done)
	[ "$all" = "$(seq 10000 10079)" ]
	for h in 0 15; do
		[ "$(node "h$h" -- cat /sys/class/net/eth0/ifindex)" -eq $((100000 + h)) ]
	done
}

@test "a second up of the same name is refused, and the lab stays" {
	requires root veth
	up star
	refused 2 "lab '$LAB' is already up: losslab down --name $LAB removes it" up star
	[ "$(count_namespaces "$LAB-")" -eq 6 ]
	run "$LOSSLAB" status --name "$LAB"
	[ "$status" -eq 0 ]
}

@test "a foreign namespace is refused and left alone" {
	requires root veth
	ip netns add "$LAB-h3"
	run refused 2 "namespace $LAB-h3: exists and is not this lab's" up star
	left=$(namespaces "$LAB-")
	ip netns del "$LAB-h3"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$left" = "$LAB-h3" ]
	[ -z "$(ls -A "$LOSSLAB_RUN_DIR")" ]
}

@test "down leaves a namespace alone that somebody made under a name of the lab's" {
	requires root veth
	up star
	ip netns del "$LAB-h1"
	ip netns add "$LAB-h1"
	run down
	left=$(namespaces "$LAB-")
	ip netns del "$LAB-h1"
	[ "$status" -eq 0 ]
	[ "$left" = "$LAB-h1" ]
}

@test "two labs coexist" {
	requires root veth
	up star
	"$LOSSLAB" up --name "${LAB}b" dumbbell
	down
	[ -z "$(namespaces "$LAB-")" ]
	"$LOSSLAB" status --name "${LAB}b"
	"$LOSSLAB" down --name "${LAB}b"
	[ -z "$(namespaces "${LAB}b-")" ]
}

@test "down --all removes every lab, and says nothing where there is none" {
	requires root veth
	run "$LOSSLAB" down --all
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	up star
	"$LOSSLAB" up --name "${LAB}b" star
	"$LOSSLAB" down --all
	[ -z "$(namespaces "$LAB-")$(namespaces "${LAB}b-")" ]
}

@test "down of a lab that is not there" {
	requires root
	refused 2 "lab $LAB: no such lab" down
}

@test "kill -9 at any moment of up: down removes all" {
	requires root veth
	start=$(date +%s%N)
	up fat-tree:k=6
	took=$((($(date +%s%N) - start) / 1000000))
	down
	for i in 0 1 2 3 4 5 6 7 8 9; do
		background "$LOSSLAB" up --name "$LAB" fat-tree:k=6
		sleep "$(printf '%d.%03d' $((took * i / 10000)) $((took * i / 10 % 1000)))"
		kill -KILL $! 2>/dev/null || :
		wait $! || :
		echo "killed after $((took * i / 10)) of $took ms: $(count_namespaces "$LAB-") namespaces"
		[ ! -e "$LOSSLAB_RUN_DIR/$LAB" ] || down
		[ -z "$(namespaces "$LAB-")" ]
		[ -z "$(ls -A "$LOSSLAB_RUN_DIR" 2>/dev/null)" ]
	done
}

@test "an interrupted up undoes itself" {
	requires root veth
	for signal in INT TERM HUP; do
		background env --default-signal="$signal" "$LOSSLAB" up --name "$LAB" fat-tree:k=10
		pid=$!
		wait_for 10 test -e "/run/netns/$LAB-h20"
		kill "-$signal" "$pid"
		rc=0
		wait "$pid" || rc=$?
		cat "$BATS_TEST_TMPDIR/bg"
		[ "$rc" -eq $((128 + $(kill -l "$signal"))) ]
		grep -q "^losslab: up: lab $LAB: interrupted" "$BATS_TEST_TMPDIR/bg"
		[ -z "$(namespaces "$LAB-")" ]
		[ -z "$(ls -A "$LOSSLAB_RUN_DIR")" ]
	done
}

@test "an unfinished up is seen, keeps others out, and is ended by down even when it hangs" {
	requires root veth
	background "$LOSSLAB" up --name "$LAB" fat-tree:k=10
	pid=$!
	wait_for 10 test -e "/run/netns/$LAB-h20"
	kill -STOP "$pid"
	refused 2 "lab $LAB: in use by process $pid" up star
	run "$LOSSLAB" status --name "$LAB"
	echo "$output"
	[[ $(tr -s ' \n' ' ' <<<"$output") == "$LAB: starting, fat-tree k=10"*"in use by process $pid " ]]
	down
	[ -z "$(namespaces "$LAB-")" ]
	run wait "$pid"
	[ ! -e "/proc/$pid" ] || grep -q '^State:.Z' "/proc/$pid/status"
}

@test "two at once: one wins, the other is refused" {
	requires root veth
	background "$LOSSLAB" up --name "$LAB" fat-tree:k=8
	first=$!
	background "$LOSSLAB" up --name "$LAB" fat-tree:k=8
	second=$!
	a=0 b=0
	wait "$first" || a=$?
	wait "$second" || b=$?
	[ "$a $b" = "0 2" ] || [ "$a $b" = "2 0" ]
	"$LOSSLAB" status --name "$LAB"
}

@test "what a kill left under /run/netns, a file and no mount, is removed" {
	requires root veth
	up star
	umount "/run/netns/$LAB-h0"
	[ -e "/run/netns/$LAB-h0" ]
	run "$LOSSLAB" status
	[ "$status" -eq 1 ]
	[[ $output == *"broken"*"1 missing: $LAB-h0"* ]]
	down
	[ -z "$(namespaces "$LAB-")" ]
}

@test "a lab without any namespace left gives way to a new one" {
	requires root veth
	up star
	for ns in $(namespaces "$LAB-"); do umount "/run/netns/$ns"; done
	up star:n=2
	[ "$(count_namespaces "$LAB-")" -eq 4 ]
}

@test "a damaged manifest is never acted on" {
	requires root veth
	up star
	manifest=$LOSSLAB_RUN_DIR/$LAB/manifest.json
	cp "$manifest" "$BATS_TEST_TMPDIR/good"
	head -c 100 "$BATS_TEST_TMPDIR/good" >"$manifest"
	refused 2 "lab $LAB: manifest.json: .*: restore it, or remove by hand" down
	refused 2 "lab $LAB: manifest.json: " up star
	[ "$(count_namespaces "$LAB-")" -eq 6 ]
	cp "$BATS_TEST_TMPDIR/good" "$manifest"
}

@test "exec: the node's namespace, its sysfs, the command's exit code" {
	requires root veth
	up star
	[ "$(node h1 ls /sys/class/net)" = "eth0
lo" ]
	[ "$(node h1 readlink /proc/self/ns/net)" = "$(ip netns exec "$LAB-h1" readlink /proc/self/ns/net)" ]
	run node h1 -- sh -c 'exit 7'
	[ "$status" -eq 7 ]
	[ "$(node h1 -- echo --name -n x)" = "--name -n x" ]
	run -127 node h1 -- no-such-command
	[[ $output == "losslab: exec: no-such-command: No such file"* ]]
	refused 126 "exec: /etc/passwd: Permission denied" node h1 -- /etc/passwd
	refused 2 "exec: node h9: lab $LAB has no such node" node h9 -- true
	refused 2 "exec: node ../x: lab $LAB has no such node" node ../x -- true
	refused 2 "exec: COMMAND is missing; usage: losslab exec" node h1
	refused 2 "exec: NODE is missing; usage: losslab exec" node
	[ "$(cat /sys/class/net/lo/ifindex)" -eq 1 ]
}

@test "status: text and JSON" {
	requires root veth
	run "$LOSSLAB" status
	[ "$status" -eq 0 ]
	[ "$output" = "no lab exists" ]
	up star
	run "$LOSSLAB" status
	[ "$status" -eq 0 ]
	[ "$output" = "$LAB: up, star n=4, 4 hosts, 1 switches, 4 links" ]
	"$LOSSLAB" status --json | tr -d ' \n' | grep -F "\"name\":\"$LAB\",\"state\":\"up\",\"pid\":null,\"topology\":\"starn=4\""
}

@test "bad names and bad usage" {
	for name in "" A 1a a.b a/b .. ../x "a b" abcdefghijklmnop; do
		refused 2 "lab name" "$LOSSLAB" up --name "$name" star
		refused 2 "lab name" "$LOSSLAB" down --name "$name"
		refused 2 "lab name" "$LOSSLAB" status --name "$name"
		refused 2 "lab name" "$LOSSLAB" exec --name "$name" h0 true
	done
	refused 2 "up: TOPOLOGY is missing; usage: losslab up" "$LOSSLAB" up
	refused 2 "up: 'ring': one argument too many; usage: losslab up" "$LOSSLAB" up star ring
	refused 2 "down: 'lab': one argument too many; usage: losslab down" "$LOSSLAB" down lab
	refused 2 "down: --all: --name is given too" "$LOSSLAB" down --all --name "$LAB"
	refused 2 "status: 'lab': one argument too many; usage: losslab status" "$LOSSLAB" status lab
	refused 2 "option --all=yes: takes no value" "$LOSSLAB" down --all=yes
	refused 2 "option -xyz: unknown" "$LOSSLAB" up star -xyz
	refused 2 "option -jx: unknown" "$LOSSLAB" status -jx
	refused 2 "option -j: unknown" "$LOSSLAB" status -j
	refused 2 "option -n: needs a value" "$LOSSLAB" status -n
	refused 2 "option --nonsense: unknown" "$LOSSLAB" up --nonsense
	refused 2 "option --name: needs a value" "$LOSSLAB" up --name
	refused 2 "topology nonsense" "$LOSSLAB" up nonsense
	refused 2 "command nonsense: unknown" "$LOSSLAB" nonsense
	refused 2 "no command" "$LOSSLAB"
}

@test "without root: exit code 3 and the way out" {
	requires root setpriv
	nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	"${nobody[@]}" test -x "$LOSSLAB" || skip "needs the program readable by all"
	refused 3 "needs root: run with sudo, or use --engine twin with run" "${nobody[@]}" "$LOSSLAB" up --name "$LAB" star
	refused 3 "needs root: run with sudo" "${nobody[@]}" "$LOSSLAB" down --name "$LAB"
}

# What other users may write or lock, they can use to hinder root's down and run.
@test "files and directories of a lab are root's alone, whatever the umask" {
	requires root veth
	for mask in 0 077 0777; do
		(umask "$mask"; up star)
		[ -z "$(find "$LOSSLAB_RUN_DIR" -type d ! -perm 700)" ]
		[ -z "$(find "$LOSSLAB_RUN_DIR" -type f ! -perm 600)" ]
		[ "$(find "$LOSSLAB_RUN_DIR" -type f | wc -l)" -eq 3 ]
		down
	done
	chmod 777 "$LOSSLAB_RUN_DIR"
	up star
	[ "$(stat -c %a "$LOSSLAB_RUN_DIR")" = 700 ]
	down
	chown 65534 "$LOSSLAB_RUN_DIR"
	refused 3 "$LOSSLAB_RUN_DIR: belongs to another user" up star
	chown 0 "$LOSSLAB_RUN_DIR"
}

@test "status and the twin's --name without root: exit code 3, not an empty list" {
	requires root veth setpriv
	nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	"${nobody[@]}" test -x "$LOSSLAB" || skip "needs the program readable by all"
	up star
	refused 3 "status: labs belong to root .*: run with sudo" "${nobody[@]}" "$LOSSLAB" status
	refused 3 "run: labs belong to root .*: run with sudo" "${nobody[@]}" "$LOSSLAB" run -e twin --name "$LAB" flows=1
}

in_lab() { [ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ] && [ "$(cat "/proc/$1/comm")" = "$2" ]; }

@test "down names the processes in the lab and keeps it; --kill ends them" {
	requires root veth
	up star
	background "$LOSSLAB" exec --name "$LAB" h1 -- sleep 300
	pid=$!
	wait_for 10 in_lab "$pid" sleep
	refused 1 "down: lab $LAB: processes run in it: $pid \(sleep\): end them, or use --kill" down
	[ "$(count_namespaces "$LAB-")" -eq 6 ]
	"$LOSSLAB" status --name "$LAB" | grep -x "$LAB: up, star n=4, .*"
	kill -0 "$pid"
	"$LOSSLAB" down --name "$LAB" --kill
	rc=0
	wait "$pid" || rc=$?
	[ "$rc" -eq 143 ]
	[ -z "$(namespaces "$LAB-")" ]
	[ -z "$(ls -A "$LOSSLAB_RUN_DIR")" ]
}

@test "down --kill ends a process that ignores SIGTERM, and none outside of the lab" {
	requires root veth
	up star
	background sleep 300
	other=$!
	background "$LOSSLAB" exec --name "$LAB" s0 -- bash -c 'trap "" TERM; while :; do sleep 1; done'
	pid=$!
	wait_for 10 in_lab "$pid" bash
	"$LOSSLAB" down --name "$LAB" --kill
	rc=0
	wait "$pid" || rc=$?
	[ "$rc" -eq 137 ]
	kill -0 "$other"
	[ -z "$(namespaces "$LAB-")" ]
}

@test "down removes only files of its own, with and without a manifest" {
	requires root veth
	mkdir -p "$LOSSLAB_RUN_DIR/$LAB"
	echo mine >"$LOSSLAB_RUN_DIR/$LAB/notes"
	run "$LOSSLAB" status
	[ "$output" = "no lab exists" ]
	refused 2 "lab $LAB: no such lab" down
	: >"$LOSSLAB_RUN_DIR/$LAB/lock"
	down
	[ "$(ls -A "$LOSSLAB_RUN_DIR/$LAB")" = notes ]
	up star
	down
	[ "$(ls -A "$LOSSLAB_RUN_DIR/$LAB")" = notes ]
	[ "$(cat "$LOSSLAB_RUN_DIR/$LAB/notes")" = mine ]
}

@test "up where mounts stay hidden from other processes is refused, and leaves nothing" {
	requires root veth unshare
	up star
	for how in private slave; do
		refused 3 "mounts made here stay hidden from other processes" \
			unshare -m --propagation "$how" "$LOSSLAB" up --name "${LAB}b" star
		refused 3 "mounts made here stay hidden" unshare -m --propagation "$how" "$LOSSLAB" up --name "$LAB" star
		"$LOSSLAB" status --name "$LAB"
		[ -z "$(namespaces "${LAB}b-")" ]
		[ ! -e "$LOSSLAB_RUN_DIR/${LAB}b" ]
	done
	refused 3 "mounts made here stay hidden" node h0 -- "$LOSSLAB" up --name "${LAB}b" star
	unshare -m --propagation shared "$LOSSLAB" up --name "${LAB}b" star
	[ "$("$LOSSLAB" exec --name "${LAB}b" h0 -- ls /sys/class/net | head -1)" = eth0 ]
	"$LOSSLAB" down --name "${LAB}b"
}

@test "exec --caps: keep is the default, none leaves none" {
	requires root veth
	up star
	caps() { node "$@" h1 -- sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status; }
	[ "$(caps)" = "$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)" ]
	[ "$(caps --caps keep)" = "$(caps)" ]
	[ "$(caps --caps none)" = 0000000000000000 ]
	run node --caps none h1 -- ip link set eth0 down
	[ "$status" -ne 0 ]
	refused 2 "exec: --caps some: allowed: keep.none" node --caps some h1 -- true
}
