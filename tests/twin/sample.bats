#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Samples of the switch ports: at their instants, what ports.csv says in all, and nothing else of a run changes.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

# Packet 0 (1074 bytes) begins to leave the switch at 2219.6 ns, the k-th after it (1058) at 2439.2 + 216.4 (k - 1).
@test "sample: a lone flow, counted by hand" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=star:n=3 transport=irn-nobdp workload=file:"$(flows 0,1,1000000,0)" sample=10us stop_at=35us
	[ "$(head -1 "$dir/samples.csv")" = time_ns,node,port,queue_bytes,buffer_bytes,paused,tx_bytes,rx_bytes ]
	got=$(rows "$dir/samples.csv" 'v["port"] == 1 { print v["time_ns"], v["tx_bytes"] }')
	want=$(awk 'BEGIN {
		for (t = 10000; t <= 30000; t += 10000) {
			bytes = 1074
			for (k = 1; 2439.2 + 216.4 * (k - 1) < t; k++) bytes += 1058
			printf "%d.000 %d\n", t, bytes - last
			last = bytes
		}
	}')
	[ "$got" = "$want" ]
	# and what came from h0: packet 0 (1074 + 24 bytes) is there at 2219.6 ns, the k-th after it 216.4 k later
	got=$(rows "$dir/samples.csv" 'v["port"] == 0 { print v["time_ns"], v["rx_bytes"] }')
	want=$(awk 'BEGIN {
		for (t = 10000; t <= 30000; t += 10000) {
			bytes = 1074
			for (k = 1; 2219.6 + 216.4 * k < t; k++) bytes += 1058
			printf "%d.000 %d\n", t, bytes - last
			last = bytes
		}
	}')
	[ "$got" = "$want" ]
	[ -z "$(rows "$dir/samples.csv" 'v["port"] == 2')" ] # h2 takes no part
}

@test "sample: what it says is within what ports.csv says, and pauses show" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=star:n=4 workload=incast bytes=500KB buffer=60KB sample=1us
	all_done "$dir"
	rows "$dir/samples.csv" '{
		tx += v["tx_bytes"]
		if (v["queue_bytes"] > queue) queue = v["queue_bytes"]
		if (v["time_ns"] % 1000 || v["time_ns"] < last) exit 1
		last = v["time_ns"]
	}
	END { print tx, queue }' >"$BATS_TEST_TMPDIR/sums"
	read -r tx queue <"$BATS_TEST_TMPDIR/sums"
	[ "$tx" -le "$(rows "$dir/ports.csv" 'v["node"] == "s0" { sum += v["tx_bytes"] } END { print sum }')" ]
	[ "$tx" -ge $(($(rows "$dir/ports.csv" 'v["node"] == "s0" { sum += v["tx_bytes"] } END { print sum }') - 20000)) ]
	most=$(rows "$dir/ports.csv" 'v["node"] == "s0" && v["port"] == 0 { print v["max_queue_bytes"] }')
	[ "$queue" -le "$most" ] && [ "$queue" -gt $((most / 2)) ]
	# a storm of class 3 for the switch: paused is 8 from the first sample in it to the first one after it
	twin "$dir" topology=star:n=3 workload=file:"$(flows 1,2,1000000,0)" fault=50us-100us:pause=3:h0 sample=10us
	[ "$(rows "$dir/samples.csv" 'v["port"] == 0 { print v["time_ns"], v["paused"] }' | tr '\n' ' ')" = "60000.000 8 110000.000 0 " ]
}

