# shellcheck shell=bash disable=SC2034 # topology is the caller's
# SPDX-License-Identifier: GPL-2.0-or-later
# Random choices from a seed, and configurations made of them. All results are in REPLY: no subshells, which would not
# move the state on.

# draw_seed SEED ROUND: each round has a sequence of its own, so that one can be repeated alone.
draw_seed()
{
	draw_state=$((($1 * 1000003 + $2 + 1) * 2862933555777941757 + 3037000493))
	draw 2
	draw 2
}

# draw N: 0 .. N-1 (xorshift64)
draw()
{
	((draw_state ^= draw_state << 13, draw_state ^= draw_state >> 7 & 0x1ffffffffffffff, draw_state ^= draw_state << 17)) || :
	REPLY=$(((draw_state >> 20 & 0xffffffffff) % $1))
}

# pick WORD...: one of them
pick()
{
	draw $#
	shift "$REPLY"
	REPLY=$1
}

# in_ten N: true N times in ten
in_ten()
{
	draw 10
	[ "$REPLY" -lt "$1" ]
}

# Keys with the values that they may take in a draw: how often in ten they are given at all, then the values.
# Combinations that contradict each other are refused by the tool: that is tested, too.
draw_keys='
transport 10 roce irn irn-gbn irn-nobdp irn-nosack melo iwarp
cc 5 none dcqcn dcqcn-connectx timely timely-patched ib-aimd ib-lipd ib-fimd
op 3 write send read
fc 7 none pfc credit auto
message 3 1000 4KB 64KB
mtu 7 256 1000 1024 2048
buffer 4 60000 120000 240000 2000000
buffer_mode 2 static shared
ecn 2 off red step ib ib-input ib-output
arbiter 2 rr islip
queues 2 voq fifo
sched 2 strict wrr
class_mix 3 3,5 0,1,2,3,4,5,6,7
ack_class 2 6 class
loss 3 0.001 0.01 0.0005@s0
timeouts 4 on auto
fault 2 50us-300us:down:s0:p1 100us-400us:drop=0.01:s0 120us-200us:pause=3:h1 20us-900us:flap=90us/60us:s0:p0
route_delay 1 100us never
pfc_watchdog 1 100us
reth 1 all
psn0 2 16777000
backoff 1 on
rq 1 2
ack_every 1 4 message
retry_cnt 1 0 3
sample 3 20us 100us
workload 10 heavy-tailed websearch incast permutation
until 2 done arrivals'

# draw_config: the array config, and a topology for it in topology
draw_config()
{
	local key often values load

	config=()
	pick star:n=5 fat-tree:k=4 leaf-spine:leaves=2,spines=2,hosts=3 dumbbell:left=3,right=3 ring:n=4,hosts=1
	topology=$REPLY
	while read -r key often values; do
		[ -n "$key" ] || continue
		in_ten "$often" || continue
		# shellcheck disable=SC2086 # words
		pick $values
		config+=("$key=$REPLY")
		[ "$key" = workload ] || continue
		case $REPLY in
		heavy-tailed | websearch)
			draw 7
			load=0.$((REPLY + 3))
			draw 60
			config+=("load=$load" "flows=$((REPLY + 20))")
			;;
		*)
			pick 1 5000 100000
			config+=("bytes=$REPLY")
			;;
		esac
	done <<<"$draw_keys"
	draw 1000000000
	config+=("seed=$REPLY" stop_at=3ms)
}
