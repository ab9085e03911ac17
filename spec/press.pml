/* press.pml - a question and everything that may end it: two presses of its button, a newer plan, its
 * time, a "no". Each is one conditional UPDATE of the plan's row from 'asking' (runtime/press.py,
 * confirm.py, propose.py, dismiss.py), together with the question's own use, in one commit.
 *
 * Plan 1 asks; plans 2 and 3 are proposed in the same slot. A sweep finds questions whose time has
 * passed. The facts may change, and then plan 1 asks anew, for another while (confirm.py, _ask_again).
 *
 * Without TIME: the presses, two newer plans, a "no". With TIME: presses of plan 1, one newer plan, the
 * clock, the sweep, and facts that change.
 *
 *   TOKEN_FIRST      the question is used in one commit, the plan starts in the next
 *   PLAN_FIRST       the plan starts in one commit, the question is used in the next
 *   NO_WAKE          the press does not set resume_after in its own commit
 *   SUPERSEDE_BLIND  a newer plan ends the older one without asking whether it still asks
 *   NO_SLOT          nothing makes the pending question of a slot one
 *   CARD_OLD         what the new card says of the older plan is read before that plan's row is taken
 *   EXPIRE_BLIND     the sweep ends what it has seen without asking whether it still asks
 *   EXPIRE_OLD       the sweep does not look again whether the time of the question that stands has passed
 *   PRESS_LATE       a press does not ask whether the question's time has passed
 *   DECLINE_BLIND    a "no" ends what it has seen without asking whether it still asks
 * WITNESS 1: two plans of one slot run and the later card shows it;  2: a question expires;  3: it is put anew and taken. */
#define NONE 0
#define ASKING 1
#define RUNNING 2
#define OVER 3
#define SUPERSEDED 4
#define EXPIRED 5
#define DECLINED 6
byte plan[4], runs[4], version[4];
bool used[4], wakes[4], late[4], said_yes[4], shows_it[4], had_begun[4];
byte slot = 1, deaths = 0, over = 0;
bool anew = false, held = false;

#define FREE(k) (k != 1 || !held)                       /* nobody holds the plan's row */
#define BEGUN(k) (plan[k] == RUNNING || plan[k] == OVER)
#define DIES if :: deaths < 1 -> deaths++; goto out :: skip fi
inline free(k) { if :: slot == k -> slot = 0 :: else fi }
inline runs_once(k) { runs[k]++; assert(runs[k] == 1) }

