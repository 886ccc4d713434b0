#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# doctor: says what is there and what is missing, and leaves nothing behind.
# alone: it compares all links and namespaces of the machine

load helpers
bats_require_minimum_version 1.5.0

# Links, and names of namespaces that no lab has: a lab's are its name, a dash and the node.
standing() { ip -o link; find /run/netns -mindepth 1 ! -name '*-*' 2>/dev/null | sort; }

@test "doctor: as root, one line for each check, and no trace" {
	requires root
	before=$(standing)
	run "$LOSSLAB" doctor
	echo "$output"
	said=$output code=$status
	[ "$code" -eq 0 ] || [ "$code" -eq 3 ]
	run ! grep -vE '^(ok       |MISSING  |unknown  |optional |         |The kernel engine cannot run here)' <<<"$said"
	if [ "$code" -eq 0 ]; then
		run ! grep -E '^(MISSING|unknown)' <<<"$said"
	else
		grep -E '^MISSING' <<<"$said"
		grep 'the twin works' <<<"$said"
	fi
	[ "$(standing)" = "$before" ]
}

@test "doctor: JSON agrees with the text" {
	requires root
	text=0 json=0
	"$LOSSLAB" doctor >"$BATS_TEST_TMPDIR/text" || text=$?
	"$LOSSLAB" doctor --json >"$BATS_TEST_TMPDIR/json" || json=$?
	[ "$text" -eq "$json" ]
	[ "$(grep -c '"ok": true' "$BATS_TEST_TMPDIR/json")" -eq "$(($(grep -c '^ok' "$BATS_TEST_TMPDIR/text") - 2))" ]
}

@test "doctor: without root, exit code 3 and the twin" {
	requires root setpriv
	nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	"${nobody[@]}" test -x "$LOSSLAB" || skip "needs the program readable by all"
	run "${nobody[@]}" "$LOSSLAB" doctor
	echo "$output"
	[ "$status" -eq 3 ]
	[[ $output == "MISSING  privileges"*"run with sudo"* ]]
	[ "$(awk 'length > 80' <<<"$output")" = "" ]
	[[ $output == *"losslab run --engine twin"* ]]
}

@test "doctor: bad usage" {
	refused 2 "doctor: 'now': one argument too many; usage: losslab doctor" "$LOSSLAB" doctor now
	refused 2 "option --x: unknown" "$LOSSLAB" doctor --x
}
