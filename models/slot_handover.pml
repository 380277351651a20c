/* SPDX-License-Identifier: Apache-2.0
 *
 * Who holds a client slot, who died, and what becomes of a dead client's reservations. A commit is
 * one step here (fenced_lock_publication.pml).
 *
 * PROPERTIES  H1  Two processes never write the buffers of one slot.
 *             H2  A sweep never lapses the reservation of a client that still holds its slot.
 *             H3  When everything is at rest and a sweep has passed, every slot in use has a living
 *                 holder and no reservation of a dead client is left.
 *             H4  No two holders of a slot have the same generation.
 * BOUNDS      SLOTS, and PROCESSES that attach once each; any of them dies at any step, while it
 *             sweeps too; LOST of them close their descriptors without noticing.
 * TIME        A freed slot rests longer (2 s) than a process that lost its descriptor goes on
 *             before it looks (1 s). That is the one assumption about speed.
 */
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef PROCESSES
#define PROCESSES 3
#endif
#ifndef LOST
#define LOST 1
#endif

#define NOBODY 255

/* Of each slot: its byte lock, and its ClientRecord. */
byte byte_lock[SLOTS] = NOBODY;
byte generation[SLOTS];
bool in_use[SLOTS];
bool resting[SLOTS];

/* One reservation a process, in the published state: made by {slot, generation}. */
bool reserved[PROCESSES];
byte reserved_slot[PROCESSES];
byte reserved_generation[PROCESSES];

/* Of each process. */
bool alive[PROCESSES] = true;
byte lost[PROCESSES + 1];             /* closed its descriptors: 1 looked less than a second ago, 2 not */
byte slot_of[PROCESSES + 1] = NOBODY; /* what it believes to hold */
byte generation_of[PROCESSES];
byte losses = 0;
byte ended = 0;

/* For the properties: who may still commit with its slot, and the last generation handed out. */
bool commits[PROCESSES];
byte last_generation[SLOTS];

/* Locks of one open file description do not exclude each other: `me` may take what it has. */
#define FREE_FOR(slot) ((byte_lock[slot] == NOBODY || byte_lock[slot] == me) && lost[me] == 0)

#ifdef BUG_LAPSE_ANY_GENERATION
#define OF_GENERATION(i, g) true
#else
#define OF_GENERATION(i, g) (reserved_generation[i] == g)
#endif

#ifdef BUG_NO_GENERATION
#define STILL(s, held) (in_use[s])
#else
#define STILL(s, held) (in_use[s] && generation[s] == held)
#endif
#ifdef BUG_RETIRE_IN_STORES
#define STILL_AT_SWAP(s, held) true
#else
#define STILL_AT_SWAP(s, held) STILL(s, held)
#endif

inline drop_locks() {
    i = 0;
    do
    :: i < SLOTS -> byte_lock[i] = (byte_lock[i] == me -> NOBODY : byte_lock[i]); i++
    :: else -> break
    od;
    i = 0
}

/* Slots::retire: the stamp, then one swap of {generation, in_use}. */
inline retire(s, held) {
    if
    :: STILL(s, held) ->
        resting[s] = true;
        atomic {
            if
            :: STILL_AT_SWAP(s, held) -> generation[s] = generation[s] + 1; in_use[s] = false
            :: else
            fi
        }
    :: !STILL(s, held)
    fi
}

