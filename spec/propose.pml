/* propose.pml - one request that is delivered three times, and another that supersedes its plan
 * (runtime/propose.py). The key goes in first, in the plan's own transaction; a duplicate waits on the
 * unique index for that COMMIT, and then answers by what the plan is at present.
 *
 * SAFE: the plan is Local and safe, so its effect is in the same commit.
 *
 *   KEY_APART   the key is committed before the plan
 *   NO_INDEX    looks first and inserts later
 *   MOVE_BLIND  a superseded plan is proposed afresh without asking whose the key is by now
 *   STORED      the answer is what was stored with the key, not what the plan is at present
 * WITNESS 1: a delivery dies and another one proposes afresh;  2: a replay finds the plan running. */
#define NONE 0
#define ASKING 1
#define DONE 2
#define SUPERSEDED 3
#define NOWHERE 9
byte key = 0, writer = 0;                               /* the row of semel_keys, and who holds its index entry */
byte plan[8], plans = 0, slot = 0, effects = 0, firsts = 0, afresh = 0, deaths = 0, over = 0;
byte answer[4], plan_of[4];
bool replayed = false;

inline takes_slot(p) {                                  /* -> supersede */
  if :: slot != 0 && plan[slot] == ASKING -> plan[slot] = SUPERSEDED :: else fi;
  slot = p; plan[p] = ASKING
}
proctype delivery(byte me) {
  byte seen = 0, p = 0;
#ifdef NO_INDEX
  seen = key;
  if :: seen != 0 -> goto replay :: else fi;
#else
  atomic {
    if
    :: writer == 0 && key == 0 -> writer = me
    :: writer == 0 && key != 0 -> seen = key; goto replay
    fi };
#endif
#ifdef KEY_APART
  atomic { key = NOWHERE; writer = 0 };
#endif
  if                                                    /* the rehearsal; or the process dies, and nothing is kept */
  :: atomic { deaths < 1 -> deaths++; if :: writer == me -> writer = 0 :: else fi } -> goto out
  :: skip
  fi;
  atomic {                                              /* -> propose, propose_safe */
    plans++; p = plans; key = p; writer = 0; firsts++;
#ifdef SAFE
    plan[p] = DONE; effects++
#else
    takes_slot(p)
#endif
  };
  atomic { answer[me] = plan[p]; plan_of[me] = p };
  goto out;
replay:
  if :: seen == NOWHERE -> goto out :: else fi;
#ifdef STORED
  atomic { answer[me] = ASKING; plan_of[me] = seen; assert(plan[seen] == ASKING) };
  goto out;
#endif
  atomic {
    if
    :: plan[seen] != SUPERSEDED -> answer[me] = plan[seen]; plan_of[me] = seen; replayed = true; goto out
    :: else
    fi };
  atomic {                                              /* -> propose_again */
#ifndef MOVE_BLIND
    if
    :: key == seen
    :: else -> seen = key; goto replay
    fi;
#endif
    plans++; p = plans; key = p; afresh++;
    takes_slot(p)
  };
  atomic { answer[me] = ASKING; plan_of[me] = p };
out:
  over++
}
active proctype another() {
  if
  :: atomic { plans == 1 && slot != 0 -> plans++; takes_slot(plans) }
  :: skip
  fi;
  over++
}
init { atomic { run delivery(1); run delivery(2); run delivery(3) } }
active proctype judge() {
  atomic { over == 4 ->
    assert(writer == 0 && key != NOWHERE);              /* no key points nowhere */
    assert(firsts <= 1 && afresh <= 1 && effects <= 1);
    assert(key != 0);
    assert(answer[1] != NONE || answer[2] != NONE || answer[3] != NONE);
#if WITNESS == 1
    assert(!(afresh == 1 && deaths == 1))
#elif WITNESS == 2
    assert(!(replayed && effects == 1))
#endif
  }
}
