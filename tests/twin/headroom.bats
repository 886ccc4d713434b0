#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The headroom of PFC: the command that computes it, the default that uses it, the warning where xoff leaves less.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

@test "headroom: the terms and their sum" {
	run -0 "$LOSSLAB" headroom 40gbit 2us 1000
	[ "${lines[0]}" = "PFC headroom at 40gbit, 2us, mtu 1000 (frames of up to 1074 bytes):" ]
	[ "$(awk 'NR > 1 { printf "%s ", $1 }' <<<"$output")" = "1073 1098 84 19999 1074 -480 22848 " ]
	for link in "10gbit 1ps 64" "400gbit 100us 2048" "100gbit 1.5us 1024"; do
		# shellcheck disable=SC2086 # words
		"$LOSSLAB" headroom $link | awk 'NR > 1 { sum += last; last = $1 } END { exit sum != last }'
	done
}

@test "headroom: JSON has the terms and the sum of the text" {
	requires jq
	for link in "40gbit 2us 1000" "10gbit 1ps 64" "400gbit 100us 2048" "2.5gbit 1.5us 1024"; do
		# shellcheck disable=SC2086 # words
		text=$("$LOSSLAB" headroom $link | awk 'NR > 1 { printf "%s ", $1 }')
		# shellcheck disable=SC2086
		json=$("$LOSSLAB" headroom --json $link)
		[ "$(jq -r '(.terms | .deciding, .back, .pause, .flight, .last, .gaps), .headroom' <<<"$json" | tr '\n' ' ')" = "$text" ]
		# shellcheck disable=SC2086
		[ "$(jq -r '"PFC headroom at \(.rate), \(.delay), mtu \(.mtu) (frames of up to \(.frame) bytes):"' <<<"$json")" = "$("$LOSSLAB" headroom $link | head -1)" ]
		jq -e '(.terms | add) == .headroom and (.terms | length) == 6 and .frame == .terms.last' <<<"$json"
	done
	refused 2 'headroom: mtu=63' "$LOSSLAB" headroom --json 40gbit 2us 63
}

@test "headroom: bad input is refused by name" {
	bad() {
		run -2 "$LOSSLAB" headroom "${@:2}"
		[ "$output" = "losslab: headroom: $1" ]
	}
	bad "RATE is missing; usage: losslab headroom RATE DELAY MTU"
	bad "DELAY is missing; usage: losslab headroom RATE DELAY MTU" 40gbit
	bad "MTU is missing; usage: losslab headroom RATE DELAY MTU" 40gbit 2us
	bad "-40gbit: begins with '-', and no value is negative" -40gbit 2us 1000
	bad "-2us: begins with '-', and no value is negative" 40gbit -2us 1000
	bad "-5: begins with '-', and no value is negative" 40gbit 2us -5
	bad "-5: begins with '-', and no value is negative" -5 2us 1000
	bad "'5': one argument too many; usage: losslab headroom RATE DELAY MTU" 40gbit 2us 1000 5
	bad "rate 40: no unit: say bit, kbit, mbit, gbit or tbit" 40 2us 1000
	bad "time 2: no unit: say ps, ns, us, ms or s" 40gbit 2 1000
	bad "delay 0us: must be above 0 and at most 1s" 40gbit 0us 1000
	bad "delay 1001ms: must be above 0 and at most 1s" 40gbit 1001ms 1000
	bad "mtu=63: out of range; allowed: 64..2048" 40gbit 2us 63
}

# 22848 bytes at 40 Gb/s, 2 us and mtu 1000; at 100 Gb/s 72 bytes of PAUSE, frames and gaps less, and 30 KB of delay more.
@test "headroom: a run warns where xoff leaves less, naming the port that lacks most, and only there" {
	dir=$BATS_TEST_TMPDIR/out
	need() { "$LOSSLAB" headroom "$1" 2us 1000 | awk 'END { print $1 }'; }
	said() { { "$LOSSLAB" run --engine twin -q topology="$topology" flows=5 buffer=240000 "$@" >/dev/null; } 2>&1; }
	topology=star:n=3
	[ -z "$(said xoff=$((240000 - $(need 40gbit))))" ]
	[ "$(said xoff=$((240001 - $(need 40gbit))))" = "losslab: run: warning: xoff: leaves 22847 bytes of headroom at port s0:p0, PFC needs 22848 to lose nothing (3 of 3 ports are short)" ]
	[ -z "$(said fc=none)" ]
	[ -z "$(said)" ]
	"$REPO/topo/star.sh" n=3 | sed 's/^link h1 s0$/& 100gbit/' >"$BATS_TEST_TMPDIR/mixed"
	topology=$BATS_TEST_TMPDIR/mixed
	[ "$(said xoff=200000)" = "losslab: run: warning: xoff: leaves 40000 bytes of headroom at port s0:p1, PFC needs $(need 100gbit) to lose nothing (1 of 3 ports are short)" ]
	[ -z "$(said xoff=$((240000 - $(need 100gbit))))" ]
}

