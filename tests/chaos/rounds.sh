# shellcheck shell=bash disable=SC2153,SC2154 # CODE and others are the other files'
# SPDX-License-Identifier: GPL-2.0-or-later
# The kinds of rounds. Each sets note, and calls fall for what it finds.

records=(flows.csv ports.csv hosts.csv samples.csv)

# What summary.json says of the run, without the machine and the engine.
summary_of() { grep -vE '"(engine|topology|wall_s|cpu_s|peak_rss_kb|hops_per_cpu_s)":' "$1/summary.json"; }

# Draw configurations until the twin takes one; those refused must be refused by the kernel engine, too. CODE is the
# twin's.
draw_accepted()
{
	local tries

	for tries in 1 2 3 4 5 6 7 8 9 10; do
		draw_config
		note="config: $topology ${config[*]}"
		rm -rf "${T:?}/twin"
		start "$LOSSLAB" run -q -e twin "topology=$topology" "out=$T/twin" "${config[@]}"
		finish 60 twin
		cp "$T/err" "$T/twin.err"
		[ "$CODE" = 2 ] || return
		one_line "the twin's refusal"
		refused=$((refused + 1))
		[ "$tries" = 1 ] || continue
		start "$LOSSLAB" run -q -e kernel "topology=$topology" "${config[@]}"
		finish 60 kernel
		[ "$CODE" = 2 ] && cmp -s "$T/err" "$T/twin.err" && continue
		fall "refused by the twin: $(head -n 1 "$T/twin.err"); kernel, code $CODE: $(head -n 1 "$T/err")"
		CODE=2
		return
	done
	CODE=2
}

# A random configuration: both engines end alike, and write the same records.
round_config()
{
	local code f

	draw_accepted
	code=$CODE
	[ "$code" != 2 ] || return
	[[ $code = [01] ]] || fall "the twin's exit code is $code: $(head -n 1 "$T/err")"
	"$LOSSLAB" up --name "$LAB" "$topology" >/dev/null || fall "up $topology"
	start "$LOSSLAB" run -q -e kernel -n "$LAB" "out=$T/kernel" "${config[@]}"
	finish 120 kernel
	[ "$CODE" = "$code" ] || fall "exit codes: twin $code, kernel $CODE: $(head -n 1 "$T/err")"
	[ "$code" = 0 ] || cmp -s "$T/err" "$T/twin.err" ||
		fall "lines: twin '$(head -n 1 "$T/twin.err")', kernel '$(head -n 1 "$T/err")'"
	[ -e "$T/twin/summary.json" ] || return
	for f in "${records[@]}"; do
		[ ! -e "$T/twin/$f" ] || cmp "$T/twin/$f" "$T/kernel/$f" >"$T/cmp" 2>&1 || fall "$(head -n 1 "$T/cmp")"
	done
	diff <(summary_of "$T/twin") <(summary_of "$T/kernel") >"$T/diff" || fall "summary.json: $(head -n 3 "$T/diff" | tr '\n' '|')"
}

# A run, an agent of it, up or down is hit by a signal at some moment.
round_kill()
{
	local target signal ms victim left agents=()

	pick run agent up down
	target=$REPLY
	pick KILL KILL INT TERM HUP
	signal=$REPLY
	case $target in
	run) draw 700 ;;
	agent) draw 400 && REPLY=$((REPLY + 100)) ;;
	*) draw 60 ;;
	esac
	ms=$REPLY
	[ "$target" != agent ] || signal=KILL
	note="kill: SIG$signal to $target after $ms ms"
	if [ "$target" != up ]; then
		lab_up
	fi
	case $target in
	run | agent) start_run "out=$T/o" ;;
	up) start "$LOSSLAB" up --name "$LAB" fat-tree:k=4 ;;
	down) start "$LOSSLAB" down --name "$LAB" ;;
	esac
	sleep_ms "$ms"
	victim=$PID
	if [ "$target" = agent ]; then
		read -ra agents 2>/dev/null <"/proc/$PID/task/$PID/children"
		draw 4
		victim=${agents[$REPLY]:-}
	fi
	[ -z "$victim" ] || kill "-$signal" "$victim" 2>/dev/null
	finish 30 "$note"
	note+=": code $CODE"
	check_killed "$target" "$signal"
	[ "$target" = run ] || [ "$target" = agent ] || return
	runs_again "out=$T/o"
	left=$(find "$T/o" -name '.*' -type f)
	[ -z "$left" ] || fall "left in the directory of records: $left"
	grep -q "\"digest\": \"$want\"" "$T/o/summary.json" || fall "summary.json is not the last run's"
}

# check_killed TARGET SIGNAL: it has ended as documented
check_killed()
{
	case $CODE in
	0) [ "$1" != run ] || same_digest "a run that was over" ;;
	137) [ "$2" = KILL ] || fall "$1: exit code 137 after SIG$2" ;;
	1 | 2 | 3 | 129 | 130 | 143)
		# the kernel's default action before the tool has set its own says nothing
		[[ ! -s $T/err && $CODE -gt 128 ]] || one_line "$1 after SIG$2"
		;;
	*) fall "$1: exit code $CODE after SIG$2: $(head -n 1 "$T/err")" ;;
	esac
}

