/* run.pml - a plan from its yes to its end: step 1 Local, step 2 outside, step 3 Local.
 *
 * Two engines on one database, both with the sweep. The plan's row is the only owner, and every
 * transaction takes it first, so a transaction is one atomic block. Between two blocks an engine may
 * pause for ever, or die (DEATHS in all) and come back as a process that knows nothing. A plan may be
 * taken over at any moment, for a lease that has run out proves nothing about who held it.
 *
 * A send is a task of its own (runtime/outside.py, sent): it writes its bytes, hears an answer or none,
 * and records that in a transaction of its own. The engine may stop waiting for it at any moment; the
 * task goes on. What it wrote arrives, is lost, is refused for certain, or its answer is lost.
 *
 * CLASS 0 Opaque, 1 Checked, 2 Checked(void=True), 3 Keyed(ttl)
 * CANCEL  a person stops the plan         ANSWERS  a person answers a doubt, and retries once
 * ANYWAY  "send again anyway", once
 * BOUNDS  the time of each send is modelled: its deadline, and the moment from which nothing of it can
 *         still arrive. Without it that moment is whenever nothing is on its way.
 *
 * Designs that must fail, each one rule less:
 *   MARK_AFTER        the mark is written after the bytes
 *   RELEASE           an error gives the step back
 *   RERUN             a step that was taken over is simply run again (Opaque)
 *   RERUN_ABSENT      "not there" counts before everything has settled (Checked)
 *   CHECK_FIRST       looks first, then asks whether it has settled (Checked)
 *   NO_EPOCH          a start does not ask for the epoch
 *   REFUSED_FREES     a refused re-send ends the step as not done (Keyed)
 *   REFUSED_SNAPSHOT  whether another send is open is read before the plan's row is taken (Keyed)
 *   RESEND_BLIND      a re-send does not ask whether the step is still started (Keyed)
 *   RESEND_CANCELLED  a re-send does not ask for a cancel (Keyed)
 *   RESEND_LATE       a re-send asks for the age of its own mark, not of the first one's (Keyed)
 *   NO_AGE            nobody looks at the mark's age where the bytes are written (Keyed)
 *   NO_BOUND          the window does not hold the time that bytes are on their way (Keyed)
 *   VOID_LATE         the old sends are closed after the new one was opened (Checked(void))
 *   VOID_KEYS         void closes only the newest send (Checked(void))
 *   VOID_TAKES_BACK   void takes back what has arrived (Checked(void))
 *   SPLIT_DOUBT       the step's doubt and the plan's end are two commits
 *   GAVE_UP           a send that nobody waits for any more counts as returned
 *   FROM_CALL         the deadline counts from the call and not from the mark (BOUNDS)
 *   NEWEST            settled asks for the newest send only
 *   CARD_EARLY        an answer counts from a card that was drawn before the doubt had settled
 *   CARD_OLD          an answer counts from a card of an earlier epoch
 *   NO_SETTLED        "it did not happen" is taken at once
 *   NO_NOTE           "send again anyway" is not on record as a possible duplicate
 * WITNESS n  says that something good is never reached; must fail, so that the model is not empty.
 */
#ifndef CLASS
#define CLASS 0
#endif
#define OPAQUE (CLASS == 0)
#define CHECKED (CLASS == 1)
#define VOID (CLASS == 2)
#define KEYED (CLASS == 3)
#ifndef DEATHS
#define DEATHS 2
#endif
#ifndef SENDS                   /* of one round; three in the engine */
#define SENDS 2
#endif
#ifndef STALLS                  /* take-overs without a step begun; three in the engine */
#define STALLS 2
#endif
#ifndef ROWS
#define ROWS 2                  /* semel_attempts; 3 at the most */
#endif

mtype:plan = { RUNNING, ENDED };
mtype:step = { WAITING, STARTED, DONE, NOT_DONE, IN_DOUBT };
mtype:reason = { NONE, FINISHED, FAILED, CANCELLED, DOUBTFUL };
mtype:task = { NOTHING, ARMED, LISTENS, SAID_YES, SAID_NO };

