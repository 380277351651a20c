#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Checks the models: every property in all states within the bounds, and every seeded bug found.
# Needs spin and cc. Prints states and depth; exits 1 if anything is not as it must be.
#
# usage: check.sh [WORK]      WORK is a directory for what spin generates; it is made, and kept
set -eu

models=$(cd "$(dirname "$0")" && pwd)
work=${1:-$models/../build/models}
memory_mb=3500
depth=100000
bad=0

# search <model> <-D...>: all states; its report is in $work/<model>/report.
search() {
    model=$1
    shift
    here=$work/$model
    mkdir -p "$here"
    rm -f "$here"/pan* "$here"/*.trail "$here/report"
    (
        cd "$here"
        spin -a "$@" "$models/$model.pml" >spin.log 2>&1 &&
            cc -w -O2 -DSAFETY -DCOLLAPSE -DMEMLIM=$memory_mb -o pan pan.c >cc.log 2>&1 &&
            ./pan -m$depth -n >report 2>&1
    ) || true
    if ! grep -q '^State-vector' "$here/report" 2>/dev/null; then
        printf '  %s did not run; see %s\n' "$model" "$here" >&2
        return 1
    fi
    # Whatever truncates a search makes it say nothing.
    if grep -Eq 'max search depth too small|out of memory|Search not completed|aborting' \
        "$here/report" && ! grep -Eq 'errors: 1$' "$here/report"; then
        printf '  %s was not searched to the end; see %s\n' "$model" "$here/report" >&2
        return 1
    fi
}

figure() { sed -n "$1" "$work/$2/report" | head -n 1; }

states() { figure 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "$1"; }
reached() { figure 's/.*depth reached \([0-9]*\),.*/\1/p' "$1"; }
errors() { figure 's/.*errors: \([0-9]*\)$/\1/p' "$1"; }

# holds <what> <model> <-D...>
holds() {
    what=$1
    shift
    if search "$@" && [ "$(errors "$1")" = 0 ]; then
        printf 'holds   %-64s %9s states, depth %s\n' "$what" "$(states "$1")" "$(reached "$1")"
    else
        printf 'BROKEN  %s (%s)\n' "$what" "$*"
        bad=1
    fi
}

# found <property> <model> <-DBUG_...> <-D...>: the checker must find the seeded bug, by that means.
found() {
    sign=$1
    shift
    if search "$@" && [ "$(errors "$1")" = 1 ] && grep -Eq "$sign" "$work/$1/report"; then
        printf 'found   %-64s %9s states, depth %s\n' "$1 ${2#-D}" "$(states "$1")" "$(reached "$1")"
    else
        printf 'MISSED  %s\n' "$*"
        bad=1
    fi
}

broken='^pan:1: assertion violated'
stuck='^pan:1: invalid end state'

holds 'V1-V5 two writers, two commits each, a reader, refusals' fenced_lock_publication \
    -DWRITERS=2 -DCOMMITS=2 -DREADS=1 -DREFUSALS
holds 'V1-V5 three writers, a commit each, a reader' fenced_lock_publication \
    -DWRITERS=3 -DCOMMITS=1 -DREADS=1
holds 'V1-V5 two writers, three commits each' fenced_lock_publication -DWRITERS=2 -DCOMMITS=3
holds 'V6 three writers, no clock: wakes alone suffice' fenced_lock_publication \
    -DWRITERS=3 -DCOMMITS=1 -DCLOCK=0
holds 'V6 two of three writers killed at any step' fenced_lock_publication \
    -DWRITERS=3 -DCOMMITS=1 -DCLOCK=1 -DKILLS=2
found "$broken.*published_version" fenced_lock_publication -DBUG_NO_VERSION_CHECK
found "$broken" fenced_lock_publication -DBUG_ONE_BUFFER -DREADS=1
found "$broken" fenced_lock_publication -DBUG_NO_RECHECK -DREADS=1
found "$broken" fenced_lock_publication -DBUG_UNLOCK_ANY
found "$broken.*swaps" fenced_lock_publication -DBUG_KEEP_DISCARDED -DREFUSALS
found "$broken" fenced_lock_publication -DBUG_REFUSAL_UNCHECKED -DREFUSALS
found "$stuck" fenced_lock_publication -DBUG_FORGET_WAITERS -DWRITERS=3 -DCOMMITS=1 -DCLOCK=0
found "$stuck" fenced_lock_publication -DBUG_NO_TAKEOVER -DWRITERS=2 -DCOMMITS=1 -DCLOCK=1 -DKILLS=1

holds 'H1-H4 three processes, one slot, deaths, a lost descriptor' slot_handover \
    -DSLOTS=1 -DPROCESSES=3
found "$broken.*reserved" slot_handover -DBUG_NO_GENERATION -DSLOTS=1
found "$broken.*reserved" slot_handover -DBUG_RETIRE_IN_STORES -DSLOTS=1
found "$broken.*reserved" slot_handover -DBUG_NO_RECHECK -DSLOTS=1
found "$broken.*reserved" slot_handover -DBUG_RETIRE_FIRST -DSLOTS=1
found "$broken.*commits" slot_handover -DBUG_SWEEP_ITSELF -DSLOTS=1
found "$broken.*commits" slot_handover -DBUG_NO_REST -DSLOTS=1

holds 'W1 two waiters, two commits, no deaths: wakes alone suffice' waiting -DDEATHS=0
holds 'W1 one waiter, three commits, no deaths' waiting -DDEATHS=0 -DWAITERS=1 -DCOMMITTERS=3
holds 'W1 deaths after publication: the next commit repairs' waiting -DDEATHS=1
holds 'W1 deaths before the wake: the slice ends' waiting -DDEATHS=2
found "$stuck" waiting -DBUG_LATE_WORD
found "$stuck" waiting -DBUG_WAKE_ONE
found "$stuck" waiting -DBUG_NO_WAKE_REPAIR -DDEATHS=1
found "$stuck" waiting -DBUG_NO_SLICE -DDEATHS=2

[ "$bad" -eq 0 ] || printf 'models: something is not as it must be\n' >&2
exit "$bad"