proctype press(byte k) {                                /* k: the plan; the token is of a version */
  byte mine;
  plan[k] != NONE;
  mine = version[k];                                    /* the card that the person sees */
  DIES;
#ifdef TOKEN_FIRST
  atomic { FREE(k) -> if :: plan[k] == ASKING && !used[k] && version[k] == mine && !late[k] -> used[k] = true; said_yes[k] = true :: else -> goto out fi };
  DIES;
  atomic { FREE(k) -> if :: plan[k] == ASKING -> plan[k] = RUNNING; wakes[k] = true; free(k) :: else -> goto out fi };
#elif defined(PLAN_FIRST)
  atomic { FREE(k) -> if :: !used[k] && version[k] == mine && !late[k] -> plan[k] = RUNNING; wakes[k] = true; said_yes[k] = true; runs_once(k); free(k) :: else -> goto out fi };
  DIES;
  atomic { used[k] = true; plan[k] = OVER };
  goto out;
#else
  atomic { FREE(k) ->                                   /* -> press */
    if
#ifdef PRESS_LATE
    :: plan[k] == ASKING && !used[k] && version[k] == mine ->
#else
    :: plan[k] == ASKING && !used[k] && version[k] == mine && !late[k] ->
#endif
       assert(!late[k]);
       plan[k] = RUNNING; used[k] = true; said_yes[k] = true; free(k);
#ifndef NO_WAKE
       wakes[k] = true
#endif
    :: else -> goto out
    fi };
#endif
  DIES;
  atomic { FREE(k) -> if :: plan[k] == RUNNING -> plan[k] = OVER; runs_once(k) :: else fi };
out:
  over++
}
proctype proposal(byte k) {
  byte older; bool sees = false;
  DIES;
#ifdef CARD_OLD
  sees = BEGUN(1);
#endif
#if defined(SUPERSEDE_BLIND) || defined(NO_SLOT)
  older = slot;
#endif
#ifdef NO_SLOT
  atomic { FREE(older) -> if :: older != 0 && plan[older] == ASKING -> plan[older] = SUPERSEDED :: else fi };
  atomic { plan[k] = ASKING; version[k] = 1; slot = k };
#else
  atomic { FREE(1) ->                                   /* -> propose, ask */
#ifdef SUPERSEDE_BLIND
    if :: older != 0 -> plan[older] = SUPERSEDED :: else fi;
    if :: slot != 0 -> plan[slot] = SUPERSEDED :: else fi;
#else
    if :: slot != 0 && plan[slot] == ASKING -> plan[slot] = SUPERSEDED :: else fi; /* -> supersede */
#endif
#ifndef CARD_OLD
    sees = BEGUN(1);
#endif
    slot = k; plan[k] = ASKING; version[k] = 1;
    shows_it[k] = sees; had_begun[k] = BEGUN(1)
  };
#endif
out:
  if :: plan[k] == NONE -> plan[k] = DECLINED :: else fi;
  over++
}
#ifdef TIME
active proctype clock() {                               /* the time of plan 1's question passes */
end_clock:
  do
  :: atomic { plan[1] == ASKING && !late[1] -> late[1] = true }
  od
}
active proctype facts() {                               /* a press finds other facts: plan 1 asks anew, for another while */
end_facts:
  atomic { plan[1] == ASKING && !used[1] && !late[1] -> held = true }; /* judged in time, and it holds the row */
  atomic { held = false; version[1]++; late[1] = false; anew = true }
}
active proctype sweep() {
  byte k = 0;
end_sweep:
  do
  :: atomic { plan[1] == ASKING && late[1] -> k = 1 }
  :: atomic { k != 0 && FREE(k) ->                      /* -> expire */
#ifdef EXPIRE_BLIND
       if
       :: true ->
#elif defined(EXPIRE_OLD)
       if
       :: plan[k] == ASKING ->
#else
       if
       :: plan[k] == ASKING && late[k] ->
#endif
          assert(late[k] && !BEGUN(k)); plan[k] = EXPIRED; free(k)
       :: else
       fi;
       k = 0 }
  od
}
#else
active proctype says_no() {
  byte k = 0;
  if
  :: atomic { plan[1] == ASKING -> k = 1 }
  :: skip
  fi;
#ifdef DECLINE_BLIND
  atomic { FREE(k) -> if :: k != 0 -> plan[k] = DECLINED; free(k) :: else fi };
#else
  atomic { FREE(k) -> if :: k != 0 && plan[k] == ASKING -> plan[k] = DECLINED; free(k) :: else fi }; /* -> decline */
#endif
  over++
}
#endif
init { atomic {
  plan[1] = ASKING; version[1] = 1;
  run press(1); run press(1); run proposal(2);
#ifndef TIME
  run proposal(3); run press(2)
#endif
  } }

#ifdef TIME
#define ALL 3
#else
#define ALL 6
#endif
#define ASKS(k) (plan[k] == ASKING -> 1 : 0)
active proctype one_question() { end_one: atomic { ASKS(1) + ASKS(2) + ASKS(3) > 1 -> assert(false) } }
active proctype judge() {
  byte k = 1;
  atomic { over == ALL ->
    do                                                  /* whoever sweeps takes over what says that it may be */
    :: k > 3 -> break
    :: else -> if :: plan[k] == RUNNING && wakes[k] -> plan[k] = OVER; runs_once(k) :: else fi; k++
    od;
    k = 1;
    do
    :: k > 3 -> break
    :: else ->
       assert(runs[k] <= 1 && plan[k] != RUNNING);
       assert(!said_yes[k] || (runs[k] == 1 && plan[k] == OVER)); /* a yes is not lost, and not said to be something else */
       assert(runs[k] == 0 || said_yes[k]);
       k++
    od;
    assert(!had_begun[2] || shows_it[2]);
    assert(!had_begun[3] || shows_it[3]);
#if WITNESS == 1
    assert(!(runs[1] == 1 && runs[2] == 1 && shows_it[2]))
#elif WITNESS == 2
    assert(!(plan[1] == EXPIRED))
#elif WITNESS == 3
    assert(!(anew && runs[1] == 1))
#endif
  }
}
