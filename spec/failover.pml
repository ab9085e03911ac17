/* failover.pml - the primary dies at any moment and its standby is promoted. Step 1 is outside (Opaque),
 * step 2 Local. With a synchronous standby a COMMIT is answered once the standby has it; one that was
 * under way when the primary died is unknown, and is looked for by its own mark (runtime/core.py).
 *
 * Others may read what is committed and not yet answered, which is more than PostgreSQL lets them.
 *
 *   ASYNC          nobody waits for the standby
 *   UNKNOWN_MADE   a COMMIT whose answer is lost counts as made
 *   NO_STEP_BEFORE a start does not ask whether the step before is done
 * WITNESS 1: it finishes after a failover that lost a COMMIT;  2: a send is in doubt and had arrived. */
#ifndef DEATHS
#define DEATHS 1
#endif
mtype:plan = { RUNNING, ENDED };
mtype:step = { WAITING, STARTED, DONE, NOT_DONE, IN_DOUBT };
/* the primary's rows */
mtype:plan plan = RUNNING;
mtype:step step1 = WAITING, step2 = WAITING;
byte epoch = 0, at = 0, stall = 0, taker = 0, effect2 = 0;
/* the standby's */
mtype:plan s_plan = RUNNING;
mtype:step s_step1 = WAITING, s_step2 = WAITING;
byte s_epoch = 0, s_at = 0, s_stall = 0, s_taker = 0, s_effect2 = 0;
bool behind = false;
byte timeline = 0;
/* the world */
byte effect1 = 0, marks = 0, deaths = 0;
bool net[3], heard[3], busy[3];
bool reported = false, lost_one = false;

active proctype standby() {
end_standby:
  do
  :: atomic { behind -> behind = false;
       s_plan = plan; s_step1 = step1; s_step2 = step2; s_epoch = epoch; s_at = at; s_stall = stall; s_taker = taker; s_effect2 = effect2 }
  :: atomic { timeline == 0 -> timeline = 1; lost_one = behind; behind = false;
       plan = s_plan; step1 = s_step1; step2 = s_step2; epoch = s_epoch; at = s_at; stall = s_stall; taker = s_taker; effect2 = s_effect2 }
  od
}
#define COMMIT behind = true; line = timeline
#ifdef ASYNC
#define ANSWERED(lost) skip
#else
#define ANSWERED(lost) if :: atomic { line == timeline && !behind -> skip } :: atomic { line != timeline -> line = timeline; goto lost } fi
#endif
#define MINE (plan == RUNNING && epoch == mine)
#define OR_DIES :: atomic { deaths < DEATHS -> deaths++; heard[me] = false; goto idle }
inline ends() { plan = ENDED; if :: step1 == WAITING -> step1 = NOT_DONE :: else fi; if :: step2 == WAITING -> step2 = NOT_DONE :: else fi }

active proctype wire() {
end_wire:
  do
  :: atomic { net[1] -> net[1] = false; if :: effect1++; heard[1] = true :: effect1++ :: skip fi; assert(effect1 <= 1) }
  :: atomic { net[2] -> net[2] = false; if :: effect1++; heard[2] = true :: effect1++ :: skip fi; assert(effect1 <= 1) }
  od
}
proctype engine(byte me) {
  byte mine = 0, mark = 0, line = 0;
idle:
  atomic { busy[me] = false; mine = 0; mark = 0; line = 0 };
end_idle:
  atomic { plan == RUNNING ->                           /* -> take_over */
    busy[me] = true; epoch++; stall++; mine = epoch; marks++; mark = marks; taker = mark;
    if
    :: stall > 2 -> if :: step1 == STARTED -> step1 = IN_DOUBT :: else fi; ends()
    :: else
    fi;
    COMMIT };
  ANSWERED(taken);
  goto look;
taken:
#ifdef UNKNOWN_MADE
  goto look;
#else
  if :: atomic { taker == mark && MINE } -> goto look :: atomic { !(taker == mark && MINE) -> goto idle } fi;
#endif
look:
  if
  OR_DIES
  :: atomic { !MINE -> goto idle }
  :: atomic { MINE && step1 == WAITING } -> goto start
  :: atomic { MINE && step1 == STARTED } -> goto doubt
  :: atomic { MINE && step1 == DONE && step2 == WAITING } -> goto second
  :: atomic { MINE && (step1 == NOT_DONE || step1 == IN_DOUBT || step2 != WAITING) } ->
     if OR_DIES :: atomic { if :: MINE -> ends() :: else fi; COMMIT } -> ANSWERED(idle); goto idle fi
  fi;
start:
  if
  OR_DIES
  :: atomic {                                           /* -> start */
       if
       :: MINE && at < 1 && step1 == WAITING -> at = 1; stall = 0; step1 = STARTED
       :: else -> goto idle
       fi;
       COMMIT }
  fi;
  ANSWERED(marked);
  goto send;
marked:                                                 /* has_begun, under the plan's row */
#ifndef UNKNOWN_MADE
  if :: atomic { epoch == mine && at >= 1 && step1 == STARTED } :: atomic { !(epoch == mine && at >= 1 && step1 == STARTED) -> goto start } fi;
#endif
send:
  atomic { net[me] = true };
  if
  OR_DIES
  :: atomic { heard[me] -> heard[me] = false }
  :: atomic { heard[me] = false } -> goto look          /* no answer */
  fi;
made:
  if
  OR_DIES
  :: atomic {                                           /* -> made, made_late, prove */
       if
       :: step1 == WAITING || step1 == STARTED || step1 == IN_DOUBT ->
          step1 = DONE; if :: plan == ENDED -> epoch++ :: else fi
       :: else
       fi;
       COMMIT }
  fi;
  ANSWERED(made);                                       /* insist */
  atomic { reported = true };
  goto look;
doubt:
  if
  OR_DIES
  :: atomic { if :: MINE && step1 == STARTED -> step1 = IN_DOUBT; ends() :: else fi; COMMIT } /* -> doubt */
  fi;
  ANSWERED(look);
  goto idle;
second:
  if
  OR_DIES
  :: atomic {                                           /* -> local, end */
       if
#ifdef NO_STEP_BEFORE
       :: MINE && at < 2 && step2 == WAITING ->
#else
       :: MINE && at < 2 && step2 == WAITING && step1 == DONE ->
#endif
          assert(step1 == DONE); at = 2; stall = 0; effect2++; step2 = DONE; plan = ENDED
       :: else
       fi;
       COMMIT }
  fi;
  ANSWERED(idle);
  goto idle
}
init { atomic { run engine(1); run engine(2) } }
active proctype judge() {
end_judge:
  atomic { !busy[1] && !busy[2] && plan == ENDED && !behind && !net[1] && !net[2] ->
    assert(effect1 <= 1 && effect2 <= 1);
    assert((step2 == DONE) == (effect2 == 1));
    assert(step1 != STARTED && step1 != WAITING && step2 != WAITING);
    assert(step1 != DONE || effect1 == 1);
    assert(step1 != NOT_DONE || effect1 == 0);
    assert(!reported || step1 == DONE);                 /* what was said to be done is not lost */
    assert(step2 != DONE || step1 == DONE);
#if WITNESS == 1
    assert(!(step2 == DONE && lost_one))
#elif WITNESS == 2
    assert(!(step1 == IN_DOUBT && effect1 == 1 && timeline == 1))
#endif
  }
}
