/* Saying what happens, to those who do not see it: each thing once, at most one a second. */

const BETWEEN_MS = 1000;

/* By plan: what was said last, and what is to be said. Of what piles up only the newest is true. */
const said = new Map();
const queue = new Map();
let busy = false;

export function say(plan, text) {
  if (!text || (queue.get(plan) ?? said.get(plan)) === text) { return; }
  queue.delete(plan);
  queue.set(plan, text);
  if (!busy) { next(); }
}

/* What was said of a line that was lost is said again when it is lost again. */
export function unsay(plan) {
  queue.delete(plan);
  said.delete(plan);
}

function next() {
  const first = queue.entries().next();
  busy = !first.done;
  if (first.done) { return; }
  const [plan, text] = first.value;
  queue.delete(plan);
  said.set(plan, text);
  const region = document.getElementById("semel-status");
  if (region !== null) { region.textContent = text; }
  setTimeout(next, BETWEEN_MS);
}
