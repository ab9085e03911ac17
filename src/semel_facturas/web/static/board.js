// Keeps the business beside the conversation fresh: whenever a card says that its plan has
// changed, the board is fetched anew. It is shown only if nobody is at work in it, so that a link
// never moves away under a finger.

const board = document.getElementById("negocio");
const WAIT_MS = 150; // Several cards may change at once: the board is asked for once.
let timer = 0;
let asked = 0;

async function refresh() {
  const mine = ++asked;
  let answer;
  try {
    answer = await fetch("/board", { headers: { Accept: "text/html" } });
  } catch {
    return; // Without a connection the board stays as it was; the cards say that there is none.
  }
  if (answer.status === 401) {
    return;
  }
  if (!answer.ok || mine !== asked) {
    return;
  }
  const text = await answer.text();
  const { html } = await import("/card/card.js");
  if (mine !== asked || typeof html !== "function") {
    return;
  }
  const held = board.contains(document.activeElement)
    ? document.activeElement.getAttribute("href")
    : null;
  board.innerHTML = html(text);
  if (held !== null) {
    board.querySelector(`a[href="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
  }
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(refresh, WAIT_MS);
}

if (board) {
  document.addEventListener("semel:change", soon);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") {
      soon();
    }
  });
}
