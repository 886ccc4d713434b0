# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Starting commands, waiting for them, and what must be true when they have ended.

# fall TEXT: the round has found something
fall() { fell+=("$1"); }

# sleep_ms N
sleep_ms() { sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"; }

# start COMMAND...: in the background, with signals as a shell's foreground has them, and a mark in the environment by
# which its children are known. Its pid is PID; what it says is in $T/out and $T/err. In a shell of its own, which keeps
# what bash says of jobs that are killed to itself.
start()
{
	rm -f "$T/pid" "$T/code"
	(
		env --default-signal=INT,TERM,HUP CHAOS_TAG="$TAG" "$@" >"$T/out" 2>"$T/err" &
		echo $! >"$T/pid.new" && mv "$T/pid.new" "$T/pid"
		wait $!
		echo $? >"$T/code.new" && mv "$T/code.new" "$T/code"
	) 2>/dev/null &
	until [ -e "$T/pid" ]; do sleep 0.001; done
	PID=$(cat "$T/pid")
	started+=("$PID")
}

gone() { ! grep -qs '^State:.[^ZX]' "/proc/$1/status"; }

# finish SECONDS WHAT: wait for PID; its exit code is CODE. What lasts longer is killed, and falls.
finish()
{
	local end=$((SECONDS + $1 + 1))

	until [ -e "$T/code" ]; do
		if [ $SECONDS -ge $end ]; then
			fall "$2: not over after $1 s"
			kill -KILL "$PID"
			end=$((end + 1000))
		fi
		sleep 0.02
	done
	# shellcheck disable=SC2034 # for the caller
	CODE=$(cat "$T/code")
}

# All processes that carry the mark of this round, one a line. (Zombies have no environment.)
marked()
{
	local f

	while read -r f; do
		f=${f#/proc/}
		echo "${f%/environ}"
	done < <(grep -lszF "CHAOS_TAG=$TAG" /proc/[0-9]*/environ)
}

end_started()
{
	local pid

	for pid in "${started[@]}"; do
		gone "$pid" || kill -KILL "$pid" 2>/dev/null
	done
	started=()
}

# sweep LAB: remove it if it is there at all
sweep() { [ ! -e "/run/losslab/$1" ] || "$LOSSLAB" down --name "$1" >/dev/null 2>"$T/sweep"; }

# The lab goes, and with it all that was its.
nothing_left()
{
	local i left

	sweep "$LAB" || fall "down: $(head -n 1 "$T/sweep")"
	for i in 1 2 3 4 5 6 7 8 9 10; do
		left=$(marked)
		[ -n "$left" ] || break
		sleep 0.2
	done
	[ -z "$left" ] || fall "processes left: $(for i in $left; do tr '\0' ' ' <"/proc/$i/cmdline"; done)"
	end_started
	for left in "/run/netns/$LAB-"*; do
		[ -e "$left" ] || continue
		fall "namespace left: ${left##*/}"
		ip netns del "${left##*/}" # or the next rounds fall, too
	done
	[ ! -e "/run/losslab/$LAB" ] || fall "/run/losslab/$LAB is left"
	left=$(find /sys/fs/bpf -name "*$LAB*" 2>/dev/null)
	[ -z "$left" ] || fall "pinned: $left"
}

# one_line WHAT: it has said one line, of the tool's form
one_line()
{
	[[ $(wc -l <"$T/err") = 1 && $(cat "$T/err") = losslab:\ * ]] || fall "$1: not one line: $(head -n 3 "$T/err" | tr '\n' '|')"
}

digest_of() { "$@" 2>/dev/null | sed -n 's/^  digest *//p'; }

# The run of most rounds; want is its digest.
reference_run()
{
	std=(workload=permutation bytes=3MB loss=0.001 transport=irn)
	want=$(digest_of "$LOSSLAB" run -q -e twin topology=star:n=4 "${std[@]}")
	[ -n "$want" ] || refuse "the twin gives no digest"
}

lab_up()
{
	"$LOSSLAB" up --name "$LAB" star:n=4 >/dev/null 2>"$T/up" || fall "up: $(head -n 1 "$T/up")"
}

start_run() { start "$LOSSLAB" run -q -e kernel -n "$LAB" "${std[@]}" "$@"; }

# same_digest WHAT: $T/out has the twin's
same_digest()
{
	local got

	got=$(sed -n 's/^  digest *//p' "$T/out")
	[ "$got" = "$want" ] || fall "$1: digest ${got:-none}, the twin's is $want"
}

# runs_again KEY=VALUE...: after whatever has happened, the lab runs as if nothing had.
runs_again()
{
	local got

	got=$(digest_of timeout 60 "$LOSSLAB" run -q -e kernel -n "$LAB" "${std[@]}" "$@")
	[ "$got" = "$want" ] || fall "the lab's next run: digest ${got:-none}, the twin's is $want"
}
