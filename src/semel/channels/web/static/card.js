/*
 * <semel-card plan="p_…" src="/plans/p_…">: a plan's card that stays true while it is looked at.
 *
 * The server draws it, whole, for each event of the plan; here it is only put in place, and its
 * forms are sent without leaving the page. What the server has drawn works without this file.
 */
import { say, unsay } from "./card-say.js";
export { fragment } from "./card-draw.js";
import { counts, focusKept, settle, shownAs, swap } from "./card-draw.js";
import { ask, followed, moved, send } from "./card-line.js";
import { WORDS } from "./card-words.js";

/* A card may slide under a pointer that was about to press something else. */
const SETTLE_MS = 700;
/* A lost line comes back within this time by itself, and nobody has to hear of it. */
const LOST_MS = 3000;
/* Between two questions for a state that cannot be had; the last one repeats. */
const AGAIN_MS = [250, 500, 1000, 2000, 4000];

const pause = (ms) => new Promise((go) => { setTimeout(go, ms); });

export class SemelCard extends HTMLElement {
  /* The event up to which the card is drawn; a snapshot of an earlier one is old. */
  seq = 0;
  final = false;
  /* The decision that is on its way; the same one is not sent beside it. */
  sent = null;
  /* What the server has drawn, before anything here touched it. */
  drawn = null;
  shownAt = 0;
  asking = null;
  lost = 0;
  began = false;

  connectedCallback() {
    if (!this.began) {
      this.began = true;
      this.addEventListener("click", (event) => this.clicked(event), true);
      this.addEventListener("submit", (event) => this.submitted(event));
      this.addEventListener("input", () => this.typed());
    }
    if (this.section !== null) {
      this.drawn = this.section.cloneNode(true);
      this.shownAt = performance.now();
      this.typed();
    } else {
      this.refresh();
    }
    followed(this);
  }

  disconnectedCallback() { moved(this); }

  get plan() { return this.getAttribute("plan") ?? ""; }

  get src() { return this.getAttribute("src") ?? ""; }

  get section() { return this.querySelector(":scope > [data-plan]"); }

  /* What is said beside what the card itself announces, so that this is not said anew after it. */
  get aside() { return `${this.plan} !`; }

  get words() { return WORDS[this.section?.lang] ?? WORDS[document.documentElement.lang] ?? WORDS.en; }

  get live() { return !this.final; }

  /* Whether something happens to it without anybody deciding. */
  get moving() { return this.section?.getAttribute("aria-busy") === "true"; }

  /* Whether somebody could still press something: then time alone may change it. */
  get open() { return this.section === null || this.section.querySelector("form") !== null; }

  clicked(event) {
    const button = event.target.closest("button[name=do]");
    if (button === null) { return; }
    const pointer = event.detail > 0;
    const early = pointer && event.timeStamp - this.shownAt < SETTLE_MS;
    const off = button.getAttribute("aria-disabled") === "true";
    if (off || (early && button.value !== "cancel")) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  }

  submitted(event) {
    const form = event.target;
    const button = event.submitter;
    if (button === null || button.name !== "do") { return; }
    event.preventDefault();
    if (button.getAttribute("aria-disabled") !== "true") { this.decide(form, button); }
  }

  async decide(form, button) {
    const data = new FormData(form);
    const key = [button.value, data.get("token"), data.get("position"), data.get("answer")].join(" ");
    if (this.sent === key) { return; }
    this.sent = key;
    /* In this very tick: a second press finds nothing to press. */
    shownAs(this.section, "confirming", button, this.words);
    const body = new URLSearchParams();
    for (const [name, value] of data) { body.append(name, value); }
    body.set("do", button.value);
    const answer = await send(form.action, body);
    this.sent = null;
    if (answer.status === 401) {
      this.expired();
    } else if (answer.lost) {
      await this.wondered();
    } else if (answer.json?.html !== undefined) {
      this.came(answer.json);
    } else {
      /* Nothing was done; the card says how things stand, and why is said above it. */
      await this.refresh({ again: true });
      this.notice(answer.json?.says ?? this.words.broken);
    }
  }

  /* What a decision came to: this card anew, and the one of a plan that takes it back. */
  came(snapshot) {
    this.show(snapshot, { again: true });
    const { outcome } = snapshot;
    if (outcome.status === "refused") { this.notice(outcome.says); }
    if (outcome.plan === null || outcome.plan === this.plan) { return; }
    if (document.querySelector(`semel-card[plan="${CSS.escape(outcome.plan)}"]`) !== null) { return; }
    const other = document.createElement("semel-card");
    other.setAttribute("plan", outcome.plan);
    other.setAttribute("src", this.src.slice(0, -this.plan.length) + outcome.plan);
    this.after(other);
  }

