/* fuse.pml - precision: two outside steps in a row, no crash and no lost answer. Preparing the second may
 * fail, a person may stop the plan. A step may be in doubt only when a send of it has begun, and what is
 * proven is recorded whatever comes after it. So a result is a commit of its own (runtime/proof.py), and
 * the next start is another one (runtime/outside.py).
 *
 *   FUSED         the next start rides in the result's commit, and is prepared afterwards
 *   NO_SAVEPOINT  as FUSED, prepared before, but a start that is refused takes the result with it
 * WITNESS 1: both steps are done;  2: the second is given up before it begins. */
mtype = { WAITING, STARTED, DONE, NOT_DONE, IN_DOUBT };
mtype step1 = STARTED, step2 = WAITING;
bool cancelled = false, sent2 = false, over = false;

active proctype person() { if :: cancelled = true :: skip fi }
active proctype engine() {
  bool good;
#ifdef FUSED
  atomic { step1 = DONE; if :: !cancelled -> step2 = STARTED :: else -> goto out fi };
  if :: skip :: step2 = IN_DOUBT; goto out fi;          /* preparing fails: neither made nor refused */
#elif defined(NO_SAVEPOINT)
  if :: skip :: atomic { step1 = DONE; step2 = NOT_DONE }; goto out fi;
  atomic { if :: !cancelled -> step1 = DONE; step2 = STARTED :: else fi };
  if :: step1 != DONE -> step1 = IN_DOUBT; goto out :: else fi;
#else
  step1 = DONE;                                         /* -> made */
  if :: good = true :: good = false fi;                 /* prepare() */
  if
  :: good -> atomic { if :: !cancelled -> step2 = STARTED :: else -> goto out fi } /* -> start */
  :: else -> atomic { if :: !cancelled -> step2 = NOT_DONE :: else fi }; goto out /* -> not_begun */
  fi;
#endif
  sent2 = true;
  if :: step2 = DONE :: step2 = IN_DOUBT fi;
out:
  over = true
}
active proctype judge() {
  atomic { over ->
    assert(step1 == DONE);                              /* the proof was in hand */
    assert(step2 != IN_DOUBT || sent2);
    assert(step2 != STARTED);
#if WITNESS == 1
    assert(!(step2 == DONE))
#elif WITNESS == 2
    assert(!(step2 == NOT_DONE))
#endif
  }
}