# Without a drop, what has come to the switch and not left it is in its buffers, and waits in its queues, at each sample:
# those of a port without a row are as in its last one.
@test "sample: received less sent is what is held, and a port where nothing changes has no row" {
	dir=$BATS_TEST_TMPDIR/out
	for keys in "workload=incast bytes=500KB buffer=60KB" "flows=200 load=0.9" \
		"workload=incast bytes=100KB fault=50us-5ms:pause=3:h0;50us-5ms:pause=3:h1"; do
		# shellcheck disable=SC2086 # words
		twin "$dir" topology=star:n=4 sample=1us $keys
		[ "$(value "$dir" dropped)" -eq 0 ]
		rows "$dir/samples.csv" '
			function check() { if (held != queues || came != held) { print last ": " came, held, queues; bad = 1; exit } }
			v["time_ns"] != last { check(); last = v["time_ns"] }
			{
				p = v["port"]
				if (v["rx_bytes"] + v["tx_bytes"] == 0 && v["buffer_bytes"] == buffer[p] + 0 && v["queue_bytes"] == queue[p] + 0 &&
					v["paused"] == paused[p] + 0) { print "nothing new: " last, p; bad = 1; exit }
				came += v["rx_bytes"] - v["tx_bytes"]
				held += v["buffer_bytes"] - buffer[p]; buffer[p] = v["buffer_bytes"]
				queues += v["queue_bytes"] - queue[p]; queue[p] = v["queue_bytes"]
				paused[p] = v["paused"]; most = held > most ? held : most
			}
			END { if (!bad) check(); exit bad || most < 10000 }'
	done
	# of 5,000 samples during the storm
	[ "$(wc -l <"$dir/samples.csv")" -lt 500 ]
}

@test "sample: changes nothing else, and is not left over from an earlier run" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir.plain" topology=star:n=4 flows=100 buffer=60KB
	[ ! -e "$dir.plain/samples.csv" ]
	twin "$dir" topology=star:n=4 flows=100 buffer=60KB sample=777ns
	cmp "$dir.plain/flows.csv" "$dir/flows.csv"
	cmp "$dir.plain/ports.csv" "$dir/ports.csv"
	cmp "$dir.plain/hosts.csv" "$dir/hosts.csv"
	[ -s "$dir/samples.csv" ]
	twin "$dir" topology=star:n=4 flows=100
	[ -z "$(find "$dir" -name "*sample*")" ]
	refused 2 'sample= needs out=DIR' "$LOSSLAB" run -q -e twin topology=star:n=4 flows=100 sample=1us
}

@test "sample: samples that could not be kept fail the run, and there is no summary.json" {
	dir=$BATS_TEST_TMPDIR/out
	run -1 --separate-stderr bash -c "trap '' XFSZ; ulimit -f 400; exec '$LOSSLAB' run -q -e twin flows=200 sample=1us out='$dir'"
	# shellcheck disable=SC2154 # stderr is set by run
	[[ $stderr == *"samples.csv: "* ]]
	[ ! -e "$dir/summary.json" ]
}

# 100 seconds in which nothing happens are 10^11 samples; each would take its time. The same rows without that rest, which
# is a whole number of samples.
@test "sample: a rest costs nothing and changes no row" {
	dir=$BATS_TEST_TMPDIR/out
	lone=(topology=star:n=3 transport=irn sample=1ns)
	timeout -s KILL 30 "$LOSSLAB" run -q -e twin "${lone[@]}" workload=file:"$(flows 0,1,20000,0 1,2,20000,100000000000)" out="$dir" >/dev/null
	[ "$(value "$dir" status)" = '"done"' ]
	timeout -s KILL 30 "$LOSSLAB" run -q -e twin "${lone[@]}" workload=file:"$(flows 0,1,20000,0 1,2,20000,100000)" out="$dir.2" >/dev/null
	row='print (t > 1e11 ? t - 1e11 + 1e5 : t + 0), v["node"], v["port"], v["queue_bytes"], v["buffer_bytes"], v["tx_bytes"], v["rx_bytes"]'
	diff <(rows "$dir/samples.csv" "{ t = v[\"time_ns\"]; $row }") <(rows "$dir.2/samples.csv" "{ t = v[\"time_ns\"]; $row }")
	[ "$(rows "$dir/samples.csv" 'v["time_ns"] > 1e11 { n++ } END { print n }')" -gt 50 ]
}
