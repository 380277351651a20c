/* SPDX-License-Identifier: Apache-2.0
 *
 * The fenced lock, and publication by one swap of root. README.md maps each step to the code.
 *
 * PROPERTIES  V1  No version is published twice, and no ticket publishes twice.
 *             V2  After every swap, the line of each writer in the state that root names is the
 *                 number of its swaps: no commit is lost or doubled.
 *             V3  What a reader, or a writer before it decides, takes for good is one version, whole.
 *             V4  A refusal counts only if root still is what the decision was made on.
 *             V5  unlock() frees only what its caller took.
 *             V6  Nobody waits for ever: every writer that lives ends. (CLOCK 0 and 1)
 * BOUNDS      WRITERS, COMMITS of each, READS of one reader, KILLS of writers at any step.
 * CLOCK       2  time passes as it likes: whoever waits may take over at any look, and no sleep
 *                lasts; a frozen or killed writer is one that is not scheduled any more
 *             1  time passes only where nothing else can happen
 *             0  time never passes: no takeovers, and only wakes end a sleep
 */
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef COMMITS
#define COMMITS 2
#endif
#ifndef READS
#define READS 0
#endif
#ifndef KILLS
#define KILLS 0
#endif
#ifndef CLOCK
#define CLOCK 2
#endif

/* The lock word: bit 0 waiters, bits 1-3 holder (0: free), the ticket above. */
#define WAITERS_BIT 1
#define HOLDER(word) (((word) >> 1) & 7)
#define TICKET(word) ((word) >> 4)
#define TAKEN(seen, bit) (((TICKET(seen) + 1) << 4) | ((me + 1) << 1) | (bit))
#define SAME_TAKING(a, b) (((a) | WAITERS_BIT) == ((b) | WAITERS_BIT))

/* root: the version, and which buffer holds it. Two buffers a writer, and the initial one. */
#define BUFFERS (2 * WRITERS + 1)
#define ROOT(version, buffer) (((version) << 4) | (buffer))
#define VERSION(root) ((root) >> 4)
#define BUFFER(root) ((root) & 15)

/* A word of a buffer: a writer's line, stamped with the version that it was written for. */
#define WORD(version, line) (((version) << 2) | (line))
#define LINE(word) ((word) & 3)
#define STAMP(word) ((word) >> 2)

#define TICKETS 32

short lock_word = 0;
short root = ROOT(1, BUFFERS - 1);
byte buffer[BUFFERS * WRITERS];
bool asleep[WRITERS];
bool doomed[WRITERS];

/* For the properties; no step of the protocol looks at these. */
bool published_version[WRITERS * COMMITS + 2];
bool published_ticket[TICKETS];
byte swaps[WRITERS];

init {
    byte i;
    atomic {
        for (i : 0 .. WRITERS - 1) {
            buffer[(BUFFERS - 1) * WRITERS + i] = WORD(1, 0);
        }
        for (i : 0 .. WRITERS - 1) {
            run writer(i);
        }
#if READS > 0
        run reader();
#endif
#if KILLS > 0
        run killer();
#endif
        i = 0
    }
}

/* V1, V2: in the step of the swap. */
inline check_publication(version, ticket) {
    assert(!published_version[version]);
    published_version[version] = true;
    assert(!published_ticket[ticket]);
    published_ticket[ticket] = true;
    swaps[me]++;
    i = 0;
    do
    :: i < WRITERS -> assert(LINE(buffer[BUFFER(root) * WRITERS + i]) == swaps[i]); i++
    :: else -> break
    od
}

/* PublishedState::read without its checksum: the words one by one, then root again. */
inline read_words() {
    do
    :: atomic { i < WRITERS -> copy[i] = buffer[BUFFER(seen_root) * WRITERS + i]; i++ }
    :: atomic {
           i == WRITERS ->
#ifdef BUG_NO_RECHECK
           whole = true;
#else
           whole = (root == seen_root);
#endif
           i = 0;
           do
           :: i < WRITERS && whole -> assert(STAMP(copy[i]) == VERSION(seen_root)); i++ /* V3 */
           :: else -> break
           od;
           i = 0;
           break
       }
    od
}

/* FencedLock::unlock. A swap that fails for the waiters bit alone is made again at once. */
inline unlock() {
    d_step {
        seen = lock_word;
        if
#ifdef BUG_UNLOCK_ANY
        :: true ->
#else
        :: SAME_TAKING(seen, mine) ->
#endif
            assert(SAME_TAKING(seen, mine)); /* V5 */
            lock_word = TICKET(mine) << 4;
            seen = seen & WAITERS_BIT
        :: else -> seen = 0
        fi;
        mine = 0
    }
#if CLOCK < 2
    if
    :: seen == 0
    :: d_step { /* wakes one. Who dies before it wakes nobody. */
           seen == WAITERS_BIT ->
           do
           :: i < WRITERS && !asleep[i] -> i++
           :: i < WRITERS && asleep[i] -> asleep[i] = false; break
           :: i == WRITERS -> break
           od;
           i = 0;
           seen = 0
       }
    fi
#endif
}

