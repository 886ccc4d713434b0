#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Chaos: rounds of random configurations, kills, stops, failing system calls, foreign frames and sabotage, from a seed.
# TAP, a line per round; what falls is followed by the command that repeats it. Needs root.
#
#	MINUTES=n      so long (1)
#	CHAOS_ROUNDS=n instead: so many rounds
#	SEED=s         of everything random (the time)
#	CHAOS_ROUND=r  only this round
#	CHAOS_KIND=k   only rounds of this kind: config kill stop fail foreign sabotage
#
# Labs are called ca$$ and ca$$k; nothing that the program did not start is touched.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
LOSSLAB=${LOSSLAB:-$PWD/$B/losslab}
HELPERS=$PWD/$B/tests/chaos
export LOSSLAB_TOPO=${LOSSLAB_TOPO:-$PWD/topo}
export LC_ALL=C
seed=${SEED:-$(date +%s)}
minutes=${MINUTES:-1}
rounds=${CHAOS_ROUNDS:-}
only=${CHAOS_ROUND:-}
LAB=ca$$
CANARY=${LAB}k
T=$(mktemp -d)
. tests/chaos/draw.sh
. tests/chaos/lab.sh
. tests/chaos/rounds.sh

# A round in twelve, so that the short run has all kinds.
kinds=(config kill fail foreign config stop kill config sabotage config fail kill)

refuse()
{
	echo "chaos: $1" >&2
	exit 2
}

check_numbers()
{
	local n

	for n in "$seed" "$minutes" "${rounds:-0}" "${only:-0}"; do
		[[ $n =~ ^[0-9]{1,15}$ ]] || refuse "'$n': not a whole number; SEED, MINUTES, CHAOS_ROUNDS and CHAOS_ROUND are"
	done
}

# Labs that no round may change, and a namespace that looks like one of ours.
canary_up()
{
	"$LOSSLAB" up --name "$CANARY" star:n=2 >/dev/null && ip netns add "${LAB}x-zz"
}

canary_sound()
{
	ip netns list | grep -q "^${LAB}x-zz" || fall "a namespace that is not the lab's is gone"
	[ "$(digest_of "$LOSSLAB" run -q -e kernel -n "$CANARY" flows=5)" = "$(digest_of "$LOSSLAB" run -q -e twin topology=star:n=2 flows=5)" ] ||
		fall "the lab beside it has suffered"
}

clean_up()
{
	end_started
	sweep "$LAB"
	sweep "$CANARY"
	ip netns del "${LAB}x-zz" 2>/dev/null
	rm -rf "$T"
}

# one_round NUMBER
one_round()
{
	local kind=${CHAOS_KIND:-${kinds[$1 % ${#kinds[@]}]}}

	fell=() note=
	TAG=$LAB.$1
	draw_seed "$seed" "$1"
	rm -rf "${T:?}"/*
	"round_$kind"
	nothing_left
	done_kind[$kind]=$((${done_kind[$kind]:-0} + 1))
	if [ ${#fell[@]} = 0 ]; then
		echo "ok $((ran + 1)) - chaos: round $1: $note"
		return 0
	fi
	n_fell=$((n_fell + 1))
	echo "not ok $((ran + 1)) - chaos: round $1: $note"
	printf '# %s\n' "${fell[@]}"
	echo "# again: SEED=$seed CHAOS_ROUND=$1${CHAOS_KIND:+ CHAOS_KIND=$CHAOS_KIND} bash tests/chaos/chaos.sh"
}

all_rounds()
{
	local r

	if [ -n "$only" ]; then
		one_round "$only"
		ran=1
		return
	fi
	for ((r = 0; ; r++)); do
		[ -z "$rounds" ] || [ "$r" -lt "$rounds" ] || break
		[ -n "$rounds" ] || [ $SECONDS -lt $((minutes * 60)) ] || break
		one_round "$r"
		ran=$((ran + 1))
	done
}

check_numbers
[ "$(id -u)" = 0 ] || refuse "needs root, for the kernel engine"
for tool in "$LOSSLAB" "$HELPERS/frames" "$HELPERS/scribble" "$HELPERS/inject.so"; do
	[ -x "$tool" ] || refuse "$tool: not there; make chaos builds it"
done
for tool in ip tc; do
	command -v "$tool" >/dev/null || refuse "needs $tool (package iproute2)"
done
trap clean_up EXIT
trap 'exit 130' INT TERM
declare -A done_kind=()
started=()
ran=0 n_fell=0 refused=0 fell=() note=
canary_up || refuse "the lab $CANARY does not come up"
reference_run
all_rounds
note="the lab beside all this"
fell=()
canary_sound
if [ ${#fell[@]} = 0 ]; then
	echo "ok $((ran + 1)) - chaos: $note"
else
	n_fell=$((n_fell + 1))
	echo "not ok $((ran + 1)) - chaos: $note: ${fell[*]}"
fi
echo "1..$((ran + 1))"
printf '# seed %s: %d rounds in %d s:' "$seed" "$ran" "$SECONDS"
for k in "${!done_kind[@]}"; do
	printf ' %s %d' "$k" "${done_kind[$k]}"
done
printf '; %d configurations refused, %d fell\n' "$refused" "$n_fell"
[ "$n_fell" = 0 ]
