/* Keeps the operator's figures as they are now, while somebody looks at them. */

import { fragment } from "./card-draw.js";

const EVERY_MS = 5000;
const live = document.getElementById("op-live");
let doubts = live?.querySelector("[data-doubts]")?.dataset.doubts;
let asking = false;

/* Somebody who is reading a row with the keyboard, or has marked a part of it, is not disturbed. */
function busy() {
  const marked = document.getSelection();
  return live.contains(document.activeElement)
    || (marked && !marked.isCollapsed && live.contains(marked.anchorNode));
}

function stale() {
  const line = live.querySelector(".op-live");
  if (line) {
    line.classList.add("op-live--stale");
    line.firstElementChild.textContent = line.dataset.stale;
  }
}

async function look() {
  if (asking || document.hidden || busy()) return;
  asking = true;
  try {
    const answer = await fetch(live.dataset.src, { credentials: "same-origin", redirect: "error" });
    if (!answer.ok) throw new Error(String(answer.status));
    live.replaceChildren(fragment(await answer.text()));
    const now = live.querySelector("[data-doubts]")?.dataset.doubts;
    /* A new doubt has a form of its own, which only a fresh page has; nobody's answer is lost. */
    const typing = document.activeElement?.matches("input, textarea");
    if (now !== doubts && !typing) location.reload();
    doubts = now;
  } catch {
    stale();
  } finally {
    asking = false;
  }
}

if (live) {
  setInterval(look, EVERY_MS);
  document.addEventListener("visibilitychange", look);
}