/* FencedLock::lock_until: ends with `mine` set. */
inline lock() {
    do
    :: mine != 0 -> break
    :: atomic { mine == 0 -> seen = lock_word };
       if
       :: atomic { /* free: one swap takes it */
              HOLDER(seen) == 0 ->
              if
              :: lock_word != seen
              :: lock_word == seen && !slept -> mine = TAKEN(seen, seen & WAITERS_BIT)
              :: lock_word == seen && slept ->
#ifndef BUG_FORGET_WAITERS
                  mine = TAKEN(seen, WAITERS_BIT)
#else
                  mine = TAKEN(seen, 0)
#endif
              fi;
              lock_word = (mine != 0 -> mine : lock_word);
              slept = false;
              seen = 0
          }
       :: atomic { /* held: FencedLock::sleep sets the waiters bit first */
              HOLDER(seen) != 0 ->
              if
              :: lock_word == seen -> lock_word = seen | WAITERS_BIT; seen = lock_word
              :: else -> seen = 0
              fi;
              slept = true
          };
#if CLOCK < 2
          d_step { asleep[me] = (seen != 0 && lock_word == seen) };
          if
          :: !asleep[me]
#if CLOCK == 1 && !defined(BUG_NO_TAKEOVER)
          :: atomic { timeout -> asleep[me] = false; take_over() }
#endif
          fi;
#endif
          seen = 0
#if CLOCK == 2
       :: atomic { HOLDER(seen) != 0 -> take_over(); slept = false; seen = 0 }
#endif
       fi
    od
}

inline take_over() {
    if
    :: lock_word == seen -> mine = TAKEN(seen, WAITERS_BIT); lock_word = mine
    :: else
    fi
}

/* Publication::publish: the words one by one, then the swap. */
inline publish() {
    do
    :: d_step {
           i < WRITERS ->
           copy[i] = WORD(VERSION(seen_root) + 1, LINE(copy[i]));
           buffer[out * WRITERS + i] = copy[i];
           i++
       }
    :: atomic {
           i == WRITERS ->
#ifdef BUG_NO_VERSION_CHECK
           whole = true;
#else
           whole = (root == seen_root);
#endif
           if
           :: whole ->
               root = ROOT(VERSION(seen_root) + 1, out);
               held = root;
               check_publication(VERSION(root), TICKET(mine))
           :: else
           fi;
           i = 0;
           out = 0;
           break
       }
    od
}

/* The decision works on the copy, which from then on equals no root. */
inline decide_to_publish() {
    held = 0;
    copy[me] = copy[me] + 1;
#ifdef BUG_ONE_BUFFER
    out = 2 * me
#else
    out = (BUFFER(seen_root) == 2 * me -> 2 * me + 1 : 2 * me)
#endif
}

/* Verdict::unchanged and Verdict::discard, then stands(root). */
inline refuse() {
    if
    :: true
    :: copy[me] = copy[me] + 1;
#ifndef BUG_KEEP_DISCARDED
       held = 0
#endif
    fi
}

proctype writer(byte me) {
    short seen, mine;      /* the lock word as last seen, and as this taking made it */
    short seen_root, held; /* root as last seen, and the one that the copy equals (0: none) */
    byte i, done, out;
    byte copy[WRITERS];
    bool whole, slept;
#if KILLS > 0
    {
#endif
    do
    :: done == COMMITS -> break
    :: done < COMMITS ->
        lock();
        atomic { seen_root = root; whole = (held == seen_root) };
        if
        :: whole
        :: !whole -> read_words(); held = (whole -> seen_root : 0)
        fi;
        if
        :: atomic { whole -> decide_to_publish() };
           publish()
#ifdef REFUSALS
        :: atomic { whole -> refuse() };
           atomic {
#ifndef BUG_REFUSAL_UNCHECKED
               whole = (root == seen_root);
#endif
               assert(!whole || root == seen_root) /* V4 */
           }
#endif
        :: !whole /* root moved: start over */
        fi;
        atomic { done = (whole -> done + 1 : done); whole = false; seen_root = 0 };
        unlock()
    od
#if KILLS > 0
    } unless { doomed[me] };
    asleep[me] = false /* the kernel forgets a dead sleeper */
#endif
}

proctype reader() {
    short seen_root;
    byte i, n;
    byte copy[WRITERS];
    bool whole;
    do
    :: n < READS -> seen_root = root; read_words(); n++
    :: n == READS -> break
    od
}

/* Dooms at most KILLS writers, whenever it likes. */
proctype killer() {
    byte kills, i;
    do
    :: atomic {
           kills < KILLS ->
           i = 0;
           do
           :: i < WRITERS - 1 -> i++
           :: !doomed[i] -> doomed[i] = true; break
           :: break
           od;
           kills++
       }
    :: break
    od
}
