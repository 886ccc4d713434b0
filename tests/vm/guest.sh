#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The guest's first process, once the view of the machine's files is its root. /run/vm is tests/vm/run.sh's folder:
# script is run, its exit code goes to code.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LANG=C.UTF-8
word() { sed -n "s/.*$1=\([^ ]*\).*/\1/p" /proc/cmdline; }
share() { mount -t 9p -o rw,trans=virtio,version=9p2000.L,msize=512000 "$1" "$2"; }

mkdir -p /dev/pts /dev/shm /run/vm "/lib/modules/$(uname -r)"
mount -t devpts devpts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs tmp /tmp
mount -t cgroup2 cgroup /sys/fs/cgroup
mount -t bpf bpf /sys/fs/bpf
mount --bind "$(word modules)" "/lib/modules/$(uname -r)"
ip link set lo up
share vm /run/vm
here=$(word folder)
share folder "$here"
cd "$here" || exit 1
setsid bash /run/vm/script >/dev/hvc0 2>&1 </dev/null
echo $? >/run/vm/code
sync
echo o >/proc/sysrq-trigger
sleep 60
