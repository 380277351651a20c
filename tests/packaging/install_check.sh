#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# install_check.sh ROOT DEBS NEWER: installs the packages of DEBS in the Debian system in ROOT (made by
# debootstrap, lost afterwards), upgrades to those of NEWER, removes and purges them. As root.
set -eu
root=$1
debs=$2
newer=$3

inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"; }

die() {
    echo "install_check: $*" >&2
    exit 1
}

files() { inside find /etc /usr /var/lib /lib /run -xdev \( -name '*ratecoord*' -o -name '*coordinatord*' \
    -o -name '*ratectl*' \) -not -path '/var/lib/dpkg/*' -not -path '/var/lib/apt/*'; }

mount -t proc proc "$root/proc" # systemd-tmpfiles wants it
trap 'umount "$root/proc"' EXIT
mkdir -p "$root/debs" "$root/newer"
cp "$debs"/*.deb "$root/debs/"
cp "$newer"/*.deb "$root/newer/"

inside sh -c 'apt-get install -y --no-install-recommends /debs/*.deb'
inside coordinatord --check || die "the installed configuration is not sound"
inside ratectl profile list >/dev/null || die "the installed ratectl finds no profiles"
inside getent passwd ratecoord || die "there is no user"
[ "$(inside stat -c %a:%U:%G /var/lib/ratecoord)" = 3770:ratecoord:ratecoord ] || die "the state's place"

echo '# mine' >>"$root/etc/ratecoord/coordinatord.toml"
echo kept >"$root/var/lib/ratecoord/acme.stops"
inside sh -c 'apt-get install -y --no-install-recommends /newer/*.deb'
grep -q '# mine' "$root/etc/ratecoord/coordinatord.toml" || die "the upgrade lost the configuration"

inside apt-get remove -y coordinatord ratecoord-tools libratecoord-dev
[ -e "$root/var/lib/ratecoord/acme.stops" ] || die "removal lost saved stops"
[ -e "$root/etc/ratecoord/coordinatord.toml" ] || die "removal lost the configuration"
[ ! -e "$root/usr/sbin/coordinatord" ] || die "removal left the program"

inside dpkg --purge coordinatord
left=$(files)
[ -z "$left" ] || die "left after purge: $left"
echo "installed, upgraded, removed, purged"
