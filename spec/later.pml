/* later.pml - a plan for later: written in its step's own commit (runtime/later.py), begun when its day has
 * come, taken back by a person, by another step, or by the undo of what planned it (runtime/due.py, undo.py).
 *
 * Two deliveries of the parent's step (an owner and the one that took over), two engines that begin the
 * child on its day, an undo, and a person who takes the child back.
 *
 *   CHILD_APART   the child is written in a commit after its step's
 *   NO_KEY        nothing says that the same is planned already
 *   UNDO_FORGETS  an undo leaves the child, which looks at its condition in a snapshot before it starts
 *   UNDO_APART    an undo ends the children in a commit of its own, afterwards
 *   BEGUN_TOO     what is taken back may have begun
 *   START_BLIND   the child's start does not ask whether it still runs
 * WITNESS 1: it is sent, and the undo is refused;  2: it was taken over for its day, and is taken back all the same. */
#define NONE 0
#define WAITS 1
#define BEGUN 2
#define ENDED 3
byte parent = 0, child = NONE, children = 0, epoch = 0, deaths = 0, over = 0;
bool undone = false, refused = false, sent = false, said_not = false, ended_taken = false;

proctype step(byte me) {
  atomic {                                              /* -> local */
    if
    :: parent == 0 ->
       parent = 1;
#ifndef CHILD_APART
       child = WAITS; children++                        /* -> plan_later */
#endif
#ifdef NO_KEY
    :: parent == 1 && child != NONE -> children++
#endif
    :: else -> goto out
    fi };
#ifdef CHILD_APART
  if :: deaths < 1 -> deaths++; goto out :: skip fi;
  atomic { child = WAITS; children++ };
#endif
out:
  over++
}
proctype day() {
  byte mine = 0; bool may = true;
end_day:
  atomic { child == WAITS -> epoch++; mine = epoch };   /* -> take_over */
#ifdef UNDO_FORGETS
  may = !undone;
  atomic { if :: child == WAITS && epoch == mine && may -> child = BEGUN :: else -> goto out fi };
#elif defined(START_BLIND)
  may = child == WAITS && epoch == mine;
  if :: may -> child = BEGUN :: else -> goto out fi;
#else
  atomic { if :: child == WAITS && epoch == mine -> child = BEGUN :: else -> goto out fi }; /* -> start */
#endif
  sent = true;
  assert(!undone && !said_not);
out:
  skip
}
inline ends_child() {                                   /* -> take_back */
  if :: epoch > 0 -> ended_taken = true :: else fi;
  child = ENDED; epoch++
}
active proctype undo() {
end_undo:
  parent == 1 && over >= 2;
#ifdef UNDO_FORGETS
  atomic { if :: child == BEGUN -> refused = true :: else -> undone = true fi };
#elif defined(UNDO_APART)
  atomic { if :: child == BEGUN -> refused = true :: else -> undone = true fi };
  atomic { if :: undone && child == WAITS -> ends_child() :: else fi };
#else
  atomic {                                              /* -> undo */
    if
#ifdef BEGUN_TOO
    :: child != NONE -> undone = true; child = ENDED; epoch++; assert(!sent)
#else
    :: child != BEGUN -> undone = true; if :: child == WAITS -> ends_child() :: else fi
#endif
    :: else -> refused = true
    fi };
#endif
}
active proctype person() {
  if
  :: atomic { child == WAITS -> ends_child(); said_not = true }
  :: skip
  fi
}
init { atomic { run step(1); run step(2); run day(); run day() } }
active proctype judge() {
end_judge:
  atomic { timeout ->
    assert(!(sent && (undone || said_not)));
    assert(children <= 1);
    assert(parent == 0 || children == 1);
    assert(!undone || child == ENDED);
#if WITNESS == 1
    assert(!(sent && refused))
#elif WITNESS == 2
    assert(!(undone && ended_taken))
#endif
  }
}
