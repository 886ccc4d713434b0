#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What Losslab needs from the system, by name.
#   deps.sh check SET...     say what is missing and how to get it; exit 3 if anything is
#   deps.sh install SET...   install it with apt, after saying so; without apt or root, as check
# Sets: build (the tool), test (the tests and lint).
set -eu

# libFuzzer, of clang's own version.
clang_rt=libclang-rt-$(clang -dumpversion 2>/dev/null | cut -d. -f1 | grep . || echo 14)-dev

# package, how to see that it is there: a command, or pkg-config:module, or a header, or clang's runtime NAME
build='gcc gcc
make make
pkg-config pkg-config
clang clang
libbpf-dev pkg-config:libbpf
libelf-dev pkg-config:libelf
zlib1g-dev pkg-config:zlib
libmnl-dev pkg-config:libmnl
libjansson-dev pkg-config:jansson
libssl-dev pkg-config:libcrypto
libdeflate-dev pkg-config:libdeflate
libisal-dev pkg-config:libisal
linux-libc-dev /usr/include/linux/bpf.h'
test='libcmocka-dev pkg-config:cmocka
bats bats
iproute2 ip
util-linux taskset
tshark tshark
jq jq
shellcheck shellcheck
cppcheck cppcheck
clang-format clang-format
lcov lcov
'"$clang_rt"' clang-rt:fuzzer'

there() {
	case $1 in
	pkg-config:*) pkg-config --exists "${1#*:}" 2>/dev/null ;;
	clang-rt:*) [ -n "$(find "$(clang -print-runtime-dir 2>/dev/null)" -name "libclang_rt.${1#*:}-*.a" 2>/dev/null)" ] ;;
	/*) [ -e "$1" ] ;;
	*) command -v "$1" >/dev/null 2>&1 ;;
	esac
}

missing() {
	for set in "$@"; do
		case $set in
		build) list=$build ;;
		test) list=$test ;;
		*) echo "deps.sh: $set: no such set: build, test" >&2; exit 2 ;;
		esac
		echo "$list" | while read -r package probe; do
			there "$probe" || printf '%s ' "$package"
		done
	done
}

[ $# -ge 2 ] || { sed -n '3,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
how=$1
shift
need=$(missing "$@")
[ -n "$need" ] || exit 0

if [ "$how" = install ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
	echo "Installing Debian packages: $need"
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086 # a list of words
	{ apt-get update -qq && apt-get install -y -qq --no-install-recommends $need; } >/dev/null || {
		echo "losslab: install: $need: apt-get failed" >&2
		exit 3
	}
	need=$(missing "$@")
	[ -n "$need" ] || exit 0
fi
echo "losslab: missing: $need(Debian's names; as root: apt-get install $need)" >&2
exit 3
