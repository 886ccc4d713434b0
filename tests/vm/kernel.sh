#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Fetch a Debian kernel without installing it, and make the initramfs that tests/vm/run.sh boots it with:
#
#   tests/vm/kernel.sh PACKAGE FOLDER       e.g. linux-image-6.1.0-56-amd64
#
# FOLDER gets vmlinuz, initrd.gz and lib/modules. Needs apt-get, busybox (static), depmod, modprobe, xz.
set -eu
package=${1:?} folder=${2:?} version=${1#linux-image-}
export PATH=$PATH:/usr/sbin:/sbin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

(cd "$work" && apt-get download -qq -o APT::Sandbox::User=root "$package")
dpkg-deb -x "$work"/*.deb "$work/deb"
cp "$work/deb/boot/vmlinuz-$version" "$folder/vmlinuz.new"
cp -R "$work/deb/lib" "$folder"
depmod -b "$folder" "$version"

# The initramfs: busybox, the modules that reach this machine's files, and init.
mkdir -p "$work/root/bin" "$work/root/modules" "$work"/root/{proc,sys,dev,lower,upper,new}
cp "$(command -v busybox)" "$work/root/bin/busybox"
n=10
for module in virtio_pci virtio_console 9pnet_virtio 9p overlay; do
	modprobe -d "$folder" -S "$version" -D "$module" | awk '$1 == "insmod" { print $2 }'
done | awk '!seen[$0]++' | while read -r file; do
	n=$((n + 1))
	name=$n-$(basename "$file")
	case $file in
	*.xz) xz -dc "$file" >"$work/root/modules/${name%.xz}" ;;
	*) cp "$file" "$work/root/modules/$name" ;;
	esac
done
cat >"$work/root/init" <<'IN'
#!/bin/busybox sh
# A view of the machine's files: read-only underneath, with what is written in memory above it.
b=/bin/busybox
$b mount -t proc proc /proc
for module in /modules/*; do $b insmod "$module" || echo "insmod $module: failed"; done
$b mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=512000,cache=loose root /lower || $b poweroff -f
$b mount -t tmpfs upper /upper
$b mkdir /upper/files /upper/work
$b mount -t overlay -o lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work overlay /new || $b poweroff -f
$b mount -t proc proc /new/proc
$b mount -t sysfs sys /new/sys
$b mount -t devtmpfs dev /new/dev
$b mount -t tmpfs run /new/run
guest=$($b sed -n 's/.*guest=\([^ ]*\).*/\1/p' /proc/cmdline)
$b umount /proc
exec $b switch_root /new /bin/sh "$guest"
IN
chmod +x "$work/root/init"
(cd "$work/root" && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) >"$folder/initrd.gz"
mv "$folder/vmlinuz.new" "$folder/vmlinuz" # last: its presence says that all is there
