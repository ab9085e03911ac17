/* commit.pml - a COMMIT whose answer is lost (runtime/core.py, transact): it was made, it was not, or it
 * will be in a moment, for the server still holds what was sent before the line was cut. It is looked for
 * by the transaction's own mark, under the lock that it held, so the look waits for its end.
 *
 * KIND 1 a take-over, whose mark is an event with an id of its own; 2 a press, whose id stands in the
 * question; 3 a proposal, whose number stands with the key; 4 an application's own, which has no mark.
 *
 *   NO_LOCK     the look does not wait for the lost transaction
 *   SAME_MINE   what is as one wanted it counts as one's own: an equal epoch, a used question, a key that is there
 *   BLIND       it is run again without a look
 *   APP_AGAIN   an application's own transaction is run again (KIND 4)
 * WITNESS 1: it was made, and is found;  2: it was not made, and is run again with success;  3: somebody else was first. */
#ifndef KIND
#define KIND 1
#endif
#define NOBODY 0
#define ME 1
#define OTHER 2
bool in_flight = true;                                  /* the lost transaction holds its row */
byte row = NOBODY;                                      /* whose mark stands in it */
byte done = 0;                                          /* how often its work is in the books */
byte winners = 0;                                       /* who goes on as the one who made it */
bool through = false, found = false, again = false, unknown = false;
bool others_through = false;

inline work(who) {                                      /* the conditional statement: it finds no row when somebody was first */
  if
  :: KIND == 4 -> row = who; done++; winners++
  :: KIND != 4 && row == NOBODY -> row = who; done++; winners++
  :: else
  fi
}
active proctype server() {
  if
  :: atomic { row == NOBODY -> row = ME; done++; in_flight = false }
  :: in_flight = false
  fi
}
active proctype other() {                               /* another engine, another press of the same button */
#if KIND != 4
  if :: atomic { !in_flight -> work(OTHER) } :: skip fi;
#endif
  others_through = true
}
active proctype client() {
  bool is_mine = false, is_there = false;
#if KIND == 4 && !defined(APP_AGAIN)
  unknown = true; goto out;                             /* CommitUnknown: nobody can tell, and nothing is run again */
#endif
#ifdef BLIND
  atomic { !in_flight -> again = true; row = NOBODY; work(ME) };
  goto out;
#endif
#if KIND == 4
  atomic { !in_flight -> again = true; work(ME) };
  goto out;
#endif
#ifdef NO_LOCK
  atomic { is_mine = (row == ME); is_there = (row != NOBODY) };
#else
  atomic { !in_flight -> is_mine = (row == ME); is_there = (row != NOBODY); /* -> take_over, press, propose */
    if :: is_mine -> winners++; found = true :: !is_mine && !is_there -> again = true; work(ME) :: else fi;
    goto out };
#endif
  atomic {
    if
    :: is_mine -> winners++; found = true
    :: else -> again = true; goto out                   /* it says that it was not made */
    fi };
out:
#ifdef SAME_MINE
  atomic { if :: row == OTHER && !found -> winners++ :: else fi };
#endif
  through = true
}
active proctype judge() {
end_judge:
  atomic { through && others_through && !in_flight ->
    assert(done <= 1);
    assert(winners <= 1);                               /* never two owners of one right */
    assert(KIND == 4 || done == 0 || winners == 1);     /* and what was made is gone on with */
    assert(KIND != 4 || unknown);
#if WITNESS == 1
    assert(!found)
#elif WITNESS == 2
    assert(!(again && row == ME))
#elif WITNESS == 3
    assert(!(row == OTHER))
#endif
  }
}