# h0 sends to a slow host, so hardly a frame leaves its buffer meanwhile, and the wire back to it is full. Frames come in
# one size here, so this worst case lies 790 bytes below the one that test_headroom.c constructs.
@test "headroom: a congested input loses nothing with it, and loses frames with two frames less" {
	dir=$BATS_TEST_TMPDIR/out
	"$REPO/topo/star.sh" n=3 | sed 's/^link h2 s0$/& 100mbit/' >"$BATS_TEST_TMPDIR/slow"
	congested() { twin "$dir" topology="$BATS_TEST_TMPDIR/slow" workload=file:"$(flows 0,2,600000,0 1,0,4000000,0)" buffer=240000 "$@"; }
	congested xoff=$((240000 - 22848))
	[ "$(value "$dir" dropped)" -eq 0 ]
	all_done "$dir"
	cp "$dir/ports.csv" "$BATS_TEST_TMPDIR/given"
	congested
	cmp "$dir/ports.csv" "$BATS_TEST_TMPDIR/given" # it is the default
	congested timeouts=on xoff=$((240000 - 22848 + 2 * 1074))
	[ "$(value "$dir" buffer)" -gt 0 ]
}

# The figure of the refusal is the least that is taken: of a port of 100 Gb/s, though the first that is short has 40.
@test "headroom: a buffer too small for PFC is refused with the figure that would do" {
	printf '%s\n' 'host h0' 'host h1' 'host h2' 'switch s0' 'link h0 s0 40gbit 2us' 'link h1 s0 100gbit 2us' 'link h2 s0 40gbit 2us' \
		>"$BATS_TEST_TMPDIR/mixed"
	ask() { "$LOSSLAB" run --engine twin -q flows=5 mtu=1000 "$@"; }
	for form in star:n=3 "$BATS_TEST_TMPDIR/mixed"; do
		for more in buffer_mode=static "buffer_mode=shared alpha=1/8"; do
			# shellcheck disable=SC2086 # words
			run ask topology="$form" buffer=6000 $more
			[ "$status" -eq 2 ]
			figure=$(sed -E 's/.*needs ([0-9]+).*/\1/' <<<"$output")
			echo "$output"
			# shellcheck disable=SC2086
			ask topology="$form" buffer="$figure" $more
			# shellcheck disable=SC2086
			refused 2 "needs $figure" ask topology="$form" buffer=$((figure - 1)) $more
		done
	done
	refused 2 'buffer: 24000 bytes: PFC needs 24996 at port s0:p0, 22848 of headroom and two frames' ask topology=star:n=3 buffer=24000
	refused 2 "PFC needs [0-9]* at port s0:p1" ask topology="$BATS_TEST_TMPDIR/mixed" buffer=24000
	for xon in 9001 9000; do refused 2 "xon=$xon: not below xoff=9000; allowed: less" ask topology=star:n=3 xoff=9000 xon=$xon; done
	refused 2 'xon: 217152: not below xoff, which is 217152 at port s0:p0' ask topology=star:n=3 xon=217152
	ask topology=star:n=3 xoff=200000 xon=199999
}

# A byte more than above xoff: the frame that tips the scale lies in it as a whole (bpf/buffer.h).
@test "headroom: a run warns where headroom= of a shared buffer is less, and only there" {
	said() { { "$LOSSLAB" run --engine twin -q topology="$shape" flows=5 buffer_mode=shared buffer=1MB "$@" >/dev/null; } 2>&1; }
	shape=star:n=3
	[ -z "$(said headroom=22849)" ]
	[ "$(said headroom=22848)" = "losslab: run: warning: headroom: gives 22848 bytes of headroom at port s0:p0, PFC needs 22849 to lose nothing (3 of 3 ports are short)" ]
	[ -z "$(said)" ]
	[ -z "$(said headroom=1 pfc_classes=5)" ] # flows are of class 3
	"$REPO/topo/star.sh" n=3 | sed 's/^link h1 s0$/& 100gbit/' >"$BATS_TEST_TMPDIR/mixed"
	shape=$BATS_TEST_TMPDIR/mixed
	need=$(($("$LOSSLAB" headroom 100gbit 2us 1000 | awk 'END { print $1 }') + 1))
	[ "$(said headroom=40000)" = "losslab: run: warning: headroom: gives 40000 bytes of headroom at port s0:p1, PFC needs $need to lose nothing (1 of 3 ports are short)" ]
	[ -z "$(said headroom=$need)" ]
	# what the ports have for themselves must fit
	run -2 "$LOSSLAB" run --engine twin topology=star:n=3 buffer_mode=shared buffer=1MB headroom=400KB
	[ "$output" = "losslab: buffer: 1000000 bytes: switch s0 needs $((3 * 404096 + 1074)), $((3 * 404096)) for the reserves and headrooms of its ports and a frame to share: enlarge buffer, or lower reserve or headroom" ]
}

# As above, of a shared buffer.
@test "headroom: of a shared buffer it loses nothing, and frames with two frames less" {
	dir=$BATS_TEST_TMPDIR/out
	"$REPO/topo/star.sh" n=3 | sed 's/^link h2 s0$/& 100mbit/' >"$BATS_TEST_TMPDIR/slow"
	congested() {
		twin "$dir" topology="$BATS_TEST_TMPDIR/slow" workload=file:"$(flows 0,2,600000,0 1,0,4000000,0)" \
			buffer_mode=shared timeouts=on "$@"
	}
	for buffer in 100KB 200KB 300KB; do
		congested buffer=$buffer headroom=22849
		all_done "$dir"
		[ "$(value "$dir" dropped)" -eq 0 ]
		[ "$(value "$dir" pause_frames)" -gt 0 ]
		cp "$dir/ports.csv" "$BATS_TEST_TMPDIR/given"
		congested buffer=$buffer headroom=$((22849 - 2 * 1074))
		all_done "$dir"
		[ "$(value "$dir" buffer)" -gt 0 ]
	done
}