/* semel_plans, semel_steps */
mtype:plan plan = RUNNING;
mtype:reason reason = NONE;
byte epoch = 0, at = 0, stall = 0;
bool cancelled = false;
mtype:step step1 = WAITING, step2 = WAITING, step3 = WAITING;
bool duplicate = false;         /* the event possible_duplicate */
/* semel_attempts of step 2: row n is there when n <= sends */
byte sends = 0, before = 0;     /* before: those of earlier rounds */
bool open[4], returned[4];     /* returned: or its sender is known to be dead */
byte epoch_of[4];
/* the processes, and the world */
mtype:task task[4] = NOTHING;
byte by[4];
bool net[4], voided[4];
byte effect1 = 0, effect2 = 0, effect3 = 0;
byte age = 0;                   /* of the round's first mark: 0 window open, 1 closed, 2 too old for bytes, 3 the other side has forgotten */
byte deaths = 0, retries = 0, anyways = 0;
byte told = 9;                  /* what cancel answered: the last step that begins */
bool busy[3];
bool drawn = false, card_settled = false, looked = false, saw_it = false; byte card_epoch = 0;

/* Nothing of it can still arrive: its sender returned or is dead, and its bounds have passed. -> settled */
#ifdef BOUNDS
byte late[4]; bool in_time[4];  /* late: 1 the deadline of a send has passed, 2 its delivery bound too */
#define SETTLED1(n) (!open[n] || (returned[n] && late[n] == 2))
#else
#define SETTLED1(n) (!open[n] || (returned[n] && !net[n]))
#endif
#ifdef NEWEST
#define SETTLED SETTLED1(sends)
#else
#define SETTLED (SETTLED1(1) && SETTLED1(2) && SETTLED1(3))
#endif
#define OPEN (open[1] || open[2] || open[3])
#define ON_ITS_WAY (net[1] || net[2] || net[3])
#define LIVE1(n) (task[n] != NOTHING)
#define LIVE (LIVE1(1) || LIVE1(2) || LIVE1(3))
/* What nobody asks for any more is forgotten, so that equal states look equal. */
inline over(n) { task[n] = NOTHING; by[n] = 0; epoch_of[n] = 0; returned[n] = open[n] }
inline closes(n) { open[n] = false; returned[n] = false }
#ifdef NO_EPOCH
#define MINE (plan == RUNNING)
#else
#define MINE (plan == RUNNING && epoch == mine)
#endif

/* ---- writing (runtime/record.py) */
inline end(why) {                                       /* -> end */
  plan = ENDED; reason = why;
  if :: step1 == WAITING -> step1 = NOT_DONE :: else fi;
  if :: step2 == WAITING -> step2 = NOT_DONE :: else fi;
  if :: step3 == WAITING -> step3 = NOT_DONE :: else fi
}
inline correct() {                                      /* -> prove */
  if
  :: plan == ENDED && reason == DOUBTFUL && step2 != IN_DOUBT ->
     epoch++;
     if
     :: step1 == DONE && step2 == DONE && step3 == DONE -> reason = FINISHED
     :: else -> reason = (cancelled -> CANCELLED : FAILED)
     fi
  :: else
  fi
}
inline open_send(who, owner) {                          /* runtime/outside.py, opened */
  sends++; open[sends] = true; returned[sends] = false;
  epoch_of[sends] = owner; by[sends] = who; task[sends] = ARMED;
  if :: sends == before + 1 -> age = 0 :: else fi;
  assert(told == 9 || told >= 2)                        /* nobody was told that this step does not begin */
}
inline happened2() {                                    /* steps.done */
  if :: step2 == WAITING || step2 == STARTED || step2 == IN_DOUBT -> step2 = DONE :: else fi
}

