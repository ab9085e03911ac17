/* fence.pml - an older copy of the database is put back (runtime/fence.py). The world keeps what was sent in
 * the time that is lost; the copy knows nothing of it. Nobody sends anything from it until somebody has put
 * up the fence, and then nothing of before begins by itself or by an old button.
 *
 * One outside step, each round under a key of its own, by an action that may be looked at (CHECKED) or not.
 * The processes of the lost database are stopped; what they wrote may still arrive.
 *
 *   NO_FENCE       the copy is used as it is
 *   STARTED_ONLY   only steps that had begun in the copy end in doubt, not those that wait
 *   ASKING_STAYS   questions of the copy may be answered
 *   RETRY_STAYS    a retry of what had failed in the copy may be pressed
 *   BOUNDS_KNOWN   the doubt counts as settled at once: what has no send in the copy was not sent
 *   ABSENT_RULES   a look that finds nothing rules it out (CHECKED)
 *   EPOCH_NEXT     the fence adds one to the epoch, as the time that is lost may have done (CHECKED)
 *   ANSWER_BEFORE  "it did not happen" is taken before the fence is up, from a card of the time that is lost (CHECKED)
 *   SENDS_BEFORE   what was found elsewhere than it was may send before the fence is up
 * WITNESS 1: it happened in the time that is lost, and is in doubt;  2: it did not, and is done after all. */
#define NONE 0
#define ASKING 1
#define RUNNING 2
#define ENDED 3
#define WAITING 0
#define STARTED 1
#define DONE 2
#define NOT_DONE 3
#define IN_DOUBT 4
#define YES 1
#define NO 2
byte plan = ASKING, step = WAITING, round = 1, epoch = 0;
bool open = false, returned = false, past = false, offered = true;
byte c_plan, c_step, c_round, c_epoch; bool c_open, c_returned;
bool copied = false, restored = false, fenced = true;
/* in the process, and gone with it */
bool armed = false, listens = false; byte heard = 0;
/* the world */
bool net = false; byte net_round = 0, effect = 0, takes = 0; bool there[4];
bool old_answer = false, drawn = false, quiet = false, seen = false, looked = false; byte card_epoch = 0;
#ifdef SENDS_BEFORE
#define MAY_SEND true
#else
#define MAY_SEND fenced
#endif
#ifdef ANSWER_BEFORE
#define MAY_ANSWER true
#else
#define MAY_ANSWER fenced
#endif
#ifdef BOUNDS_KNOWN
#define SETTLED true
#else
#define SETTLED (!net && !armed && !listens)
#endif

active proctype world() {
end_world:
  do
  :: atomic { net -> net = false;
       if
       :: effect++; there[net_round] = true; assert(effect == 1); if :: listens -> heard = YES :: skip fi
       :: if :: listens -> heard = NO :: skip fi
       :: skip
       fi }
  od
}
active proctype engine() {
end_engine:
  do
  :: atomic { plan == RUNNING && step == WAITING && MAY_SEND -> step = STARTED; open = true; returned = false; armed = true } /* -> start */
  :: atomic { armed -> armed = false; net = true; net_round = round; listens = true }
  :: atomic { listens && heard == YES -> listens = false; heard = 0; open = false; step = DONE; plan = ENDED } /* -> made */
  :: atomic { listens && heard == NO -> listens = false; heard = 0; open = false; step = NOT_DONE; plan = ENDED } /* -> refused */
  :: atomic { listens && heard == 0 -> listens = false; returned = true }
  :: atomic { plan == RUNNING && takes < 2 && MAY_SEND -> takes++; epoch++; armed = false; listens = false; heard = 0 } /* -> take_over: its owner died */
  :: atomic { plan == RUNNING && step == STARTED && !armed && !listens && MAY_SEND -> step = IN_DOUBT; plan = ENDED } /* -> doubt */
#ifdef CHECKED
  :: atomic { plan == ENDED && step == IN_DOUBT && MAY_SEND && SETTLED && there[round] -> step = DONE; open = false; epoch++ } /* -> found */
#ifdef ABSENT_RULES
  :: atomic { plan == ENDED && step == IN_DOUBT && MAY_SEND && SETTLED && !there[round] -> assert(effect == 0); step = NOT_DONE; open = false; epoch++ }
#else
  :: atomic { plan == ENDED && step == IN_DOUBT && MAY_SEND && SETTLED && !there[round] && !past -> assert(effect == 0); step = NOT_DONE; open = false; epoch++ } /* -> absent */
#endif
#endif
  od
}
active proctype person() {
end_person:
  do
  :: atomic { plan == ASKING && MAY_SEND -> plan = RUNNING; epoch++ } /* -> press */
  :: atomic { plan == ENDED && step == NOT_DONE && offered && MAY_SEND && round < 3 -> round++; step = WAITING; plan = RUNNING; epoch++ } /* -> retry */
  :: atomic { plan == ENDED && step == IN_DOUBT && fenced && !drawn -> drawn = true; card_epoch = epoch; quiet = SETTLED;
#if WITNESS == 1
       assert(!(restored && past && effect == 1))
#endif
     }
  :: atomic { drawn && !looked -> looked = true; seen = effect > 0 }
  :: atomic { drawn && looked ->
       if
       :: plan == ENDED && step == IN_DOUBT && seen -> step = DONE; open = false; past = false; epoch++
       :: plan == ENDED && step == IN_DOUBT && !seen && quiet && SETTLED && card_epoch == epoch && MAY_ANSWER -> /* -> did_not */
          assert(effect == 0); step = NOT_DONE; open = false; past = false; epoch++
       :: else
       fi;
       drawn = false; looked = false; seen = false; quiet = false }
  od
}
active proctype keeper() {                              /* copies it once, and puts the copy back once */
end_copy:
  atomic { !copied -> copied = true; c_plan = plan; c_step = step; c_round = round; c_epoch = epoch; c_open = open; c_returned = returned };
end_back:
  atomic { !restored -> restored = true;
    plan = c_plan; step = c_step; round = c_round; epoch = c_epoch; open = c_open; returned = c_returned;
    armed = false; listens = false; heard = 0;        /* a card that somebody has open stays open */
    old_answer = (step == NOT_DONE);
#ifdef NO_FENCE
    fenced = true
#else
    fenced = false
#endif
  };
#ifndef NO_FENCE
  atomic {                                              /* -> fence */
#ifndef RETRY_STAYS
    if :: plan == ENDED && step == NOT_DONE -> offered = false :: else fi;
#endif
    if
#ifdef STARTED_ONLY
    :: plan == RUNNING && step == STARTED ->
#elif defined(ASKING_STAYS)
    :: plan == RUNNING ->
#else
    :: plan != ENDED ->
#endif
       plan = ENDED; step = IN_DOUBT; open = true; past = true /* -> lose, fence_end */
    :: plan == ENDED && step == IN_DOUBT -> past = true
    :: else
    fi;
#ifdef EPOCH_NEXT
    epoch++;
#else
    epoch = epoch + 50;                                 /* no card of the time that is lost has it */
#endif
    fenced = true
  }
#endif
}
active proctype judge() {
end_judge:
  atomic { timeout ->
    assert(effect <= 1);
    assert(fenced && plan != RUNNING);
    assert(step != DONE || effect == 1);
    assert(step != NOT_DONE || effect == 0 || old_answer);
#if WITNESS == 2
    assert(!(restored && !old_answer && round > c_round && step == DONE && c_step == WAITING))
#endif
  }
}
