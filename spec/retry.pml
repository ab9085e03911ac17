/* retry.pml - what may be pressed after a plan has ended: retry, undo, an answer about a doubt, "send
 * again anyway", and the retry of an undo that came only half way; and a proof that comes late
 * (runtime/offer.py, undo.py, answer.py, proof.py).
 *
 * Step 1 is Local, done, and can be taken back; step 2 is outside (Opaque), and its first send is in doubt
 * or was refused. Each press is one UPDATE of the plan's row WHERE epoch = the offer's, and adds one to it,
 * so that the first press makes every other offer worthless. An undo is a plan of its own; it may come to
 * nothing (what it would take back was changed since), and then the first plan is as before; or half way.
 *
 *   OFFER_ONLY      an offer is judged when it is drawn, not when it is pressed
 *   NO_BUMP         a press leaves the epoch as it was
 *   RETRY_UNDONE    a retry does not ask whether the plan was taken back
 *   UNDO_OPEN       an undo does not ask for open sends and possible duplicates
 *   GIVEN_BACK      an undo that came half way gives the plan back
 *   AGAIN_BLIND     an undo is offered to go on without asking whether it still is the plan's undo
 * WITNESS 1: a retry ends well;  2: an undo takes both back;  3: an undo comes to nothing and the retry runs;
 *   4: an undo goes on after it came half way;  5: a possible duplicate. */
#define ENDED 0
#define RUNNING 1
#define WAITING 0
#define STARTED 1
#define DONE 2
#define NOT_DONE 3
#define IN_DOUBT 4
byte plan = ENDED, epoch = 1, step2 = IN_DOUBT, undone_by = 0;
bool open1 = true, open2 = false, on_way1 = false, on_way2 = false, lives1 = true, lives2 = false, arrived1 = false, arrived2 = false;
bool duplicate = false, by_person = false, sent_again = false;
byte effect2 = 0, back1 = 0, back2 = 0;                 /* how often each was taken back */
byte undo_state[3], undo_epoch[3], covers[3];           /* the two undos there may be: ENDED, RUNNING; 9: not there */
bool done1[3], done2[3];                                /* their steps */
byte undos = 0, retried = 0, went_on = 0, answers = 0;
bool ready = false, nothing_came = false;
/* offers, as they were drawn: 0 none */
byte retry_offer = 0, undo_offer = 0, undo_shows = 0, go_on_offer = 0, go_on_of = 0;

