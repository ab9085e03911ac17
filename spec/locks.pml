/* locks.pml - the order in which rows are taken: plan, question, step, host rows; a proposal takes its
 * key first, then its slot's older plan, then rehearses on host rows (docs/storage.md).
 *
 * A Local step holds its plan's row and then a host row; a proposal meets both; a late proof wants the
 * plan's row only, and writes no offer.
 *
 *   HOST_FIRST  a proposal rehearses first and supersedes afterwards
 *   KEY_LAST    a proposal takes its key after the older plan's row, as two of one request may
 *   SLOT_PROOF  a late proof puts its offer into the pending slot, in its own transaction
 * WITNESS 1: the proposal supersedes a plan whose step has run. */
byte plan_row = 0, host_row = 0, key_row = 0, slot = 0, over = 0, ran = 0;
bool recorded = false, superseded_after = false;
#define TAKE(row, who) atomic { row == 0 -> row = who }

active proctype local_step() {
  TAKE(plan_row, 1);
  TAKE(host_row, 1);
  atomic { ran++; host_row = 0; plan_row = 0 };         /* -> local */
  over++
}
proctype proposal(byte me) {
#ifdef KEY_LAST
  if
  :: me == 2 -> TAKE(plan_row, me); TAKE(key_row, me)
  :: else -> TAKE(key_row, me); TAKE(plan_row, me)
  fi;
  TAKE(host_row, me);
#elif defined(HOST_FIRST)
  TAKE(key_row, me);
  TAKE(host_row, me);
  TAKE(plan_row, me);
#else
  TAKE(key_row, me);                                    /* -> propose */
  TAKE(plan_row, me);                                   /* -> supersede */
  TAKE(host_row, me);
#endif
  atomic { slot = me; superseded_after = ran > 0; host_row = 0; plan_row = 0; key_row = 0 };
  over++
}
active proctype late_proof() {
  TAKE(plan_row, 4);
  atomic {                                              /* -> made_late, prove */
#ifdef SLOT_PROOF
    if :: slot == 0 -> slot = 4; recorded = true :: else fi;
#else
    recorded = true;                                    /* what may be offered is derived when it is shown */
#endif
    plan_row = 0 };
  over++
}
init { atomic { run proposal(2); run proposal(3) } }
active proctype judge() {
end_judge:
  atomic { timeout ->
    assert(over == 4);                                  /* nobody waits for ever */
    assert(recorded);
#if WITNESS == 1
    assert(!superseded_after)
#endif
  }
}
