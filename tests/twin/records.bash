# SPDX-License-Identifier: GPL-2.0-or-later
# Loaded by tests that look into records: runs of either engine, and questions to what they leave.
#
#	load ../bats/helpers
#	load ../twin/records

# twin DIR KEY=VALUE...: a run on the twin, records in DIR. kernel DIR KEY=VALUE...: on the test's own standing lab.
# Both speak when the run fails only.
twin() { recorded "$1" --engine twin "${@:2}"; }
kernel() { recorded "$1" --name "$LAB" "${@:2}"; }

recorded()
{
	local dir=$1 code=0

	shift
	"$LOSSLAB" run --quiet --out "$dir" "$@" >"$BATS_TEST_TMPDIR/said" 2>&1 || code=$?
	[ "$code" -eq 0 ] || { cat "$BATS_TEST_TMPDIR/said"; return "$code"; }
}

# rows FILE AWK: a program over the rows of a CSV file, with v["column"].
rows()
{
	awk -F, "NR == 1 { for (i = 1; i <= NF; i++) name[i] = \$i; next }
		{ for (i = 1; i <= NF; i++) v[name[i]] = \$i }
		$2" "$1"
}

# total FILE COLUMN [CONDITION]: the sum of a column, over the rows that fulfil an awk condition.
total() { rows "$1" "${3:-1} { sum += v[\"$2\"] } END { printf \"%.0f\\n\", sum }"; }

# holds AWK-EXPRESSION: arithmetic that the shell cannot do.
holds()
{
	awk "BEGIN { exit !($1) }" || { echo "does not hold: $1"; return 1; }
}

# show LINE: a figure for whoever runs the test; and with the test's output, if it fails.
show() { echo "$1"; echo "# $1" >&3; }

# value DIR KEY: from summary.json, of the run or of an object in it, not of a row of slowdown_by_size.
value() { sed -n "s/^ \{1,4\}\"$2\": \(.*[^,]\),*\$/\1/p" "$1/summary.json"; }

# flows ROW...: a workload file of rows src,dst,bytes,start_ns; prints its name.
flows()
{
	local file=$BATS_TEST_TMPDIR/flows.csv row id=0

	echo id,src,dst,bytes,start_ns >"$file"
	for row in "$@"; do
		echo "$id,$row" >>"$file"
		id=$((id + 1))
	done
	echo "$file"
}

# all_done DIR: every flow completed, every frame accounted for.
all_done()
{
	[ "$(value "$1" status)" = '"done"' ] || return 1
	[ "$(value "$1" flows)" -eq "$(value "$1" completed)" ] || return 1
	conserved "$1" && [ "$(value "$1" queued)" -eq 0 ]
}

conserved()
{
	[ "$(value "$1" sent)" -eq $(($(value "$1" delivered) + $(value "$1" dropped) + $(value "$1" queued))) ]
}

# same_records A B: flows.csv, ports.csv, hosts.csv and all of summary.json that is a result (a topology may
# have two names).
same_records()
{
	local machine='"(engine|topology|foreign_frames|wall_s|cpu_s|peak_rss_kb|hops_per_cpu_s)"'

	cmp "$1/flows.csv" "$2/flows.csv" && cmp "$1/ports.csv" "$2/ports.csv" && cmp "$1/hosts.csv" "$2/hosts.csv" &&
		diff <(grep -vE "$machine" "$1/summary.json") <(grep -vE "$machine" "$2/summary.json")
}

# A lone flow's time by the recurrence, in ns, from nothing but the frame formats: BYTES MTU RETH(first|all) and the
# links of its path, PS_PER_BYTE:DELAY_PS each. 24 is preamble, FCS and gap; 58 are headers and ICRC; 16 the RETH.
ideal()
{
	awk -v bytes="$1" -v mtu="$2" -v reth="$3" -v path="${*:4}" 'BEGIN {
		links = split(path, link, " ")
		for (h = 1; h <= links; h++) {
			split(link[h], part, ":")
			rate[h] = part[1]; delay[h] = part[2]
		}
		packets = int((bytes + mtu - 1) / mtu)
		for (i = 0; i < packets; i++) {
			payload = i < packets - 1 ? mtu : bytes - i * mtu
			wire = 58 + 24 + (i == 0 || reth == "all" ? 16 : 0) + int((payload + 3) / 4) * 4
			at = 0
			for (h = 1; h <= links; h++) {
				free[h] = (at > free[h] ? at : free[h]) + wire * rate[h]
				at = free[h] + delay[h]
			}
		}
		printf "%.3f\n", at / 1000
	}'
}

# check_ideal DIR MTU RETH FLOW-ID LINK...: the flow took its ideal time, and the lab agrees on what that is.
check_ideal()
{
	local want row

	row=$(rows "$1/flows.csv" "v[\"id\"] == $4 { print v[\"fct_ns\"], v[\"ideal_ns\"], v[\"slowdown\"], v[\"bytes\"] }")
	want=$(ideal "${row##* }" "$2" "$3" "${@:5}")
	[ "${row% *}" = "$want $want 1.000000" ] || { echo "$1 flow $4: $row, expected $want"; return 1; }
}

# lone_flows MTU SRC,DST...: for each pair 1 byte, 1 packet, 1 packet + 1 byte, 3 MB, well apart in time.
lone_flows()
{
	local mtu=$1 pair bytes rows=()

	for pair in "${@:2}"; do
		for bytes in 1 "$mtu" $((mtu + 1)) 3000000; do
			rows+=("$pair,$bytes,$((${#rows[@]} * 10000000))")
		done
	done
	flows "${rows[@]}"
}

# ring N: a topology of N switches in a ring with a host each; prints its name. Port 0 leads to the host.
ring()
{
	local file=$BATS_TEST_TMPDIR/ring$1 i

	{
		echo default 40gbit 2us
		for ((i = 0; i < $1; i++)); do printf 'host h%d\nswitch s%d\n' "$i" "$i"; done
		for ((i = 0; i < $1; i++)); do echo "link h$i s$i"; done
		for ((i = 0; i < $1; i++)); do echo "link s$i s$(((i + 1) % $1))"; done
	} >"$file"
	echo "$file"
}

# around N HOPS: a workload where every host of a ring sends 1 MB to the one HOPS switches on; prints its name.
around()
{
	local i rows=()

	for ((i = 0; i < $1; i++)); do rows+=("$i,$(((i + $2) % $1)),1000000,0"); done
	flows "${rows[@]}"
}