#define SETTLED ((!open1 || (!lives1 && !on_way1)) && (!open2 || (!lives2 && !on_way2)))
#define MAY_RETRY (plan == ENDED && step2 == NOT_DONE && undone_by == 0)
#ifdef UNDO_OPEN
#define MAY_UNDO (plan == ENDED && undone_by == 0 && step2 != IN_DOUBT)
#else
#define MAY_UNDO (plan == ENDED && undone_by == 0 && step2 != IN_DOUBT && step2 != STARTED && !open1 && !open2 && !by_person && !sent_again)
#endif
#ifdef NO_BUMP
#define BUMP skip
#else
#define BUMP epoch++
#endif
#ifdef OFFER_ONLY
#define AS_OFFERED(one) true
#else
#define AS_OFFERED(one) (epoch == one)
#endif
inline lands() {
  effect2++;
  assert(effect2 == 1 || duplicate);
  assert(step2 != NOT_DONE && step2 != WAITING);
  assert(back1 == 0)                                    /* nothing is sent of what was taken back */
}
inline correct() { if :: plan == ENDED -> epoch++ :: else fi } /* -> prove */
active proctype wire() {
end_wire:
  do
  :: atomic { on_way1 -> on_way1 = false; if :: lands(); arrived1 = true :: skip fi }
  :: atomic { on_way2 -> on_way2 = false; if :: lands(); arrived2 = true :: skip fi }
  od
}
active proctype first_sender() {                        /* it holds the first send, not made yet: may pause, die, hear a proof late */
end_ready:
  ready;
  if :: lives1 :: else -> goto out fi;
  if
  :: atomic { lives1 = false } -> goto out
  :: atomic { on_way1 = true }
  fi;
  if
  :: atomic { lives1 = false }                          /* -> returned */
  :: atomic { arrived1 && !on_way1 ->                   /* -> made_late, made_of_old */
       lives1 = false; open1 = false;
       if
       :: step2 == IN_DOUBT -> step2 = DONE; correct()
       :: step2 == STARTED || step2 == WAITING -> step2 = DONE
       :: else
       fi }
  :: atomic { !arrived1 && !on_way1 ->                  /* -> refused, refused_while_open */
       lives1 = false; open1 = false;
       if :: !open2 && step2 == IN_DOUBT -> step2 = NOT_DONE; correct() :: else fi }
  fi;
out:
  skip
}
inline second_send() {
  on_way2 = true;
  if
  :: atomic { !on_way2 && arrived2 -> lives2 = false; open2 = false; if :: step2 != NOT_DONE -> step2 = DONE :: else fi; plan = ENDED }
  :: atomic { !on_way2 && !arrived2 ->
       lives2 = false; open2 = false;
       if :: step2 == STARTED && !open1 -> step2 = NOT_DONE :: step2 == STARTED && open1 -> step2 = IN_DOUBT :: else fi;
       plan = ENDED }
  :: atomic { lives2 = false; if :: step2 == STARTED -> step2 = IN_DOUBT :: else fi; plan = ENDED }
  fi
}
active proctype presses_retry() {
  byte mine;
end_retry:
  retry_offer != 0;
  atomic {                                              /* -> retry */
    if
#ifdef RETRY_UNDONE
    :: plan == ENDED && step2 == NOT_DONE && retried == 0 ->
#elif defined(OFFER_ONLY)
    :: plan == ENDED && step2 == NOT_DONE && retried == 0 ->
#else
    :: MAY_RETRY && AS_OFFERED(retry_offer) && retried == 0 ->
#endif
       retried++; plan = RUNNING; BUMP; mine = epoch; step2 = WAITING
    :: else -> goto out
    fi };
  atomic {
    if
    :: epoch == mine && plan == RUNNING && step2 == WAITING -> step2 = STARTED; open2 = true; lives2 = true
    :: else -> plan = ENDED; goto out
    fi };
  second_send();
out:
  skip
}
proctype undo(byte me) {                                /* its run: the last step first, each may find it changed */
  byte times = 0;
runs:
  if
  :: covers[me] == 2 && !done2[me] ->
     if
     :: atomic { back2++; assert(back2 <= 1); done2[me] = true }
     :: goto stops
     fi
  :: else
  fi;
  if
  :: !done1[me] ->
     if
     :: atomic { back1++; assert(back1 <= 1); assert(step2 != DONE || back2 == 1); assert(effect2 <= back2); done1[me] = true }
     :: goto stops
     fi
  :: else
  fi;
  atomic { undo_state[me] = ENDED; undo_epoch[me]++ };
  goto out;
stops:
  atomic {                                              /* -> not_undone */
    undo_state[me] = ENDED; undo_epoch[me]++;
#ifdef GIVEN_BACK
    if :: undone_by == me -> undone_by = 0; epoch++; nothing_came = true :: else fi
#else
    if :: undone_by == me && !done1[me] && !done2[me] -> undone_by = 0; nothing_came = true :: else fi
#endif
  };
  if
  :: times < 1 -> times++;
end_half:
     atomic { go_on_of == me && go_on_offer == undo_epoch[me] && undo_state[me] == ENDED && went_on == 0 -> /* the same press as retry */
       went_on++; undo_state[me] = RUNNING; undo_epoch[me]++ };
     goto runs
  :: else
  fi;
out:
  skip
}
active proctype presses_undo() {
  byte mine;
end_undo:
  do
  :: atomic { undo_offer != 0 && undos < 2 ->           /* -> undo, undoing */
       mine = undo_offer; undo_offer = 0;
       if
#ifdef OFFER_ONLY
       :: plan == ENDED && undone_by == 0 ->
#else
       :: MAY_UNDO && AS_OFFERED(mine) ->
#endif
          undos++; undone_by = undos; BUMP; undo_state[undos] = RUNNING; undo_epoch[undos] = 1;
          covers[undos] = (step2 == DONE -> 2 : 1);
          assert(covers[undos] == undo_shows);          /* what is taken back is what was shown */
          run undo(undos)
       :: else
       fi }
  od
}
active proctype draws() {                               /* a card is drawn, and offers what may be pressed at this moment */
end_draws:
  do
  :: atomic { ready && MAY_RETRY && retry_offer == 0 -> retry_offer = epoch } /* -> offer */
  :: atomic { ready && MAY_UNDO && undo_offer == 0 && undos < 2 -> undo_offer = epoch; undo_shows = (step2 == DONE -> 2 : 1) }
#ifdef AGAIN_BLIND
  :: atomic { undos > 0 && undo_state[1] == ENDED && !done1[1] && go_on_offer == 0 && went_on == 0 -> go_on_offer = undo_epoch[1]; go_on_of = 1 }
#else
  :: atomic { undos > 0 && undo_state[1] == ENDED && !done1[1] && undone_by == 1 && go_on_offer == 0 && went_on == 0 -> go_on_offer = undo_epoch[1]; go_on_of = 1 }
#endif
  :: atomic { undos > 1 && undo_state[2] == ENDED && !done1[2] && undone_by == 2 && go_on_offer == 0 && went_on == 0 -> go_on_offer = undo_epoch[2]; go_on_of = 2 }
  od
}
active proctype answers_doubt() {
  byte card = 0; bool quiet = false, saw = false;
end_answers:
  do
  :: atomic { ready && answers < 2 && plan == ENDED && step2 == IN_DOUBT && card == 0 -> card = epoch; quiet = SETTLED }
  :: atomic { card != 0 -> saw = effect2 > 0 };
     if
     :: atomic { saw && epoch == card && step2 == IN_DOUBT -> answers++; step2 = DONE; by_person = true; correct(); card = 0; saw = false } /* -> happened */
     :: atomic { !saw && quiet && epoch == card && step2 == IN_DOUBT && SETTLED -> /* -> did_not */
          answers++; assert(effect2 == 0); step2 = NOT_DONE; by_person = true; open1 = false; open2 = false; correct(); card = 0 }
     :: atomic { epoch == card && step2 == IN_DOUBT && plan == ENDED && retried == 0 && !sent_again -> /* -> send_anyway */
          answers++; sent_again = true; duplicate = true; epoch++; plan = RUNNING; step2 = STARTED; open2 = true; lives2 = true; card = 0; saw = false };
        second_send()
     :: atomic { card = 0; saw = false; answers++ }
     fi
  od
}
init {
  undo_state[0] = 9; undo_state[1] = 9; undo_state[2] = 9;
  if
  :: skip
  :: atomic { step2 = NOT_DONE; open1 = false; lives1 = false } /* it was refused */
  fi;
  ready = true
}
active proctype together() {                            /* a plan and its undo never run side by side */
end_together:
  atomic { plan == RUNNING && (undo_state[1] == RUNNING || undo_state[2] == RUNNING) -> assert(false) }
}
active proctype judge() {
end_judge:
  atomic { timeout ->
    assert(plan == ENDED && step2 != STARTED && step2 != WAITING);
    assert(step2 != NOT_DONE || effect2 == 0);
    assert(step2 != DONE || effect2 > 0);
    assert(!(back1 > 0 && effect2 > back2));            /* step 2 never stands on a step 1 that was taken back */
    assert(effect2 <= 1 || duplicate);
#if WITNESS == 1
    assert(!(retried == 1 && step2 == DONE && undos == 0))
#elif WITNESS == 2
    assert(!(back1 == 1 && back2 == 1))
#elif WITNESS == 3
    assert(!(nothing_came && retried == 1 && step2 == DONE))
#elif WITNESS == 4
    assert(!(went_on == 1 && back1 == 1 && back2 == 1))
#elif WITNESS == 5
    assert(!(effect2 == 2))
#endif
  }
}
