#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line: help, the man page, where files are found, and the messages when they are not.

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

@test "cli: an installed losslab has its generators and scenarios wherever it is called" {
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
@test "cli: the examples of faults in README.md and lab/plan/FAULTS.md run to their end" {
	n=0
	for file in README.md lab/plan/FAULTS.md; do
		while read -r line; do
			line=${line//losslab run/\"\$LOSSLAB\" run -q -e twin out=\"\$T\"/$n}
			echo "$line"
			eval "$line" >"$T/said" 2>&1 || { cat "$T/said"; false; }
			all_done "$T/$n"
			[ "$(value "$T/$n" dropped)" -gt 0 ]
			n=$((n + 1))
		done < <(grep -oE 'losslab run [a-z=]* ?fault="?[0-9][^" ]*"?' "$REPO/$file")
	done
	[ "$n" -ge 1 ]
}

@test "cli: what is no scenario, and no key" {
	bad "^losslab: scenario fc: No such file.*; settings are KEY=VALUE, losslab run --help lists the keys" fc
	bad "^losslab: scenario .*scenarios: a folder of scenarios; allowed: one of them: congestion, deadlock, .*, victim$" "$REPO/scenarios"
	mkdir "$T/empty"
	bad "^losslab: scenario $T/empty: a folder without a file named \"scenario\"" "$T/empty"
	bad '^losslab: foo: no such key; losslab run --help lists them' foo=bar
	bad '^losslab: xo: no such key; did you mean xo' xo=bar
	bad '^losslab: sed: no such key; did you mean seed' sed=1
}

@test "cli: the summary of a run with credits speaks of credit frames" {
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

# Lines of more than 80 characters.
wide() { LC_ALL=C.UTF-8 awk 'length > 80 { print FILENAME ": " $0; bad = 1 } END { exit !bad }' "$@"; }

# Of the table: CMD_LIST in lab/cmd/cmd.h.
commands() { sed -n '/^#define CMD_LIST/,/[^\\]$/s/.*CMD_LIST(row)//p' "$REPO/lab/cmd/cmd.h" | grep -oE 'row\([a-z]+\)' | sed 's/row(\(.*\))/\1/'; }

@test "cli: every command has its help, in lines of 80 columns" {
	[ "$(commands | wc -l)" -ge 8 ]
	mkdir "$T/help"
	"$LOSSLAB" --help >"$T/help/all"
	cmp "$T/help/all" <("$LOSSLAB" help)
	for c in $(commands); do
		grep -qE "^  $c +[a-z]" "$T/help/all"
		"$LOSSLAB" "$c" --help >"$T/help/$c"
		cmp "$T/help/$c" <("$LOSSLAB" help "$c")
		head -1 "$T/help/$c" | grep -q "^usage: losslab $c "
		grep -q -- '-h, --help' "$T/help/$c"
		if grep -q -- '--json' "$T/help/$c"; then
			grep -q '^      --json ' "$T/help/$c"
			refused 2 "option -j: unknown" "$LOSSLAB" "$c" -j
		fi
	done
	run ! wide "$T/help"/*
	"$LOSSLAB" --version | grep -E '^losslab [0-9]+\.[0-9]+'
	refused 2 'command nonsense: unknown' "$LOSSLAB" help nonsense
}

@test "cli: the man page has every command, option, key and exit code, and man finds nothing to warn about" {
	requires man
	"$LOSSLAB" --man >"$T/losslab.1"
	man -l --warnings "$T/losslab.1" >"$T/text" 2>"$T/warnings"
	[ ! -s "$T/warnings" ]
	MANWIDTH=1000 man -l "$T/losslab.1" | sed 's/.\x08//g; s/‐/-/g' >"$T/text"
	for c in $(commands); do
		grep -qF "losslab $c " "$T/text"
		# as the help has them: "  -n, --name LAB", "      --json", "  key   ..."
		while read -r what; do
			grep -qE -- "^ +$what( |\$)" "$T/text" || { echo "$c: $what"; false; }
		done < <("$LOSSLAB" "$c" --help | grep -oE -- '^ +(-[a-z], )?--[a-z-]+' | sed 's/^ *//')
	done
	n=0
	while read -r key; do
		grep -qE "^ +$key( |\$)" "$T/text" || { echo "key $key"; false; }
		n=$((n + 1))
	done < <("$LOSSLAB" run -q -e twin topology=star:n=2 flows=1 out="$T/out" >/dev/null; cut -d= -f1 "$T/out/config.txt")
	[ "$n" -gt 80 ]
	for code in 0 1 2 3; do grep -qE "^ +$code +[a-z]" "$T/text"; done
}

@test "cli: symlink loops and files that cannot be read: exit 2 and the reason" {
	ln -s loop "$T/loop"
	why='Too many levels of symbolic links'
	bad "$why" topology="$T/loop"
	bad "$why" topology=star:n=2 workload=file:"$T/loop"
	bad "$why" topology=star:n=2 workload=cdf:"$T/loop"
	bad "$why" topology=star:n=2 fault_file="$T/loop"
	bad "$why" "$T/loop"
	refused 2 "$why" "$LOSSLAB" ports "$T/loop"
	# opened well, and then not readable: a process's memory at address 0
	why='Input/output error'
	bad "$why" topology=/proc/self/mem
	bad "$why" topology=star:n=2 workload=file:/proc/self/mem
	bad "$why" topology=star:n=2 fault_file=/proc/self/mem
	bad "$why" /proc/self/mem
}

# No byte of these steers a terminal: ESC and the like from names, labels and files.
plain() { ! LC_ALL=C grep -n '[[:cntrl:]]' "$1"; }

@test "cli: control characters from outside never reach the terminal" {
	esc=$'\e[2J\a'
	twin "$T/out" topology=star:n=2 flows=2
	sed -i "2s/^[^,]*,/${esc//[/\\[}x,/" "$T/out/ports.csv"
	LC_ALL=C grep -q $'\e' "$T/out/ports.csv"
	"$LOSSLAB" ports "$T/out" >"$T/said"
	plain "$T/said"
	"$LOSSLAB" ports --all "$T/out" >"$T/said"
	plain "$T/said"
	printf 'title %s\nhost h0\nhost h1\nswitch s0\nlink h0 s0 40gbit 2us\nlink h1 s0 40gbit 2us\n' "$esc" >"$T/topology"
	refused 2 "only ASCII text" "$LOSSLAB" run -q -e twin topology="$T/topology" flows=2
	plain <(echo "$output")
	printf 'topology=star:n=2\nflows=2\n[a%s]\n[b]\nseed=2\n' "$esc" >"$T/scenario"
	"$LOSSLAB" run -q -e twin "$T/scenario" >"$T/said"
	plain "$T/said"
	for word in "no$esc" "seed=$esc" "topology=$esc" "$esc=1" "-$esc"; do
		"$LOSSLAB" run -q -e twin "$word" >"$T/said" 2>&1 || :
		plain "$T/said"
	done
	"$LOSSLAB" "x$esc" >"$T/said" 2>&1 || :
	plain "$T/said"
}

# fd 2 must not be given to a file of the run.
@test "cli: a closed stdin, stdout or stderr" {
	twin "$T/a" topology=star:n=3 flows=20
	"$LOSSLAB" run -e twin topology=star:n=3 flows=20 out="$T/b" <&- 2>&-
	same_records "$T/a" "$T/b"
	run "$LOSSLAB" run -e twin nonsense=1 2>&-
	[ "$status" -eq 2 ]
	# shellcheck disable=SC2016 # for the inner shell
	refused 1 'stdout: cannot be written' bash -c '"$1" run -q -e twin topology=star:n=3 flows=20 >&-' - "$LOSSLAB"
}
