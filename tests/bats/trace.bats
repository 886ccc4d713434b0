#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# trace.csv has the same bytes on both engines: agents write it through shared memory, the twin directly.

load helpers
load ../twin/records
bats_require_minimum_version 1.5.0

@test "trace: kernel and twin, every loss recovery with loss, dcqcn's rate, and READ" {
	requires root veth kernel
	up star:n=4
	T=$BATS_TEST_TMPDIR
	while read -r event keys; do
		# shellcheck disable=SC2086 # words
		twin "$T/twin" topology=star:n=4 workload=incast bytes=60KB trace=all $keys
		# shellcheck disable=SC2086
		kernel "$T/kernel" workload=incast bytes=60KB trace=all $keys
		cmp "$T/twin/trace.csv" "$T/kernel/trace.csv"
		same_records "$T/twin" "$T/kernel"
		grep -q ",$event," "$T/kernel/trace.csv" || { echo "$keys: no $event"; return 1; }
	done <<-X
		resend transport=roce fc=none loss=0.01
		resend transport=irn loss=0.01
		resend transport=melo loss=0.01
		resend transport=iwarp loss=0.01
		cnp transport=irn cc=dcqcn kmin=2KB kmax=10KB pmax=0.5
		request transport=irn op=read message=10KB loss=0.02
	X
	[ "$(rows "$T/kernel/trace.csv" 'v["event"] == "request"' | wc -l)" -ge 18 ]
}
