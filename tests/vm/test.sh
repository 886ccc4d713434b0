#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The switch programs on stock Debian kernels: load, run shortly, give the twin's digest. Kernels: VM_KERNELS, names of
# Debian packages. Skipped by name where qemu or what it needs is missing.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
skip() { echo "skipped: test-vm: $1"; exit 0; }

for tool in qemu-system-x86_64 busybox apt-get dpkg-deb depmod modprobe xz; do
	PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null ||
		skip "$tool is missing (Debian: qemu-system-x86 busybox-static kmod xz-utils)"
done

script=$(mktemp)
trap 'rm -f "$script"' EXIT
cat >"$script" <<IN
cd "$PWD" || exit 1
uname -r
$B/losslab doctor || exit 1
failed=0 passed=0
same() {
	kernel=\$($B/losslab run -q "\$@" | sed -n 's/ *digest *//p')
	twin=\$($B/losslab run -q -e twin "\$@" | sed -n 's/ *digest *//p')
	if [ -n "\$kernel" ] && [ "\$kernel" = "\$twin" ]; then
		echo "ok - \$*"; passed=\$((passed + 1))
	else
		echo "not ok - \$*: kernel \$kernel, twin \$twin"; failed=\$((failed + 1))
	fi
}
same topology=star:n=4 transport=roce workload=incast bytes=100KB
same topology=fat-tree:k=4 transport=roce flows=40
same topology=fat-tree:k=4 transport=irn flows=40
same topology=star:n=4 transport=irn workload=incast bytes=200KB buffer=30KB loss=0.01 ecn=red
same topology=star:n=4 transport=melo cc=dcqcn op=read message=20KB workload=incast bytes=100KB buffer=30KB loss=0.01 kmin=2KB kmax=10KB
same topology=star:n=4 transport=iwarp mtu=2048 workload=incast bytes=200KB buffer=30KB loss=0.01
same topology=star:n=4 transport=roce cc=ib-aimd op=send message=10KB rq=1 workload=incast bytes=100KB buffer=30KB kmin=2KB kmax=10KB fc=pfc ecn=red
same topology=star:n=5 flows=60 ack_class=6 sched=wrr weights=1,1,1,9,1,1,1,1
same topology=fat-tree:k=4 flows=60 buffer=60KB cc=ib-aimd ecn=ib
same topology=star:n=5 workload=incast bytes=100KB buffer_mode=shared buffer=200KB
same topology=fat-tree:k=4 transport=roce flows=40 buffer=60KB pfc_watchdog=50us \
	"fault=20us-200us:pause=3:h1;50us-100us:down:s0:p2;0us:corrupt=0.01:s1;0us-90us:drop=0.1:s3"
same topology=star:n=5 workload=incast bytes=100KB fc=credit buffer=20KB ecn=ib
same topology=star:n=6 flows=60 arbiter=islip speedup=1.5 queues=fifo
same topology=fat-tree:k=4 flows=60 transport=irn arbiter=islip iterations=2 ack_class=6 buffer=30KB
same topology=fat-tree:k=4 transport=irn flows=40 fc=credit buffer=8KB timeouts=on \
	"fault=20us-200us:flap=5us/9us:s0:p2;50us-100us:down:h3;0us:corrupt=0.01:s1;0us-90us:drop=0.1:s3"
if [ -x $B/tests/unit/test_bpf_switch ]; then
	CMOCKA_MESSAGE_OUTPUT=TAP $B/tests/unit/test_bpf_switch || failed=\$((failed + 1))
fi
for set in doctor up; do
	bats tests/bats/\$set.bats || failed=\$((failed + 1))
done
$B/losslab up --name vm fat-tree:k=6 && $B/losslab down --name vm || failed=\$((failed + 1))
ls /run/netns 2>/dev/null | grep . && failed=\$((failed + 1))
echo "\$passed passed, \$failed failed, 0 skipped"
[ \$failed = 0 ]
IN
for kernel in ${VM_KERNELS:-linux-image-6.1.0-56-amd64 linux-image-6.12.117+deb12-amd64}; do
	echo "# $kernel"
	[ -e "build/vm/$kernel/vmlinuz" ] || bash tests/vm/kernel.sh "$kernel" "build/vm/$kernel" ||
		skip "$kernel cannot be had from this machine's Debian mirror (set VM_KERNELS)"
	bash tests/vm/run.sh "build/vm/$kernel" "${VM_SECONDS:-900}" "${VM_SCRIPT:-$script}" . || exit 1
done