/* ---- the other side */
inline lands() {
  if
  :: KEYED && effect2 > 0 && age < 3                    /* it knows the key */
  :: else ->
     effect2++;
     assert(effect2 == 1 || duplicate);
#ifndef MARK_AFTER
     assert(step2 != WAITING);
#endif
     assert(step2 != NOT_DONE)                          /* nobody was told that it did not happen */
  fi
}
inline arrives(n) {
  net[n] = false;
  if
  :: voided[n] -> if :: task[n] == LISTENS -> task[n] = SAID_NO :: skip fi
  :: !voided[n] -> lands(); if :: task[n] == LISTENS -> task[n] = SAID_YES :: skip fi
  :: !voided[n] -> if :: task[n] == LISTENS -> task[n] = SAID_NO :: skip fi
  fi
}
#ifdef NO_AGE
#define TOO_OLD(n) false
#elif defined(RESEND_LATE)
#define TOO_OLD(n) (KEYED && age >= 2 && n == before + 1)
#else
#define TOO_OLD(n) (KEYED && age >= 2)
#endif
#if defined(BOUNDS) && !defined(FROM_CALL)
#define TOO_LATE(n) (late[n] > 0)
#else
#define TOO_LATE(n) false
#endif
inline writes(n) {                                      /* runtime/outside.py, _call */
  if
  :: TOO_OLD(n) || TOO_LATE(n) -> task[n] = SAID_NO     /* nothing of it has left: a proof */
  :: !(TOO_OLD(n) || TOO_LATE(n)) -> net[n] = true; task[n] = LISTENS;
#ifdef BOUNDS
     in_time[n] = late[n] == 0
#endif
  fi
}

/* ---- what a send proved (runtime/proof.py); a proof is written whatever the epoch */
inline says_made(n) {                                   /* -> made, made_late, made_of_old */
  open[n] = false;
  assert(effect2 > 0 && step2 != NOT_DONE);             /* never: -> contradict */
  happened2();
  if
  :: plan == RUNNING && epoch == epoch_of[n] -> if :: cancelled -> end(CANCELLED) :: else fi
  :: else -> correct()
  fi;
  over(n)
}
inline says_refused(n, others) {                        /* -> refused, refused_while_open */
  if
  :: !open[n]                                           /* its end was known before */
  :: else ->
     open[n] = false;
     if
     :: others
     :: !(others) && (step2 == STARTED || step2 == IN_DOUBT || step2 == WAITING) ->
        assert(effect2 == 0);
        step2 = NOT_DONE;
        if
        :: plan == RUNNING && epoch == epoch_of[n] -> end((cancelled -> CANCELLED : FAILED))
        :: plan == ENDED -> correct()
        :: else
        fi
     :: else
     fi
  fi;
  over(n)
}
inline says_nothing(n) {                                /* -> returned */
#ifdef RELEASE
  open[n] = false;
  if :: step2 == STARTED && plan == RUNNING -> step2 = WAITING; at = 1 :: else fi;
#endif
  over(n)
}
#ifdef REFUSED_SNAPSHOT
bool others_of[4], looked_at[4];
#define CONCLUDES_NO(n) \
  :: atomic { task[n] == SAID_NO && !looked_at[n] -> open[n] = false; others_of[n] = OPEN; open[n] = true; looked_at[n] = true } \
  :: atomic { task[n] == SAID_NO && looked_at[n] -> says_refused(n, others_of[n]) }
#elif defined(REFUSED_FREES)
#define CONCLUDES_NO(n) :: atomic { task[n] == SAID_NO -> says_refused(n, false) }
#else
#define CONCLUDES_NO(n) :: atomic { task[n] == SAID_NO -> says_refused(n, OPEN) }
#endif
#define SEND(n) \
  :: atomic { task[n] == ARMED -> writes(n) } \
  :: atomic { net[n] -> arrives(n) } \
  :: atomic { net[n] -> net[n] = false } \
  :: atomic { task[n] == SAID_YES -> says_made(n) } \
  :: atomic { task[n] == LISTENS -> says_nothing(n) } \
  CONCLUDES_NO(n)

