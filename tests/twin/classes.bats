#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Flows of several traffic classes: what a link gives each, and that a class that stands still holds up no other.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

setup() { dir=$BATS_TEST_TMPDIR/out; }

# classed ROW...: a workload file of rows src,dst,bytes,start_ns,class; prints its name.
classed()
{
	local file
	file=$(flows "$@")
	sed -i '1s/$/,class/' "$file"
	echo "$file"
}

# of FLOW COLUMN: from flows.csv.
of() { rows "$dir/flows.csv" "v[\"id\"] == $1 { print v[\"$2\"] }"; }

@test "classes: weighted turns share a link as the weights say" {
	for transport in roce irn; do
		for weights in 1,3 2,1 7,7 1,100; do
			low=${weights%,*} high=${weights#*,}
			twin "$dir" topology=star:n=3 transport=$transport workload=file:"$(classed 1,0,50000000,0,3 2,0,50000000,0,5)" \
				sched=wrr weights="1,1,1,$low,1,$high,1,1" stop_at=5ms fc=pfc
			share=$(awk "BEGIN { print $(of 1 received_bytes) * $low / $(of 0 received_bytes) / $high }")
			show "$transport, weights $weights: class 5 has $share of its share"
			holds "$share > 0.97 && $share < 1.03"
			holds "$(of 0 received_bytes) + $(of 1 received_bytes) > 0.98 * 5e-3 * 5e9 * 1000 / 1082"
		done
	done
}

@test "classes: strict priority lets the higher class have all of the link" {
	twin "$dir" topology=star:n=3 workload=file:"$(classed 1,0,3000000,0,3 2,0,3000000,0,5)"
	all_done "$dir"
	holds "$(of 1 slowdown) < 1.01 && $(of 0 slowdown) > 1.97 && $(of 0 slowdown) < 2.03"
	[ "$(of 0 class),$(of 1 class)" = 3,5 ]
	# and by number, not by row
	twin "$dir" topology=star:n=3 workload=file:"$(classed 1,0,3000000,0,7 2,0,3000000,0,5)"
	holds "$(of 0 slowdown) < 1.01 && $(of 1 slowdown) > 1.97"
}

@test "classes: a storm of PAUSE stops its class, and the others go on at full speed" {
	# at the host that sends both, at the one that receives both; the storm has reached the other end when they start
	for where in s0:p0:0,1:0,2 h1:0,1:2,1; do
		IFS=: read -r node port low high <<<"${where/#h1:/h1::}"
		twin "$dir" topology=star:n=3 workload=file:"$(classed "$low,3000000,20000,3" "$high,3000000,20000,5")" \
			fault="0us:pause=3:$node${port:+:$port}" stop_at=2ms
		[ "$(of 1 slowdown)" = 1.000000 ]
		[ "$(of 0 received_bytes)" -eq 0 ]
		# for a while only: then the other flow is there as well
		twin "$dir" topology=star:n=3 workload=file:"$(classed "$low,3000000,20000,3" "$high,3000000,20000,5")" \
			fault="0us-700us:pause=3:$node${port:+:$port}"
		all_done "$dir"
		[ "$(of 1 slowdown)" = 1.000000 ]
		holds "$(of 0 fct_ns) > 1330000 && $(of 0 fct_ns) < 1345000"
	done
}

@test "classes: answers go in the class of their flow, unless they have one of their own" {
	for op in write read; do
		# nothing of class 5 gets from h1's switch to h1, so no answer of class 5
		case=(topology=star:n=3 transport=irn timeouts=off fc=pfc op="$op" workload=file:"$(classed 1,2,1000000,20000,5)")
		twin "$dir" "${case[@]}" fault=0us:pause=5:h1 stop_at=2ms
		holds "$(of 0 received_bytes) < 300000"
		twin "$dir" "${case[@]}" fault=0us:pause=5:h1 ack_class=1
		[ "$(value "$dir" status)" = '"done"' ]
		[ "$(of 0 slowdown)" = 1.000000 ]
	done
}

@test "classes: flows draw theirs from class_mix=, and a run can be repeated from its configuration" {
	twin "$dir" topology=fat-tree:k=4 flows=300 class_mix=1,4,6 sched=wrr
	all_done "$dir"
	for class in 1 4 6; do
		holds "$(total "$dir/flows.csv" completed "v[\"class\"] == $class") > 70"
		holds "$(total "$dir/ports.csv" pause_tx_$class) > 0"
	done
	[ "$(total "$dir/ports.csv" pause_tx_3)" -eq 0 ]
	grep -qx 'class_mix=1,4,6' "$dir/config.txt"
	"$LOSSLAB" run --quiet --out "$dir.again" "$dir/config.txt"
	cmp "$dir/flows.csv" "$dir.again/flows.csv"
	# without it there is no column, and no class is another
	twin "$dir" topology=fat-tree:k=4 flows=300 class=4
	! head -1 "$dir/flows.csv" | grep -q class || false
	[ "$(total "$dir/ports.csv" pause_tx_4)" -eq "$(total "$dir/ports.csv" pause_tx)" ]
}

@test "classes: a shared buffer keeps reserves and headroom for the classes that there are, no fewer and no more" {
	# star:n=4 of 40 Gb/s and 2 us: four ports, each with reserve=4096 and 23739 of headroom per class, and a frame's worth
	case=(topology=star:n=4 buffer_mode=shared)
	one=$(bash -c "$LOSSLAB run --engine twin ${case[*]} flows=10 buffer=1500" 2>&1 | sed -n 's/.*, \([0-9]*\) for the reserves.*/\1/p')
	for classes in 3,5 0,1,2,3,4,5,6,7; do
		n=$(tr -cd 0-9 <<<"$classes" | wc -c)
		run -2 "$LOSSLAB" run --engine twin "${case[@]}" flows=300 class_mix=$classes buffer=1500
		[[ $output == *", $((n * one)) for the reserves"* ]]
		twin "$dir" "${case[@]}" flows=300 load=0.9 class_mix=$classes buffer=$((n * one + 2 * 1200))
		all_done "$dir"
		[ "$(value "$dir" dropped)" -eq 0 ]
		[ "$(value "$dir" pause_frames)" -gt 0 ]
	done
}

@test "pfc_classes: one class loses nothing, another drops, in one run" {
	rows=("1,0,2000000,0,3" "2,0,2000000,0,3" "3,0,2000000,0,5" "4,0,2000000,0,5")
	for buffers in "buffer=60KB" "buffer_mode=shared buffer=400KB"; do
		# shellcheck disable=SC2086 # words
		twin "$dir" topology=star:n=5 workload=file:"$(classed "${rows[@]}")" sched=wrr pfc_classes=3 $buffers
		all_done "$dir"
		[ "$(value "$dir" buffer)" -gt 0 ]
		[ "$(value "$dir" buffer)" -eq "$(value "$dir" dropped)" ]
		[ "$(total "$dir/flows.csv" retransmitted 'v["class"] == 3')" -eq 0 ]
		[ "$(total "$dir/flows.csv" nacks 'v["class"] == 3')" -eq 0 ]
		[ "$(total "$dir/flows.csv" retransmitted 'v["class"] == 5')" -ge "$(value "$dir" dropped)" ]
		[ "$(total "$dir/ports.csv" pause_tx_3)" -gt 0 ]
		[ "$(total "$dir/ports.csv" pause_tx_3)" -eq "$(value "$dir" pause_frames)" ]
		# under PFC all is lossless
		# shellcheck disable=SC2086
		twin "$dir" topology=star:n=5 workload=file:"$(classed "${rows[@]}")" sched=wrr pfc_classes=3,5 $buffers
		all_done "$dir"
		[ "$(value "$dir" dropped)" -eq 0 ]
		[ "$(total "$dir/ports.csv" pause_tx_5)" -gt 0 ]
	done
}

@test "pfc_classes: timeouts=auto is on where a class in use is not under PFC" {
	case=(topology=star:n=3 loss=0.01 stuck_after=5ms)
	stuck() {
		run -1 twin "$dir" "${case[@]}" "$@"
		[ "$(value "$dir" status)" = '"stuck"' ]
		[ "$(value "$dir" timeouts)" -eq 0 ]
	}
	done_() {
		twin "$dir" "${case[@]}" "$@"
		[ "$(value "$dir" status)" = '"done"' ]
		[ "$(value "$dir" timeouts)" -gt 0 ]
	}
	stuck flows=50 pfc_classes=3
	done_ flows=50 class=5 pfc_classes=3
	done_ flows=50 class_mix=3,5 pfc_classes=3
	done_ flows=50 ack_class=5 pfc_classes=3
	stuck workload=file:"$(classed 0,1,1000000,0,3 1,2,1000000,0,3)" pfc_classes=3
	done_ workload=file:"$(classed 0,1,1000000,0,3 1,2,1000000,0,4)" pfc_classes=3
	stuck flows=50 class_mix=3,5 pfc_classes=3,5
	done_ flows=50 class_mix=3,5 pfc_classes=3,5 timeouts=on
}

@test "pfc_classes: a shared buffer keeps headroom for these alone, and nobody pauses another class" {
	# four ports: 4096 of reserve for each class, 22849 of headroom for those under PFC
	case=(topology=star:n=4 buffer_mode=shared flows=300 "class_mix=1,3,5")
	run -2 "$LOSSLAB" run --engine twin "${case[@]}" pfc_classes=3 buffer=1500
	[[ $output == *", $((4 * (3 * 4096 + 22849))) for the reserves"* ]]
	run -2 "$LOSSLAB" run --engine twin "${case[@]}" pfc_classes=2,3,5 buffer=1500
	[[ $output == *", $((4 * (3 * 4096 + 2 * 22849))) for the reserves"* ]]
	refused 2 'fault 1us:pause=5:h0: 5: PFC does not cover this class; allowed: those of pfc_classes=' \
		"$LOSSLAB" run --engine twin topology=star:n=3 pfc_classes=3,4 fault=1us:pause=5:h0
	twin "$dir" topology=star:n=3 class=4 pfc_classes=3,4 flows=5 fault=1us-2us:pause=4:h0
	# a watchdog and a ring's deadlock know them as well: of class 3 the ring stands still, of class 5 it goes on
	run -1 twin "$dir" topology=ring:n=5 workload=permutation bytes=1MB buffer=60KB pfc_classes=3
	[ "$(value "$dir" status)" = '"deadlock"' ]
	twin "$dir" topology=ring:n=5 workload=permutation bytes=1MB buffer=60KB pfc_classes=3 class=5 transport=irn fc=pfc
	[ "$(value "$dir" status)" = '"done"' ]
	[ "$(value "$dir" pause_frames)" -eq 0 ]
	twin "$dir" topology=ring:n=5 workload=permutation bytes=1MB buffer=60KB pfc_classes=3 pfc_watchdog=100us
	[ "$(value "$dir" watchdog)" -gt 0 ]
}
