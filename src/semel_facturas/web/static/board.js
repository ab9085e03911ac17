// Keeps the business beside the conversation fresh. A card that has come to another state has
// changed the books: then the whole board is asked for, since only the server knows what follows.

import { fragment } from "/card/card.js";

const WAIT_MS = 150; // Several cards may change at once: the board is asked for once.
const chat = document.getElementById("chat");
const here = () => document.getElementById("negocio");
let timer = 0;
let asked = 0;
let seen = "";

async function refresh() {
  const mine = ++asked;
  let text;
  try {
    const answer = await fetch("/board", { headers: { Accept: "text/html" } });
    if (!answer.ok) {
      return; // Whoever is no longer signed in hears of it from what they do next.
    }
    text = await answer.text();
  } catch {
    return; // Without a connection the board stays as it was; the cards say that there is none.
  }
  const old = here();
  if (mine !== asked || old === null) {
    return;
  }
  const fresh = fragment(text).firstElementChild;
  const held = old.contains(document.activeElement)
    ? document.activeElement.getAttribute("href")
    : null;
  old.replaceWith(fresh);
  if (held !== null) {
    // A link never vanishes under the keyboard: the same one is in the new board, as a rule.
    fresh.querySelector(`a[href="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
  }
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(refresh, WAIT_MS);
}

/* What the cards of the conversation say, without what lasts only as long as a request. */
function states() {
  return [...chat.querySelectorAll("[data-plan][data-state]")]
    .filter((card) => card.dataset.state !== "confirming")
    .map((card) => `${card.dataset.plan}=${card.dataset.state}`)
    .join(" ");
}

if (chat !== null && here() !== null) {
  seen = states();
  new MutationObserver(() => {
    const now = states();
    if (now !== seen) {
      seen = now;
      soon();
    }
  }).observe(chat, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["data-state"],
  });
  document.addEventListener("semel:change", soon);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") {
      soon();
    }
  });
  // A sentence of the board goes into the box beside it; without a script its form does that.
  document.addEventListener("click", (event) => {
    if (event.target.closest("#negocio [data-again]") !== null) {
      event.preventDefault();
    }
  });
}