# Conductor and agents stand still for a while, now and then: the same digest.
round_stop()
{
	local n=0 ms victims

	lab_up
	start_run
	while [ $n -lt 4 ] && ! gone "$PID"; do
		draw 300
		sleep_ms "$REPLY"
		victims=()
		read -ra victims 2>/dev/null <"/proc/$PID/task/$PID/children"
		victims+=("$PID")
		draw ${#victims[@]}
		draw 1200
		ms=$REPLY
		pick "${victims[@]}"
		kill -STOP "$REPLY" 2>/dev/null || break
		sleep_ms "$ms"
		kill -CONT "$REPLY"
		n=$((n + 1))
	done
	note="stop: of conductor or agents"
	finish 60 "$note"
	[ "$CODE" = 0 ] || fall "exit code $CODE: $(head -n 1 "$T/err")"
	same_digest "$note"
}

# how many calls the library has counted
calls() { cat "$T/calls" 2>/dev/null || echo 1; }

# One system call of up, run or down fails.
round_fail()
{
	local target n errno command

	pick up run run down
	target=$REPLY
	pick 12 5 28 24 1 105 4
	errno=$REPLY
	case $target in
	up) command=("$LOSSLAB" up --name "$LAB" star:n=4) ;;
	run) command=("$LOSSLAB" run -q -e kernel -n "$LAB" "${std[@]}" "out=$T/o") ;;
	down) command=("$LOSSLAB" down --name "$LAB") ;;
	esac
	# how many calls there are: most of a run's come before its first window, so half the draws are from those
	[ "$target" = up ] || lab_up
	CHAOS_TAG=$TAG CHAOS_COUNT=$T/calls LD_PRELOAD=$HELPERS/inject.so "${command[@]}" >/dev/null 2>&1
	[ "$target" = run ] || sweep "$LAB"
	[ "$target" != down ] || lab_up
	n=$(calls)
	rm -rf "${T:?}/o"
	in_ten 5 && n=$((n < 3000 ? n : 3000))
	draw "$n"
	n=$((REPLY + 1))
	note="fail: call $n of $target, errno $errno"
	start env "CHAOS_FAIL=$n:$errno" "LD_PRELOAD=$HELPERS/inject.so" "${command[@]}"
	finish 60 "$note"
	note+=": code $CODE"
	case $CODE in
	0) [ "$target" != run ] || same_digest "$note" ;;
	1 | 2 | 3) one_line "$note" ;;
	*) fall "$note: exit code $CODE: $(head -n 1 "$T/err")" ;;
	esac
	[ "$target" != run ] || runs_again
	[ "$target" != up ] || [ "$CODE" = 0 ] || [ ! -e "/run/losslab/$LAB" ] || "$LOSSLAB" status --name "$LAB" >/dev/null 2>&1
}

# Frames that are not the lab's, out of a host and out of the switch: counted, and nothing else.
round_foreign()
{
	local place gap foreign

	lab_up
	pick "h0 eth0" "h1 eth0" "s0 p0" "s0 p3"
	place=$REPLY
	pick 200 1000 5000
	gap=$REPLY
	draw 1000000
	note="foreign: frames every $gap us from $place"
	# shellcheck disable=SC2086 # words
	ip netns exec "$LAB-${place% *}" env CHAOS_TAG="$TAG" "$HELPERS/frames" "${place#* }" 30000 "$gap" "$REPLY" >/dev/null 2>&1 &
	started+=($!)
	disown
	start_run "out=$T/o"
	finish 60 "$note"
	end_started
	[ "$CODE" = 0 ] || fall "exit code $CODE: $(head -n 1 "$T/err")"
	same_digest "$note"
	foreign=$(sed -n 's/.*"foreign_frames": \([0-9]*\).*/\1/p' "$T/o/summary.json" 2>/dev/null)
	[ "${foreign:-0}" -gt 0 ] || fall "no foreign frames counted"
}

# Somebody breaks the lab while it runs: the run says where, or nothing has changed.
round_sabotage()
{
	local h what ns ms

	lab_up
	draw 4
	h=$REPLY
	pick host_down switch_down deleted address mtu xdp clsact namespace map
	what=$REPLY
	draw 400
	ms=$((REPLY + 100))
	start_run
	sleep_ms "$ms"
	ns=$LAB-h$h
	note="sabotage: $what at h$h after $ms ms"
	case $what in
	host_down) ip -n "$ns" link set eth0 down ;;
	switch_down) ip -n "$LAB-s0" link set "p$h" down ;;
	deleted) ip -n "$ns" link del eth0 ;;
	address) ip -n "$ns" link set eth0 address 02:00:00:00:00:99 ;;
	mtu) ip -n "$ns" link set eth0 mtu 300 ;;
	xdp) ip -n "$LAB-s0" link set "p$h" xdp off ;;
	clsact) ip netns exec "$ns" tc qdisc del dev eth0 clsact ;;
	namespace) ip netns del "$ns" ;;
	map)
		pick emissions port_rx arrivals todo stack_small frames
		note="sabotage: noise in map $REPLY after $ms ms"
		what=$REPLY
		draw 1000000
		"$HELPERS/scribble" "$PID" "$what" "$REPLY"
		what=map
		;;
	esac >"$T/sabotage" 2>&1
	finish 60 "$note"
	note+=": code $CODE"
	case $CODE in
	0) same_digest "$note" ;;
	1 | 3)
		one_line "$note"
		[ "$what" = map ] || grep -qE "\\bh$h\\b|s0:p$h\\b|$LAB" "$T/err" || fall "$note: the line does not say where: $(cat "$T/err")"
		;;
	*) fall "$note: exit code $CODE: $(head -n 1 "$T/err")" ;;
	esac
}
