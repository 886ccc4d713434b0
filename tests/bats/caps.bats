#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Capabilities: four are enough for uid 0, and what is missing is named.

load helpers
load ../twin/records
bats_require_minimum_version 1.5.0

setup()
{
	lab_setup
	ALL=(sys_admin net_admin bpf net_raw)
}

# with CAP...: the command line that runs what follows as uid 0 with these only.
with() { local IFS=,; echo "setpriv --bounding-set -all,${*/#/+}"; }

@test "caps: SYS_ADMIN, NET_ADMIN, BPF and NET_RAW are enough for doctor, up, exec, run and down" {
	requires root veth kernel setpriv
	read -ra few < <(with "${ALL[@]}")
	"${few[@]}" "$LOSSLAB" doctor | grep -x 'optional CAP_SYS_NICE, CAP_SYS_RESOURCE: .*'
	"${few[@]}" "$LOSSLAB" up --name "$LAB" star:n=3
	[ "$("${few[@]}" "$LOSSLAB" exec --name "$LAB" h0 ls /sys/class/net | head -1)" = eth0 ]
	"${few[@]}" "$LOSSLAB" run -q --name "$LAB" --out "$BATS_TEST_TMPDIR/out" flows=20
	all_done "$BATS_TEST_TMPDIR/out"
	"${few[@]}" "$LOSSLAB" run -q topology=star:n=3 flows=20
	"${few[@]}" "$LOSSLAB" down --name "$LAB"
	[ -z "$(namespaces "$LAB-")" ]
}

@test "caps: each of them, when missing, is named" {
	requires root setpriv
	for i in 0 1 2 3; do
		rest=("${ALL[@]:0:i}" "${ALL[@]:i+1}")
		read -ra few < <(with "${rest[@]}")
		cap=CAP_${ALL[i]^^}
		refused 3 "run: the kernel engine needs root with $cap: " "${few[@]}" "$LOSSLAB" run -q topology=star:n=3 flows=1
		run "${few[@]}" "$LOSSLAB" doctor
		[ "$status" -eq 3 ]
		[[ ${output//$'\n' /} == *"$cap"* ]]
		case $cap in
		CAP_SYS_ADMIN | CAP_NET_ADMIN)
			refused 3 "up: needs root with $cap: " "${few[@]}" "$LOSSLAB" up --name "$LAB" star
			refused 3 "down: needs root with $cap: " "${few[@]}" "$LOSSLAB" down --name "$LAB"
			refused 3 "exec: needs root with $cap: " "${few[@]}" "$LOSSLAB" exec --name "$LAB" h0 true
			;;
		esac
	done
	read -ra few < <(with net_admin)
	refused 3 "needs root with CAP_SYS_ADMIN, CAP_BPF, CAP_NET_RAW: " "${few[@]}" "$LOSSLAB" run -q topology=star:n=3 flows=1
}

@test "caps: another user with all four is refused" {
	requires root setpriv
	caps=+sys_admin,+net_admin,+bpf,+net_raw
	user=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "$caps" --ambient-caps "$caps")
	"${user[@]}" test -x "$LOSSLAB" || skip "needs the program readable by all"
	"${user[@]}" sed -n 's/^CapEff:.*[1-9a-f].*/caps/p' /proc/self/status | grep -qx caps
	refused 3 "up: needs root: run with sudo" "${user[@]}" "$LOSSLAB" up --name "$LAB" star
	refused 3 "the kernel engine needs root: run with sudo" "${user[@]}" "$LOSSLAB" run -q topology=star:n=3 flows=1
}
