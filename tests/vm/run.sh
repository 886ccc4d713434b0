#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Run a script as root under a Debian kernel in qemu, on a view of this machine's files that keeps no change:
#
#   tests/vm/run.sh KERNEL SECONDS SCRIPT FOLDER
#
# KERNEL is what tests/vm/kernel.sh made. FOLDER is shared writable, at its own path, and the script starts there. Its
# output and its exit code are the script's; 124: it took more than SECONDS; 125: the guest ended before the script.
# VM_ACCEL=kvm uses the machine's own virtualisation; otherwise qemu emulates, ten times slower or more.
set -u
here=$(cd "$(dirname "$0")" && pwd)
kernel=$(cd "${1:?}" && pwd) seconds=${2:?} script=${3:?} folder=$(cd "${4:?}" && pwd)
version=$(basename "$kernel"/lib/modules/*)
vm=$(mktemp -d)
trap 'rm -rf "$vm"' EXIT
cp "$script" "$vm/script"

case ${VM_ACCEL:-tcg} in
kvm) cpu=(-enable-kvm -cpu host) ;;
*) cpu=(-accel "tcg,thread=multi" -cpu "max,la57=off") ;;
esac
shares=()
for share in root:/:,readonly=on "vm:$vm:" "folder:$folder:"; do
	IFS=: read -r tag path more <<<"$share"
	shares+=(-fsdev "local,id=$tag,path=$path,security_model=none,multidevs=remap$more"
		-device "virtio-9p-pci,fsdev=$tag,mount_tag=$tag")
done
timeout --foreground -k 5 "$seconds" qemu-system-x86_64 -M q35 "${cpu[@]}" -smp 2 -m 6144 -nodefaults -no-user-config \
	-display none -no-reboot -nic none -kernel "$kernel/vmlinuz" -initrd "$kernel/initrd.gz" \
	-append "console=ttyS0 quiet panic=-1 net.ifnames=0 guest=$here/guest.sh modules=$kernel/lib/modules/$version folder=$folder" \
	-chardev "file,id=serial,path=$vm/serial" -serial chardev:serial \
	-device virtio-serial-pci -chardev stdio,id=out,signal=off -device virtconsole,chardev=out \
	-device virtio-rng-pci "${shares[@]}" </dev/null
ended=$?
[ ! -e "$vm/code" ] || exit "$(cat "$vm/code")"
[ $ended = 124 ] || [ $ended = 137 ] || ended=125
echo "tests/vm/run.sh: ended without the script's exit code ($ended); the console's last lines:" >&2
tail -n 20 "$vm/serial" >&2
exit $ended