active proctype wire() {
end_wire:
  do
  SEND(1)
#if ROWS > 1
  SEND(2)
#endif
#if ROWS > 2 || defined(MARK_AFTER)
  SEND(3)
#endif
  od
}
#if CLASS == 3
active proctype clock() {
end_clock:
  do
  :: atomic { sends > before && age < 2 -> age++ }
#ifdef NO_BOUND
  :: atomic { age == 2 -> age = 3 }
#else
  :: atomic { age == 2 && !ON_ITS_WAY -> age = 3 }      /* what was written in time has arrived by then, or never will */
#endif
  od
}
#endif

#ifdef BOUNDS
#define PASSES(n) \
  :: atomic { open[n] && late[n] == 0 -> late[n] = 1 } \
  :: atomic { open[n] && late[n] == 1 && !(net[n] && in_time[n]) -> late[n] = 2 } /* what left in time has arrived, or never will */
active proctype time() {
end_time:
  do
  PASSES(1)
#if ROWS > 1
  PASSES(2)
#endif
#if ROWS > 2
  PASSES(3)
#endif
  od
}
#endif

#ifdef CANCEL
active proctype canceller() {                           /* runtime/stop.py */
end_canceller:
  atomic { plan == RUNNING && !cancelled ->             /* -> cancel */
    cancelled = true; told = at;
    if
    :: step2 == STARTED
    :: step1 == DONE && step2 == DONE && step3 == DONE -> end(FINISHED)
    :: else -> end((step2 == IN_DOUBT -> DOUBTFUL : CANCELLED))
    fi
  }
}
#endif

/* ---- an engine (runtime/run.py, sweep.py, resolve.py, answer.py) */
inline die() {
  byte k; deaths++; k = 1;
  do
  :: k > ROWS -> break
  :: else -> if :: by[k] == me && LIVE1(k) -> over(k) :: else fi; k++
  od;
  k = 0
}
#define OR_DIES :: atomic { deaths < DEATHS -> die(); goto idle }
#define LOST goto idle

inline doubt() {                                        /* -> doubt */
  if :: MINE && step2 == STARTED -> step2 = IN_DOUBT; end(DOUBTFUL) :: else fi
}
inline close_old() {
  if :: knew >= 1 -> closes(1) :: else fi;
  if :: knew >= 2 -> closes(2) :: else fi;
  if :: knew >= 3 -> closes(3) :: else fi
}
#ifdef VOID_KEYS
#define CLOSES(n) (knew == n && open[n])
#else
#define CLOSES(n) (knew >= n && open[n])
#endif
inline void() {                                         /* -> void */
  voided[1] = voided[1] || CLOSES(1); voided[2] = voided[2] || CLOSES(2); voided[3] = voided[3] || CLOSES(3);
#ifdef VOID_TAKES_BACK
  effect2 = 0
#else
  skip
#endif
}

