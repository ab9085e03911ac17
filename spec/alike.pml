/* alike.pml - two plans that would make the same record twice. Each showed what it looked like when it
 * was proposed; its Local step looks again in its own transaction, and a record that nobody was shown
 * stales it (runtime/begin.py, checked). Whoever decides by what it reads holds its organization's
 * writing first (keys.hold, WRITES), so nobody writes between the look and the commit.
 *
 * Both plans are shown nothing alike, since nothing is there yet.
 *
 *   NO_HOLD     nothing is held: each looks in its snapshot, and both write
 *   HOLD_LATE   it is held only after the look
 *   SHOWN_ONCE  what was shown is not looked for again at the step
 *   SHOWN_NONE  a match is a match: what the person was shown and accepted stales the step too
 * ACCEPTED: plan 2 is proposed after plan 1 has run, and its person accepts the match.
 * WITNESS 1: one of two is stopped;  2: an accepted match does run. */
byte holder = 0, records = 0, over = 0, ran = 0, stale = 0;
bool accepted[3];

proctype plan_of(byte me) {
  byte seen = 0;
#ifdef ACCEPTED
  if
  :: me == 2 -> ran + stale == 1; if :: records == 1 -> accepted[2] = true :: else fi
  :: else
  fi;
#endif
#if !defined(NO_HOLD) && !defined(HOLD_LATE)
  atomic { holder == 0 -> holder = me };                /* keys.hold */
#endif
#ifdef SHOWN_ONCE
  seen = 0;
#else
  seen = records;                                       /* similar(), in the transaction's snapshot */
#endif
#ifdef HOLD_LATE
  atomic { holder == 0 -> holder = me };
#endif
  if
#ifdef SHOWN_NONE
  :: seen > 0 -> atomic { stale++; holder = 0 }
  :: seen == 0 ->
#else
  :: seen > (accepted[me] -> 1 : 0) -> atomic { stale++; if :: holder == me -> holder = 0 :: else fi } /* -> not_begun */
  :: seen <= (accepted[me] -> 1 : 0) ->
#endif
     atomic {                                           /* -> local */
       assert(records == 0 || accepted[me]);
       records++; ran++; if :: holder == me -> holder = 0 :: else fi }
  fi;
  over++
}
init { atomic { run plan_of(1); run plan_of(2) } }
active proctype judge() {
  atomic { over == 2 ->
    assert(holder == 0 && ran + stale == 2);
    assert(ran >= 1);
    assert(records == 1 || accepted[2]);
    assert(!accepted[2] || ran == 2);                   /* what was accepted is not asked again */
#if WITNESS == 1
    assert(!(stale == 1))
#elif WITNESS == 2
    assert(!(accepted[2] && ran == 2))
#endif
  }
}
