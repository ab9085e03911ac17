/* cancel.pml - a person's stop against the start of steps. The same row orders both (runtime/stop.py,
 * runtime/begin.py), so the answer is exact: no step begins that the answer did not name.
 *
 * Three steps: 1 and 3 Local, whose transaction holds the plan's row from its start to its commit; 2
 * outside, whose mark is a short one. A first owner that may pause for ever, and one that takes over.
 *
 *   TWO_ROWS    the stop is a row of its own: each side writes one row and reads the other in its snapshot
 *   READ_FIRST  a start reads the row and then writes it without asking again
 *   OLD_ANSWER  the answer is read before the row is changed
 *   LOCAL_FREE  a Local step does not hold the row while its handler runs
 * WITNESS 1: a stop that is answered "step 1 ends" while step 1 is under way is never seen. */
byte at = 0, epoch = 1, holder = 0, told = 9, over = 0;
bool cancelled = false;
byte began[4], ran[4];

inline begins(i) { began[i]++; assert(began[i] == 1); assert(told == 9 || i <= told) }
#define MAY(i) (epoch == mine && !cancelled && at == i - 1)
#define FREE (holder == 0)

proctype owner(byte mine) {
  byte i = 1; bool sees;
  do
  :: i > 3 -> break
  :: i <= 3 ->
#ifdef TWO_ROWS
     sees = cancelled;
     if
     :: sees -> break
     :: else
     fi;
     atomic { if :: FREE && epoch == mine && at == i - 1 -> at = i; begins(i); ran[i] = 1 :: FREE && !(epoch == mine && at == i - 1) -> break fi }
#elif defined(READ_FIRST)
     sees = MAY(i);
     if
     :: sees
     :: else -> break
     fi;
     atomic { FREE -> at = i; begins(i); ran[i] = 1 }
#else
     if
     :: i == 2 ->
        atomic {                                        /* -> start */
          if :: FREE && MAY(i) -> at = i; begins(i); ran[i] = 1 :: FREE && !MAY(i) -> break fi }
     :: else ->
#ifdef LOCAL_FREE
        sees = MAY(i);
        if :: sees :: else -> break fi;
#else
        atomic { if :: FREE && MAY(i) -> holder = mine :: FREE && !MAY(i) -> break fi };
#endif
        if                                              /* the handler runs; nothing of it is there before the commit */
        :: atomic { at = i; begins(i); ran[i] = 1; holder = 0 } /* -> local */
        :: atomic { if :: holder == mine -> holder = 0 :: else fi } -> break
        fi
     fi
#endif
     ; i++
  od;
  over++
}
active proctype sweep() {
  if
  :: atomic { FREE -> epoch = 2 } -> run owner(2)       /* -> take_over */
  :: over++
  fi;
  over++
}
active proctype person() {
  byte seen;
#if defined(OLD_ANSWER) || defined(TWO_ROWS)
  seen = at;
#ifdef TWO_ROWS
  atomic { cancelled = true; told = seen };
#else
  atomic { FREE -> cancelled = true; told = seen };
#endif
#else
  atomic { FREE -> cancelled = true; told = at };       /* -> cancel */
#endif
  assert(began[1] == 0 || told >= 1);
  assert(began[2] == 0 || told >= 2);
  assert(began[3] == 0 || told >= 3);
  over++
}
init { run owner(1) }
active proctype judge() {
  atomic { over == 4 ->
    assert(holder == 0 && told != 9);
    assert(began[3] <= began[2] && began[2] <= began[1]);
#if WITNESS == 1
    assert(!(told == 1 && ran[1] == 1 && began[2] == 0 && epoch == 2))
#endif
  }
}
