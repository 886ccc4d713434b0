#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# What a new user types first, and gets wrong: where things are found, and what is said when they are not.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

setup()
{
	lab_setup
	T=$BATS_TEST_TMPDIR
}

# bad PATTERN WORD...: refused by run as usage, exit 2, on the twin.
bad() { refused 2 "$1" "$LOSSLAB" run -q -e twin "${@:2}"; }

@test "words: an installed losslab has its generators and scenarios wherever it is called" {
	make -s -C "$REPO" install DESTDIR="$T/root" PREFIX=/usr >"$T/said" 2>&1 || { cat "$T/said"; false; }
	cd "$T"
	env -u LOSSLAB_TOPO "$T/root/usr/bin/losslab" run -q -e twin scenarios/congestion flows=20 out="$T/out"
	for d in "$T"/out/*; do all_done "$d"; done
	grep -qx topology=star:n=3 <(env -u LOSSLAB_TOPO "$T/root/usr/bin/losslab" run -q -e twin topology=star:n=3 flows=1 out="$T/star" >/dev/null
		cat "$T/star/config.txt")
	# what is here goes before what is installed; a scenario's flows lie beside it in either place
	mkdir -p scenarios/congestion
	echo 'colour=red' >scenarios/congestion/scenario
	refused 2 '^losslab: scenarios/congestion/scenario:1: colour' env -u LOSSLAB_TOPO "$T/root/usr/bin/losslab" run -q -e twin scenarios/congestion
	env -u LOSSLAB_TOPO "$T/root/usr/bin/losslab" run -q -e twin scenarios/victim out="$T/victim"
	cmp "$T/root/usr/share/losslab/scenarios/victim/flows.csv" "$T/victim/1/workload"
	refused 2 '^losslab: .*scenarios/nothing' "$T/root/usr/bin/losslab" run -q -e twin scenarios/nothing
}

# Whoever copies an example into a shell meets a run that ends well.
@test "words: the examples of faults in README.md and lab/plan/FAULTS.md end well" {
	n=0
	for file in README.md lab/plan/FAULTS.md; do
		while read -r line; do
			line=${line//losslab run/\"\$LOSSLAB\" run -q -e twin out=\"\$T\"/$n}
			echo "$line"
			eval "$line" >"$T/said" 2>&1 || { cat "$T/said"; false; }
			all_done "$T/$n"
			[ "$(value "$T/$n" dropped)" -gt 0 ]
			n=$((n + 1))
		done < <(grep -oE 'losslab run [a-z=]* ?fault="[0-9][^"]*"' "$REPO/$file")
	done
	[ "$n" -eq 2 ]
}

@test "words: what is no scenario, and no key" {
	bad "^losslab: scenario fc: No such file.*; settings are KEY=VALUE, losslab run --help lists the keys" fc
	bad "^losslab: scenario .*scenarios: a folder of scenarios; allowed: one of them: congestion, deadlock, .*, victim$" "$REPO/scenarios"
	mkdir "$T/empty"
	bad "^losslab: scenario $T/empty: a folder without a file named \"scenario\"" "$T/empty"
	bad '^losslab: foo: no such key; losslab run --help lists them' foo=bar
	bad '^losslab: xo: no such key; did you mean xo' xo=bar
	bad '^losslab: sed: no such key; did you mean seed' sed=1
}

@test "words: the summary of a run with credits speaks of credit frames" {
	keys=(-q -e twin topology=star:n=3 workload=incast bytes=100KB)
	run "$LOSSLAB" run "${keys[@]}" fc=credit out="$T/out"
	[[ $output == *"  fabric       $(value "$T/out" resume_frames) credit frames, 0 ECN marks"* ]]
	[ "$(value "$T/out" resume_frames)" -gt 0 ]
	[[ $output != *PAUSE* ]]
	[[ $("$LOSSLAB" run "${keys[@]}") =~ "fabric       "[0-9]+" PAUSE, "[0-9]+" resume, " ]]
	printf '%s\n' topology=star:n=3 workload=incast '[a]' fc=credit '[b]' fc=pfc >"$T/two"
	"$LOSSLAB" run -q -e twin "$T/two" >"$T/table"
	awk '/^a / { a = $6 } /^b / { b = $6 } END { exit !(a == "-" && b ~ /^[0-9]+$/) }' "$T/table"
}
