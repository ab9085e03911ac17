/* The line to the server: what is asked, what is sent, and the events that come by themselves. */

/* A browser keeps six connections to a site, over all of its tabs: two for each leave room. */
const STREAMS_MAX = 2;
/* Cards without a stream of their own are asked about now and again, while they are looked at. */
const ROUND_MS = 4000;

const cards = new Set();
const streams = new Map();
let round = 0;
let away = false;

/* Other tabs of this site hear that a plan has moved, and ask for it themselves. */
const others = "BroadcastChannel" in globalThis ? new BroadcastChannel("semel-cards") : null;
others?.addEventListener("message", ({ data }) => {
  for (const card of cards) {
    if (card.plan === data.plan && card.seq < data.seq) { card.refresh(); }
  }
});

export async function ask(address) {
  return answered(() => fetch(address, { headers: { accept: "application/json" } }));
}

export async function send(address, body) {
  /* What it leads to comes as events; the answer need not wait for its end (RFC 7240). */
  const headers = { accept: "application/json", prefer: "respond-async" };
  return answered(() => fetch(address, { method: "POST", body, headers }));
}

/* An answer; *lost* says that there was none, and that nobody knows what became of what was sent. */
async function answered(call) {
  try {
    const answer = await call();
    const kind = answer.headers.get("content-type") ?? "";
    const json = kind.startsWith("application/json") ? await answer.json() : null;
    return { status: answer.status, json, lost: answer.status >= 502 };
  } catch {
    return { status: 0, json: null, lost: true };
  }
}

/* Follow a card as far as there are lines for it: first what moves by itself, then what is newest. */
export function followed(card) {
  if (!card.isConnected) { return; }
  cards.add(card);
  shared();
}

export function moved(card) {
  cards.delete(card);
  close(card);
  shared();
}

moved.tell = (card) => { others?.postMessage({ plan: card.plan, seq: card.seq }); };

function shared() {
  if (away || document.visibilityState === "hidden") { return; }
  const wanted = [...cards].filter((card) => card.live || card.open).reverse();
  const rank = (card) => 2 * Number(card.moving) + Number(card.live);
  wanted.sort((one, other) => rank(other) - rank(one));
  const chosen = new Set(wanted.slice(0, STREAMS_MAX));
  for (const card of streams.keys()) { if (!chosen.has(card)) { close(card); } }
  for (const card of chosen) { if (!streams.has(card)) { open(card); } }
  clearInterval(round);
  const rest = wanted.slice(STREAMS_MAX);
  round = rest.length ? setInterval(() => { rest.forEach((card) => card.refresh()); }, ROUND_MS) : 0;
}

function open(card) {
  const stream = new EventSource(`${card.src}/events`);
  streams.set(card, stream);
  const mine = () => streams.get(card) === stream;
  stream.addEventListener("open", () => { if (mine()) { card.steady(); } });
  stream.addEventListener("card", (event) => { if (mine()) { card.show(JSON.parse(event.data)); } });
  stream.addEventListener("end", (event) => {
    if (!mine()) { return; }
    const { why } = JSON.parse(event.data);
    /* A server that is being stopped has a successor: the browser comes back by itself. */
    if (why === "drain") { return; }
    stream.close();
    if (why === "final") { over(card); } else { card.refresh(); }
  });
  stream.addEventListener("error", () => {
    if (!mine()) { return; }
    if (stream.readyState === EventSource.CONNECTING) { card.waver(); return; }
    /* It was refused, or there is nothing more to come: the card itself knows which. */
    streams.delete(card);
    card.refresh().then((told) => {
      if (!told) { setTimeout(() => { followed(card); }, ROUND_MS); } else { over(card); }
    });
  });
}

/* Nothing more will come of this card. */
function over(card) {
  cards.delete(card);
  close(card);
  shared();
}

function close(card) {
  streams.get(card)?.close();
  streams.delete(card);
}

function leave() {
  for (const card of [...streams.keys()]) { close(card); }
  clearInterval(round);
}

/* Every card anew: what happened meanwhile was told to nobody. */
function back() {
  for (const card of document.querySelectorAll("semel-card")) {
    if (card.refresh !== undefined) { card.refresh(); cards.add(card); }
  }
  shared();
}

addEventListener("pagehide", () => { away = true; leave(); });
addEventListener("pageshow", (event) => { away = false; if (event.persisted) { back(); } });
addEventListener("online", back);
addEventListener("offline", () => { for (const card of cards) { card.cut(); } });
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") { leave(); } else { back(); }
});
