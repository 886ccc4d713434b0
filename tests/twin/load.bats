#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Loads: the same flows for all transports, and what is reported of the links' use.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

setup() { dir=$BATS_TEST_TMPDIR/out; }

# offered DIR: id, src, dst, bytes and start of all flows.
offered() { cut -d, -f1-5 "$1/flows.csv"; }

transports() { "$LOSSLAB" run --list transport | awk '{ print $1 }'; }

@test "load: all transports get the same flows" {
	local n=0 first=

	for transport in $(transports); do
		twin "$dir.$transport" topology=fat-tree:k=4 flows=60 load=0.655 transport="$transport"
		first=${first:-$transport}
		cmp <(offered "$dir.$first") <(offered "$dir.$transport")
		n=$((n + 1))
	done
	[ "$n" -ge 6 ]
	for more in "transport=irn reth=all" "cc=dcqcn" "transport=irn cc=timely fc=none" "op=read" "op=send"; do
		# shellcheck disable=SC2086  # words
		twin "$dir" topology=fat-tree:k=4 flows=60 load=0.655 $more
		cmp <(offered "$dir.$first") <(offered "$dir")
	done
	[ "$(value "$dir" load)" = 0.655 ]
	[ "$(value "$dir" load_of)" = '"wire"' ]
}

@test "load: of payload, the flows come closer together than of the wire" {
	twin "$dir" topology=star:n=4 flows=50
	twin "$dir.p" topology=star:n=4 flows=50 load_of=payload
	cmp <(cut -d, -f1-4 "$dir/flows.csv") <(cut -d, -f1-4 "$dir.p/flows.csv")
	# 182,372 / 168,497 = 1.0823; starts are whole ns
	for d in "$dir" "$dir.p"; do tail -n 1 "$d/flows.csv" | cut -d, -f5; done | {
		read -r wire
		read -r payload
		holds "(r = $wire / $payload) > 1.0822 && r < 1.0824"
	}
}

# tiers KEY: of each tier in the summary of $dir.
tiers() { jq ".utilisation.tiers[].$1" "$dir/summary.json"; }

# Two flows of 1 MB, 1 ms apart: 1000 packets of 1082 bytes on the wire and a RETH, 1000 ACKs of 86 bytes, over two
# links of 200 ps per byte each; six ports.
@test "utilisation: of a star by hand" {
	twin "$dir" topology=star:n=3 workload=file:"$(flows h0,h1,1000000,0 1,h2,1000000,1000000)"
	all_done "$dir"
	[ "$(value "$dir" over_ns)" = 1000000.000 ]
	[ "$(tiers ports)" = 6 ]
	holds "(d = $(tiers mean) - 4 * (1082016 + 86000) * 200 / 6e9) < 1e-6 && d > -1e-6"
	# h1 sends ACKs and a flow of its own
	holds "(d = $(tiers busiest) - (1082016 + 86000) * 200 / 1e9) < 1e-6 && d > -1e-6"
	[ "$(value "$dir" load)" = null ]
}

@test "utilisation: a fat-tree has three tiers; without arrivals there is none" {
	twin "$dir" topology=fat-tree:k=4 flows=100
	[ "$(tiers tier | tr '\n' ' ')" = "0 1 2 " ]
	[ "$(tiers ports | tr '\n' ' ')" = "32 32 32 " ]
	twin "$dir" topology=star:n=3 workload=incast
	[ "$(value "$dir" over_ns)" = 0.000 ]
	grep -q '"tiers": \[\]' "$dir/summary.json"
}

@test "workload file: hosts by name or by number are the same run" {
	twin "$dir" topology=star:n=3 workload=file:"$(flows h0,h1,50000,0 h2,h1,70000,5)"
	twin "$dir.n" topology=star:n=3 workload=file:"$(flows 0,1,50000,0 2,1,70000,5)"
	cmp "$dir/flows.csv" "$dir.n/flows.csv"
	run -2 "$LOSSLAB" run -q -e twin topology=star:n=3 workload=file:"$(flows h0,h3,1,0)"
	[[ $output == *":2: dst 'h3': the network has no host of that name"* ]]
}

@test "incast over background traffic: striped, repeated, and repeated from its records" {
	twin "$dir" topology=fat-tree:k=4 workload=incast senders=6 bytes=100KB stripe=on repeat=3 background=0.3 \
		background_sizes=uniform:1KB-9KB transport=irn
	all_done "$dir"
	[ "$(total "$dir/flows.csv" bytes 'v["bytes"] > 9000')" -eq 300000 ]
	[ "$(value "$dir" load)" = 0.3 ]
	(cd "$dir" && "$LOSSLAB" run -q -e twin --out ../again config.txt >/dev/null)
	cmp "$dir/flows.csv" "$BATS_TEST_TMPDIR/again/flows.csv"
}

@test "a scenario in another folder: uniform: is no path, cdf: is" {
	mkdir "$BATS_TEST_TMPDIR/s"
	printf '999 0\n1000 100\n' >"$BATS_TEST_TMPDIR/s/sizes"
	printf 'topology=star:n=3\nflows=5\n[uniform]\nworkload=uniform:7KB-7KB\n[cdf]\nworkload=cdf:sizes\n' \
		>"$BATS_TEST_TMPDIR/s/scenario"
	"$LOSSLAB" run -q -e twin --out "$dir" "$BATS_TEST_TMPDIR/s" >/dev/null
	[ "$(total "$dir/1/flows.csv" bytes)" -eq 35000 ]
	[ "$(total "$dir/2/flows.csv" bytes)" -eq 5000 ]
}

@test "keys of other workloads are refused" {
	no() { refused 2 "$1" "$LOSSLAB" run -q -e twin "${@:2}"; }

	no "pattern=half: workload=permutation says itself" workload=permutation pattern=half
	no "background=0.5: workload=heavy-tailed does not use it; allowed: with workload=incast" background=0.5
	no "stripe=on: workload=permutation does not use it" workload=permutation stripe=on
	no "background_sizes=websearch: no such flows" workload=incast background_sizes=websearch
	no "duration=1000000ns: workload=incast" workload=incast duration=1ms
}
