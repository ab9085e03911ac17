/* Putting a card in place: what somebody has typed, opened or focused stays as it is. */

/* The one place where text becomes HTML; it is what the server has drawn, from this very site. */
const policy = globalThis.trustedTypes?.createPolicy("semel", { createHTML: (html) => html })
  ?? { createHTML: (html) => html };

const SVG = "http://www.w3.org/2000/svg";

/* What this site's server has drawn, as elements; for the application's own modules too. */
export function fragment(html) {
  const held = document.createElement("template");
  held.innerHTML = policy.createHTML(html);
  return document.importNode(held.content, true);
}

export const swap = {
  parse(html) { return fragment(html).firstElementChild; },

  /* A line above the card; there is one at a time. */
  note(section, text, link = null) {
    section.querySelector(":scope > .note--off")?.remove();
    const line = document.createElement("div");
    line.className = "note note--off";
    const icon = document.createElementNS(SVG, "svg");
    icon.setAttribute("class", "i");
    icon.setAttribute("aria-hidden", "true");
    icon.setAttribute("focusable", "false");
    const use = document.createElementNS(SVG, "use");
    use.setAttribute("href", "#i-off");
    icon.append(use);
    const words = document.createElement("p");
    words.append(text);
    if (link !== null) { words.append(" ", link); }
    line.append(icon, words);
    section.prepend(line);
  },
};

/* Show at once what the server will only say later, and let nothing be pressed meanwhile. */
export function shownAs(section, state, pressed, words, where = null) {
  section.dataset.touched = "";
  section.dataset.state = state;
  section.setAttribute("aria-busy", String(state === "confirming"));
  for (const button of section.querySelectorAll("button[name=do]")) {
    button.setAttribute("aria-disabled", "true");
  }
  if (pressed !== null) { pressed.textContent = pressed.dataset.wait ?? words.wait; }
  if (state === "disconnected") { swap.note(section, words.disconnected); }
  if (state === "expired-session") {
    const link = where === null ? null : document.createElement("a");
    if (link !== null) { link.href = where; link.textContent = words.sign_in; }
    swap.note(section, words.session, link);
  }
}

/* What of a card has to survive its being drawn anew. */
export function focusKept(card, section) {
  const active = document.activeElement;
  const inside = section !== null && section.contains(active) ? active : null;
  return {
    key: inside === null ? null : keyOf(inside),
    fields: [...card.querySelectorAll("input:not([type=hidden])")].map((one) => [keyOf(one), one.value]),
    opened: [...card.querySelectorAll("details")].map((one) => one.open),
    at: inside instanceof HTMLInputElement ? [inside.selectionStart, inside.selectionEnd] : null,
  };
}

export function settle(card, section, kept) {
  for (const [key, value] of kept.fields) {
    const field = found(section, key);
    if (field !== null) { field.value = value; }
  }
  section.querySelectorAll("details").forEach((one, index) => {
    if (kept.opened[index] !== undefined) { one.open = kept.opened[index]; }
  });
  if (kept.key === null) { return; }
  const again = found(section, kept.key);
  if (again !== null) {
    again.focus({ preventScroll: true });
    if (kept.at !== null && kept.at[0] !== null) { again.setSelectionRange(...kept.at); }
    return;
  }
  /* What was focused is gone: the line that says how things stand, and not the page's top. */
  const line = section.querySelector(".card-says") ?? section.querySelector(".card-title, h3") ?? section;
  line.tabIndex = -1;
  line.focus({ preventScroll: true });
}

/* What an element is called that may be drawn anew: a button of one form is not that of another. */
function keyOf(element) {
  if (element.matches("button[name=do]")) {
    const form = new FormData(element.form);
    return ["button", element.value, form.get("position"), form.get("answer")].join(" ");
  }
  if (element.id) { return `#${element.id}`; }
  if (element.name) { return `name ${element.name}`; }
  if (element.href) { return `href ${element.getAttribute("href")}`; }
  return `${element.localName} ${element.textContent.trim().slice(0, 80)}`;
}

function found(section, key) {
  const parts = section.querySelectorAll("a, button, input, select, textarea, summary, [tabindex]");
  return [...parts].find((one) => keyOf(one) === key) ?? null;
}

/* The last two minutes of a question are counted; before, its time of day says enough. */
const COUNTED_S = 120;
const clocks = new WeakMap();

export function counts(card, left) {
  clearInterval(clocks.get(card));
  clocks.delete(card);
  if (left === null || left === undefined) { return; }
  const end = performance.now() + left * 1000;
  const tick = () => {
    const rest = Math.ceil((end - performance.now()) / 1000);
    const place = card.querySelector(".expires");
    if (rest <= 0 || place === null || !card.isConnected) { clearInterval(clocks.get(card)); }
    if (rest > COUNTED_S || place === null) { return; }
    let shown = place.querySelector("[data-left]");
    if (shown === null) {
      shown = document.createElement("span");
      shown.dataset.left = "";
      shown.setAttribute("aria-hidden", "true");
      place.append(shown);
    }
    const seconds = String(Math.max(0, rest) % 60).padStart(2, "0");
    shown.textContent = ` (${Math.floor(Math.max(0, rest) / 60)}:${seconds})`;
  };
  clocks.set(card, setInterval(tick, 1000));
  tick();
}