proctype engine(byte me) {
  byte mine = 0, n = 0, knew = 0; bool saw = false, quiet = false; mtype:reason why = NONE;
idle:                                                   /* the engines are alike: the first one serves what is pressed */
  atomic { busy[me] = false; mine = 0; n = 0; knew = 0; saw = false; quiet = false; why = NONE };
end_idle:
  if
  :: atomic { plan == RUNNING ->                        /* -> take_over */
       busy[me] = true; epoch++; mine = epoch; stall++;
       if
       :: stall <= STALLS
       :: else ->                                       /* -> give_up */
          if
          :: step2 == STARTED -> doubt()
          :: step1 == DONE && step2 == DONE && step3 == DONE -> end(FINISHED)
          :: else -> end((cancelled -> CANCELLED : FAILED))
          fi;
          LOST
       fi };
     goto look
#if CLASS == 1 || CLASS == 2
  :: atomic { me == 1 && plan == ENDED && step2 == IN_DOUBT -> busy[me] = true; mine = epoch; quiet = SETTLED; knew = sends };
     goto again
#endif
#ifdef ANSWERS
  :: atomic { me == 1 && plan == ENDED && reason == FAILED && step2 != IN_DOUBT && retries < 1 && sends < ROWS -> /* -> retry */
       busy[me] = true; retries++; plan = RUNNING; reason = NONE; cancelled = false; told = 9; stall = 0;
       epoch++; mine = epoch; before = sends; age = 0;
       if :: step1 == NOT_DONE -> step1 = WAITING :: else fi;
       if :: step2 == NOT_DONE -> step2 = WAITING :: else fi;
       if :: step3 == NOT_DONE -> step3 = WAITING :: else fi;
       at = (step1 != DONE -> 0 : (step2 == DONE -> 2 : 1)) };
     goto look
#endif
#ifdef ANYWAY
  :: atomic { me == 1 && plan == ENDED && step2 == IN_DOUBT && anyways < 1 && sends < ROWS -> /* -> send_anyway, resend_anyway */
       busy[me] = true; anyways++; plan = RUNNING; reason = NONE; stall = 0;
       epoch++; mine = epoch; step2 = STARTED; open_send(me, mine); n = sends;
#ifndef NO_NOTE
       duplicate = true
#endif
     };
     goto wait
#endif
  fi;
look:                                                   /* domain/progress.py, next_move */
  if
  OR_DIES
  :: atomic { !MINE -> LOST }
  :: atomic { MINE && step1 == WAITING && !cancelled -> goto one }
  :: atomic { MINE && step1 == DONE && step2 == WAITING && !cancelled -> goto two }
  :: atomic { MINE && step2 == STARTED -> knew = sends; goto resolve }
  :: atomic { MINE && step2 == DONE && step3 == WAITING && !cancelled -> goto three }
  :: atomic { MINE && (step1 == NOT_DONE || step2 == NOT_DONE || step2 == IN_DOUBT || step3 != WAITING || cancelled) && step2 != STARTED ->
       if
       :: step2 == IN_DOUBT -> why = DOUBTFUL
       :: step2 != IN_DOUBT && step3 == DONE -> why = FINISHED
       :: else -> why = (cancelled -> CANCELLED : FAILED)
       fi };
     if OR_DIES :: atomic { true; if :: MINE -> end(why) :: else fi; LOST } fi
  fi;
one:
  if
  OR_DIES
  :: atomic {                                           /* -> local */
       true;
       if
       :: MINE && !cancelled && at < 1 && step1 == WAITING -> at = 1; stall = 0; effect1++; step1 = DONE; assert(effect1 == 1 && told == 9)
       :: else -> LOST
       fi }
  fi;
  goto look;
two:
#ifdef MARK_AFTER
  atomic { net[3] = true };                             /* the bytes leave, and nothing on disk says so */
#endif
  if
  OR_DIES
  :: atomic { true; if :: MINE && !cancelled && at < 2 && step1 == DONE && step2 == WAITING -> at = 2; step2 = NOT_DONE; end(FAILED) :: else fi; LOST } /* -> not_begun */
  :: atomic {                                           /* -> start */
       true;
       if
       :: MINE && !cancelled && at < 2 && step1 == DONE && step2 == WAITING ->
          at = 2; stall = 0; step2 = STARTED; open_send(me, mine); n = sends
#ifdef MARK_AFTER
          ; task[n] = LISTENS
#endif
       :: MINE && !cancelled && at < 2 && step1 == DONE && step2 != WAITING -> goto look
       :: else -> LOST
       fi }
  fi;
wait:                                                   /* as long as it likes: giving up is not the end of the send */
  if
  OR_DIES
  :: atomic { !LIVE1(n) -> n = 0 }
  :: atomic { LIVE1(n) ->
#ifdef GAVE_UP
       returned[n] = true;
#endif
       n = 0 }
  fi;
  goto look;
resolve:
#if CLASS == 0
#ifdef RERUN
  if
  OR_DIES
  :: atomic { true; if :: MINE && step2 == STARTED && !cancelled && sends < ROWS -> open_send(me, mine); n = sends :: else -> doubt(); LOST fi }
  fi;
  goto wait;
#elif defined(SPLIT_DOUBT)
  if OR_DIES :: atomic { true; if :: MINE && step2 == STARTED -> step2 = IN_DOUBT :: else -> LOST fi } fi;
  if OR_DIES :: atomic { true; if :: MINE -> end(DOUBTFUL) :: else fi; LOST } fi;
#else
  if OR_DIES :: atomic { true; doubt(); LOST } fi;
#endif
#elif CLASS == 1
  if OR_DIES :: atomic { saw = effect2 > 0 } fi;
  if
  OR_DIES
  :: atomic {                                           /* -> found */
       saw -> assert(step2 != NOT_DONE); happened2();
       if :: MINE -> if :: cancelled -> end(CANCELLED) :: else fi :: else -> correct() fi }
#ifdef RERUN_ABSENT
  :: atomic { !saw -> if :: MINE && step2 == STARTED && !cancelled && sends < ROWS -> close_old(); open_send(me, mine); n = sends :: else -> doubt(); LOST fi };
     goto wait
#else
  :: atomic { !saw -> true; doubt(); LOST }
#endif
  fi;
  goto look;
#elif CLASS == 2
#ifdef VOID_LATE
  if OR_DIES :: atomic { saw = effect2 > 0 } fi;
#else
  if OR_DIES :: atomic { void() } :: atomic { true; doubt(); LOST } fi;
  if OR_DIES :: atomic { saw = effect2 > 0 } fi;
#endif
  if
  OR_DIES
  :: atomic {
       saw -> assert(step2 != NOT_DONE); happened2();
       if :: MINE -> if :: cancelled -> end(CANCELLED) :: else fi :: else -> correct() fi }
  :: atomic { !saw -> true; doubt(); LOST }                   /* it could not be asked, or answered nothing */
  :: atomic { !saw ->
       if
       :: MINE && step2 == STARTED && !cancelled && sends < ROWS && sends - before < SENDS ->
          close_old(); open_send(me, mine); n = sends
       :: MINE && step2 == STARTED && !(!cancelled && sends < ROWS && sends - before < SENDS) ->
          assert(effect2 == 0); close_old(); step2 = NOT_DONE; end((cancelled -> CANCELLED : FAILED)); LOST /* -> closed */
       :: else -> LOST
       fi };
#ifdef VOID_LATE
     atomic { void() };
#endif
     goto wait
  fi;
  goto look;
#else
  if
  OR_DIES
  :: atomic {                                           /* -> resend */
       true;
       if
#ifdef RESEND_BLIND
       :: MINE && !cancelled && at == 2 && age == 0 && sends < ROWS && sends - before < SENDS ->
#elif defined(RESEND_CANCELLED)
       :: MINE && step2 == STARTED && at == 2 && age == 0 && sends < ROWS && sends - before < SENDS -> assert(!cancelled);
#elif defined(RESEND_LATE)
       :: MINE && !cancelled && step2 == STARTED && at == 2 && sends < ROWS && sends - before < SENDS ->
#else
       :: MINE && !cancelled && step2 == STARTED && at == 2 && age == 0 && sends < ROWS && sends - before < SENDS ->
#endif
          open_send(me, mine); n = sends
#if !defined(RESEND_BLIND) && !defined(RESEND_LATE)
       :: MINE && step2 == STARTED && (cancelled || age > 0 || sends >= ROWS || sends - before >= SENDS) -> doubt(); LOST
#else
       :: MINE && step2 == STARTED && (cancelled || sends >= ROWS || sends - before >= SENDS) -> doubt(); LOST
#endif
       :: else -> goto look
       fi }
  fi;
  goto wait;
#endif
#if CLASS == 1 || CLASS == 2
again:                                                  /* look_into: first settled, then looked */
#if CLASS == 2
  if OR_DIES :: atomic { void() } fi;
#endif
#ifdef CHECK_FIRST
  if OR_DIES :: atomic { saw = effect2 > 0 } fi;
  if OR_DIES :: atomic { quiet = SETTLED } fi;
#else
  if OR_DIES :: atomic { saw = effect2 > 0 } fi;
#endif
  if
  OR_DIES
  :: atomic {
       true;
       if
       :: epoch == mine && step2 == IN_DOUBT && saw -> happened2(); correct()
       :: epoch == mine && step2 == IN_DOUBT && !saw && (CLASS == 2 || quiet) -> /* -> absent */
          assert(effect2 == 0); close_old(); step2 = NOT_DONE; correct()
       :: else
       fi;
       LOST }
  fi;
#endif
three:
  if
  OR_DIES
  :: atomic {
       true;
       if
       :: MINE && !cancelled && at < 3 && step2 == DONE && step3 == WAITING ->
          at = 3; stall = 0; effect3++; step3 = DONE; end(FINISHED);
          assert(effect3 == 1 && effect1 == 1 && effect2 > 0 && told == 9)
       :: else
       fi;
       LOST }
  fi
}

