#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The layers, proved from the #include lines: tests/lint_layers.sh [ROOT]. One line per finding; exit 1 if there is any.
#
# A folder is a layer. A row of the table says what its files may include besides their own folder: a folder, or one
# header of it. A row names only rows above it, so the graph of folders has no cycle; this script checks that as well.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 2

mapfile -t files < <(find agent bpf lab topo -name '*.[ch]' | sort)
# shellcheck disable=SC2016 # an awk program
awk -v table='
	bpf
	topo            bpf/types.h
	agent/alg       bpf
	agent/packet    bpf topo
	agent/recovery  bpf topo agent/alg agent/packet
	agent/cc        bpf topo agent/alg agent/packet agent/recovery
	agent/nic       bpf topo agent/packet agent/recovery agent/cc
	agent           bpf topo agent/packet agent/recovery agent/cc agent/nic
	lab             bpf topo
	lab/netlab      bpf topo lab
	lab/workload    bpf topo AGENT lab
	lab/config      bpf topo AGENT lab lab/netlab lab/workload
	lab/plan        bpf topo AGENT lab lab/netlab lab/workload lab/config
	lab/records     bpf topo AGENT lab lab/netlab lab/workload lab/config
	lab/engine      bpf topo AGENT lab lab/netlab lab/workload lab/config lab/plan lab/records
	lab/run         bpf topo AGENT lab lab/netlab lab/workload lab/config lab/plan lab/records lab/engine
	lab/cmd         bpf topo AGENT lab lab/netlab lab/workload lab/config lab/plan lab/records lab/engine lab/run
' '
	function folder(path) { return sub(/\/[^\/]*$/, "", path) ? path : "" }

	BEGIN {
		gsub("AGENT", "agent agent/alg agent/packet agent/recovery agent/cc agent/nic", table)
		rows = split(table, row, "\n")
		for (i = 1; i <= rows; i++) {
			words = split(row[i], word)
			if (!words)
				continue
			for (w = 2; w <= words; w++) {
				if (!(word[w] in known) && !(folder(word[w]) in known)) {
					printf "tests/lint_layers.sh: %s may include %s, which has no row above it\n", word[1], word[w]
					bad = 1
				}
				may[word[1], word[w]] = 1
			}
			known[word[1]] = 1
		}
	}

	FNR == 1 {
		from = folder(FILENAME)
		if (!(from in known)) {
			printf "%s:1: tests/lint_layers.sh has no row for the folder %s\n", FILENAME, from
			bad = 1
		}
	}

	from in known && match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/) {
		header = $0
		gsub(/^[^"]*"|".*$/, "", header)
		to = folder(header)
		if (to == from || (from, to) in may || (from, header) in may)
			next
		printf "%s:%d: %s must not include %s\n", FILENAME, FNR, from, header
		bad = 1
	}

	END { exit bad }
' "${files[@]}"
