#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# unit_check.sh UNIT: systemd takes the unit without a word, and its exposure is below 2.0. Ends with
# 77 (skipped) where systemd-analyze is missing.
set -eu
unit=$1
if ! command -v systemd-analyze >/dev/null; then
    echo "skipped: there is no systemd-analyze"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# The program need not be installed for its unit to be right.
sed 's|^ExecStart=.*|ExecStart=/bin/true|' "$unit" >"$scratch/coordinatord.service"
said=$(systemd-analyze verify --man=no "$scratch/coordinatord.service" 2>&1) || {
    echo "$said"
    exit 1
}
said=$(printf '%s' "$said" | grep coordinatord.service || true)
if [ -n "$said" ]; then
    echo "$said"
    exit 1
fi
grep -qx 'RuntimeDirectoryPreserve=yes' "$unit" || {
    echo "the segments would go with the daemon"
    exit 1
}
systemd-analyze security --no-pager --offline=true --threshold=20 \
    "$scratch/coordinatord.service" | tail -n 1
systemd-analyze security --no-pager --offline=true --threshold=20 \
    "$scratch/coordinatord.service" >/dev/null