#ifdef ANSWERS
/* ---- a person: draws the card, looks at the world, answers truly (runtime/answer.py) */
#ifdef CARD_OLD
#define THIS_CARD true
#else
#define THIS_CARD (card_epoch == epoch)
#endif
#ifdef CARD_EARLY
#define CARD_COUNTS (SETTLED)
#elif defined(NO_SETTLED)
#define CARD_COUNTS true
#else
#define CARD_COUNTS (card_settled && SETTLED)
#endif
#if defined(CARD_EARLY) || defined(NO_SETTLED)
#define WORTH true
#else
#define WORTH (SETTLED || effect2 > 0)                  /* another card leads to no answer that is taken */
#endif
active proctype person() {
end_person:
  do
  :: atomic { plan == ENDED && step2 == IN_DOUBT && !drawn && WORTH -> drawn = true; card_epoch = epoch; card_settled = SETTLED }
  :: atomic { drawn && !looked -> looked = true; saw_it = effect2 > 0 }
  :: atomic { looked ->
       if
       :: plan == ENDED && step2 == IN_DOUBT && saw_it -> happened2(); correct() /* -> happened, answered */
       :: plan == ENDED && step2 == IN_DOUBT && !saw_it && THIS_CARD && CARD_COUNTS -> /* -> did_not */
          assert(effect2 == 0);
          closes(1); closes(2); closes(3); step2 = NOT_DONE; correct()
       :: else
       fi;
       drawn = false; looked = false; saw_it = false; card_epoch = 0; card_settled = false }
  od
}
#endif