  /* The answer to a decision was lost: the state is asked for, and nothing is sent again. */
  async wondered() {
    this.cut();
    for (let turn = 0; this.isConnected; turn += 1) {
      await pause(AGAIN_MS[Math.min(turn, AGAIN_MS.length - 1)]);
      if (await this.refresh({ again: true })) { return; }
    }
  }

  /* Ask for the card as it is; whether there was an answer. */
  refresh(how = {}) {
    this.asking ??= ask(this.src).finally(() => { this.asking = null; });
    return this.asking.then((answer) => {
      if (answer.lost) { this.cut(); return false; }
      if (answer.status === 401) { this.expired(); return true; }
      if (answer.json?.html !== undefined) { this.show(answer.json, how); }
      return true;
    });
  }

  /* Put a snapshot in place, unless a later one is there. */
  show(snapshot, { again = false } = {}) {
    if (snapshot.plan !== this.plan || snapshot.seq < this.seq) { return; }
    this.seq = snapshot.seq;
    this.final = snapshot.final;
    const made = swap.parse(snapshot.html);
    const same = this.drawn !== null && made.isEqualNode(this.drawn);
    const touched = this.section?.dataset.touched !== undefined;
    if (touched) { unsay(this.aside); }
    if (!same || touched || again) { this.put(made, same); }
    if (!same) {
      const told = { bubbles: true, detail: { plan: this.plan, state: snapshot.state } };
      this.dispatchEvent(new CustomEvent("semel:change", told));
    }
    counts(this, snapshot.left);
    say(this.plan, snapshot.announce);
    followed(this);
    moved.tell(this);
  }

  put(made, same) {
    const before = this.section;
    const kept = focusKept(this, before);
    this.drawn = made.cloneNode(true);
    if (before === null) { this.replaceChildren(made); } else { before.replaceWith(made); }
    settle(this, made, kept);
    /* What looks as it did a moment ago is no card that slides under a pointer. */
    if (!same) { this.shownAt = performance.now(); }
    this.typed();
  }

  /* A typed field makes its button ready; the server reads the words once more. */
  typed() {
    for (const field of this.querySelectorAll("input[name=words]")) {
      const button = field.form?.querySelector("button[name=do]");
      if (!button || this.section.dataset.touched !== undefined) { continue; }
      const given = field.value.trim().toLowerCase();
      const accepts = (field.dataset.words ?? "").toLowerCase().split("|").filter(Boolean);
      const fits = accepts.length > 0 ? accepts.includes(given) : given !== "";
      button.setAttribute("aria-disabled", String(!fits));
    }
  }

  /* The line is lost: the card says that it may be old, and nothing can be pressed. */
  cut() {
    if (this.section === null || this.section.dataset.state === "disconnected") { return; }
    shownAs(this.section, "disconnected", null, this.words);
    say(this.aside, this.words.disconnected);
  }

  /* The line may have gone for a moment only. */
  waver() {
    if (this.lost === 0) { this.lost = setTimeout(() => { this.lost = 0; this.cut(); }, LOST_MS); }
  }

  /* The line is there again; what was missed comes with it or is asked for. */
  steady() {
    clearTimeout(this.lost);
    this.lost = 0;
    if (this.section?.dataset.state === "disconnected") { this.refresh({ again: true }); }
  }

  expired() {
    if (this.section === null || this.section.dataset.state === "expired-session") { return; }
    const where = this.closest("[data-sign-in]")?.dataset.signIn ?? null;
    shownAs(this.section, "expired-session", null, this.words, where);
    moved(this);
    say(this.aside, this.words.session);
  }

  notice(text) {
    if (this.section === null) { return; }
    swap.note(this.section, text);
    say(this.aside, text);
  }
}

/* Alt+P: to the card that waits for somebody, from wherever they are. */
document.addEventListener("keydown", (event) => {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== "KeyP") { return; }
  const waits = [...document.querySelectorAll("semel-card > [data-state=awaiting]")].at(-1);
  if (waits === undefined) { return; }
  event.preventDefault();
  const title = waits.querySelector("h2, h3, .card-title") ?? waits;
  title.tabIndex = -1;
  title.focus();
  title.scrollIntoView({ block: "nearest" });
});

customElements.define("semel-card", SemelCard);