/* Slots::claim of one slot. */
inline claim(s) {
    if
    :: in_use[s] || resting[s]
    :: !in_use[s] && !resting[s] ->
        if
        :: !FREE_FOR(s)
        :: atomic { FREE_FOR(s) -> byte_lock[s] = me };
           if
#ifndef BUG_NO_RECHECK
           :: atomic { in_use[s] || resting[s] -> byte_lock[s] = NOBODY } /* came and went */
           :: atomic {
                  !in_use[s] && !resting[s] ->
#else
           :: atomic {
                  true ->
#endif
                  generation[s] = generation[s] + 1;
                  in_use[s] = true;
                  slot_of[me] = s;
                  commits[me] = true;
                  generation_of[me] = generation[s];
                  assert(generation[s] > last_generation[s]); /* H4 */
                  last_generation[s] = generation[s]
              }
           fi
        fi
    fi
}

/* A commit with the slot's buffers, that reserves. Who has not looked for a second looks first and
 * gives up. What a lost one reserves nobody lapses: it counts as used at its instant. */
inline reserve() {
    if
    :: atomic { slot_of[me] == NOBODY || lost[me] == 2 }
    :: atomic {
           slot_of[me] != NOBODY && lost[me] < 2 ->
           i = 0;
           do
           :: i < PROCESSES ->
               assert(i == me || !commits[i] || lost[i] == 2 || slot_of[i] != slot_of[me]); /* H1 */
               i++
           :: else -> break
           od;
           i = 0;
           if
           :: lost[me] == 0 ->
               reserved[me] = true;
               reserved_slot[me] = slot_of[me];
               reserved_generation[me] = generation_of[me]
           :: else
           fi
       }
    fi
}

/* The commit of a sweep: what {s, g} reserved lapses. */
inline lapse(s, g) {
    i = 0;
    do
    :: i < PROCESSES ->
        if
        :: reserved[i] && reserved_slot[i] == s && OF_GENERATION(i, g) ->
            assert(!commits[i] || lost[i] > 0 || slot_of[i] != s); /* H2 */
            reserved[i] = false
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 0
}

/* Slots::sweep of one slot. */
inline sweep(s) {
    if
#ifdef BUG_SWEEP_ITSELF
    :: in_use[s] && FREE_FOR(s) ->
#else
    :: slot_of[me] != s && in_use[s] && FREE_FOR(s) -> /* is_dead */
#endif
        if
        :: !FREE_FOR(s)
        :: atomic { FREE_FOR(s) -> byte_lock[s] = me };
           g = generation[s];
           if
           :: in_use[s] ->
#ifdef BUG_RETIRE_FIRST
               retire(s, g);
               atomic { lapse(s, g) }
#else
               atomic { lapse(s, g) };
               retire(s, g)
#endif
           :: !in_use[s]
           fi;
           atomic { byte_lock[s] = NOBODY; g = 0 }
        fi
    :: else
    fi
}

/* Slots::release: only if the slot still is ours by its generation. */
inline release() {
    retire(slot_of[me], generation_of[me]);
    atomic {
        if
        :: byte_lock[slot_of[me]] == me -> byte_lock[slot_of[me]] = NOBODY
        :: else
        fi;
        slot_of[me] = NOBODY;
        generation_of[me] = 0
    }
}

proctype process(byte me) {
    byte i, g;
    {
        if
        :: claim(0)
#if SLOTS > 1
        :: claim(1)
#endif
        fi;
        reserve();
        if
        :: sweep(0)
#if SLOTS > 1
        :: sweep(1)
#endif
        :: true
        fi;
        reserve();
        if /* a second goes by */
        :: lost[me] == 1 -> lost[me] = 2
        :: true
        fi;
        if
        :: slot_of[me] != NOBODY ->
            /* It cancels; what it does not cancel counts as used at its instant. */
            atomic { reserved[me] = false; commits[me] = false };
            release()
        :: true /* dies with what it has */
        fi
    } unless { !alive[me] };
    atomic {
        alive[me] = false;
        commits[me] = false;
        lost[me] = 0;
        slot_of[me] = NOBODY;
        generation_of[me] = 0;
        g = 0;
        drop_locks();
        ended++
    }
}

/* Kills, and takes descriptors away, whenever it likes. */
proctype fate() {
    byte me, i, deaths;
    do
    :: atomic {
           deaths < PROCESSES ->
           select(me : 0 .. PROCESSES - 1);
           alive[me] = false;
           deaths++;
           me = 0
       }
    :: atomic {
           losses < LOST ->
           select(me : 0 .. PROCESSES - 1);
           if
           :: alive[me] && lost[me] == 0 && slot_of[me] != NOBODY ->
               lost[me] = 1;
               losses++;
               drop_locks()
           :: else
           fi;
           me = 0
       }
    :: break
    od
}

proctype clock() {
    byte s, i;
end:
    do
    :: atomic {
           true ->
           select(s : 0 .. SLOTS - 1);
           i = 0;
           do
#ifdef BUG_NO_REST
           :: i < PROCESSES -> i++
#else
           :: i < PROCESSES && lost[i] != 1 -> i++
           :: i < PROCESSES && lost[i] == 1 -> break
#endif
           :: i == PROCESSES -> resting[s] = false; break
           od;
           s = 0;
           i = 0
       }
    od
}

/* Sweeps when everybody has ended. */
proctype last_sweep() {
    byte me = PROCESSES, i, g;
    ended == PROCESSES;
    sweep(0);
#if SLOTS > 1
    sweep(1);
#endif
    atomic {
        i = 0;
        do
        :: i < PROCESSES -> assert(!reserved[i]); i++ /* H3 */
        :: else -> break
        od;
        i = 0;
        do
        :: i < SLOTS -> assert(!in_use[i] && byte_lock[i] == NOBODY); i++ /* H3 */
        :: else -> break
        od
    }
}

init {
    byte n;
    atomic {
        for (n : 0 .. PROCESSES - 1) {
            run process(n);
        }
        run fate();
        run clock();
        run last_sweep();
        n = 0
    }
}