init { atomic { run engine(1); run engine(2) } }

active proctype judge() {
end_judge:
  atomic { !busy[1] && !busy[2] && plan == ENDED && !ON_ITS_WAY && !LIVE ->
    assert((step1 == DONE) == (effect1 == 1) && (step3 == DONE) == (effect3 == 1));
    assert(step1 != WAITING && step2 != WAITING && step2 != STARTED && step3 != WAITING);
    assert(step2 != DONE || effect2 > 0);
    assert(step2 != NOT_DONE || effect2 == 0);
    assert(effect2 <= 1 || duplicate);
    assert((reason == DOUBTFUL) == (step2 == IN_DOUBT));
    assert((reason == FINISHED) == (step1 == DONE && step2 == DONE && step3 == DONE));
    assert(step2 != NOT_DONE || !OPEN);
#ifndef BOUNDS
    assert(step2 != IN_DOUBT || SETTLED);               /* so both answers are offered */
#endif
#if WITNESS == 1
    assert(!(reason == FINISHED))
#elif WITNESS == 2
    assert(!(reason == FINISHED && deaths == DEATHS && sends > 1))
#elif WITNESS == 3
    assert(!(step2 == IN_DOUBT && effect2 == 1))
#elif WITNESS == 4
    assert(!(step2 == IN_DOUBT && effect2 == 0))
#elif WITNESS == 5
    assert(!(effect2 == 2))
#elif WITNESS == 6
    assert(!(retries == 1 && reason == FINISHED && sends > 1))
#elif WITNESS == 7
    assert(!(reason == CANCELLED && step2 == DONE))
#elif WITNESS == 8
    assert(!(step2 == NOT_DONE && sends == SENDS))
#endif
  }
}
