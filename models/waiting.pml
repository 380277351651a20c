/* SPDX-License-Identifier: Apache-2.0
 *
 * The epoch word: how waiters learn that the epoch in the published state was raised. A commit is
 * one step here (fenced_lock_publication.pml), and so is a look at the epoch through root.
 *
 * PROPERTY    W1  Nobody sleeps for ever on an epoch that is no longer the published one:
 *                 without deaths (DEATHS 0) because of wakes alone, with no clock and no commit to help;
 *                 with deaths after a publication (DEATHS 1) because the next commit, which need not
 *                 raise the epoch, repairs the word;
 *                 with deaths between the word's swap and the wake, too (DEATHS 2), because a sleep
 *                 is a slice. A sleep of the current epoch may last.
 * BOUNDS      WAITERS, COMMITTERS, COMMITS of each; at most LOST deaths. The word may start wrong.
 */
#ifndef WAITERS
#define WAITERS 2
#endif
#ifndef COMMITTERS
#define COMMITTERS 2
#endif
#ifndef COMMITS
#define COMMITS 1
#endif
#ifndef DEATHS
#define DEATHS 0
#endif
#ifndef LOST
#define LOST 2
#endif

byte epoch = 1; /* in the state that root names */
byte word = 1;
bool asleep[WAITERS];
byte working = COMMITTERS;
byte deaths = 0;

#define MAY_DIE(level) (DEATHS >= level && deaths < LOST)

init {
    atomic {
        byte i;
        if
        :: word = 1
        :: word = 0
        fi;
        for (i : 0 .. WAITERS - 1) {
            run waiter(i);
        }
        for (i : 0 .. COMMITTERS - 1) {
            run committer();
        }
#if DEATHS == 1
        run next_committer();
#endif
        i = 0
    }
}

inline wake_all() {
    d_step {
#ifdef BUG_WAKE_ONE
        if
        :: asleep[0] -> asleep[0] = false
        :: else -> asleep[WAITERS - 1] = false
        fi
#else
        n = 0;
        do
        :: n < WAITERS -> asleep[n] = false; n++
        :: else -> break
        od;
        n = 0
#endif
    }
}

/* EpochWord::announce. With BUG_LATE_WORD it writes what its caller published, however long ago
 * that was, and leaves it to others if the word changed meanwhile. */
inline announce() {
    do
    :: seen = word;
       if
       :: atomic {
              true ->
#ifndef BUG_LATE_WORD
              mine = epoch;
#endif
              if
              :: seen == mine -> seen = 0; break
              :: else
              fi
          }
       fi;
       if
       :: atomic { word == seen -> word = mine; seen = 0 };
          if
          :: wake_all()
          :: atomic { MAY_DIE(2) -> deaths++ }
          fi;
          break
       :: atomic {
              word != seen -> seen = 0;
#ifdef BUG_LATE_WORD
              break
#endif
          }
       fi
    od
}

/* EpochWord::mirror: one look, and no more where the word is right. */
inline mirror() {
    if
#ifdef BUG_NO_WAKE_REPAIR
    :: !raised
    :: raised && word == mine
    :: raised && word != mine -> announce()
#else
    :: word == mine
    :: word != mine -> announce()
#endif
    fi
}

proctype committer() {
    byte n, done, seen, mine;
    bool raised;
    do
    :: atomic {
           done < COMMITS ->
           if
           :: raised = true
           :: raised = false
           fi;
           epoch = epoch + raised;
           mine = epoch;
           done++
       };
       if
       :: mirror()
       :: atomic { MAY_DIE(1) -> deaths++; break }
       fi;
       mine = 0
    :: done == COMMITS -> break
    od;
    working--
}

/* An ordinary permit, after everything else came to rest. */
proctype next_committer() {
    byte n, seen, mine;
    bool raised = false;
    atomic { timeout -> mine = epoch };
    mirror()
}

/* acquire: look (a commit), then Segment::wait, and again. */
proctype waiter(byte me) {
    byte n, seen, mine, saw;
    do
    :: saw = epoch;
#ifdef BUG_LATE_WORD
       mine = epoch;
       atomic { seen = word; mine = (mine == saw -> mine : 0) };
#else
       seen = word;
       atomic { mine = epoch; mine = (mine == saw -> mine : 0) };
#endif
       if
       :: atomic { mine == 0 -> seen = 0; saw = 0 } /* WaitEnd::changed */
       :: mine != 0 ->
           if
           :: atomic { seen == mine -> seen = 0 }
           :: atomic { seen != mine && word != seen -> seen = 0 } /* EpochWord::repair */
           :: atomic { seen != mine && word == seen -> word = mine; seen = 0 };
              if
              :: wake_all()
              :: atomic { MAY_DIE(2) -> deaths++; break }
              fi
           fi;
           asleep[me] = (word == mine);
           if
           :: atomic { !asleep[me] -> mine = 0; saw = 0 }
           :: atomic { asleep[me] && working == 0 && saw == epoch -> break }
#if DEATHS == 2 && !defined(BUG_NO_SLICE)
           :: atomic { timeout -> asleep[me] = false; mine = 0; saw = 0 }
#endif
           fi
       fi
    od
}
