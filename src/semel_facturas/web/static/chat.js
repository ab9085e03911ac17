// The conversation in a browser: what is sent is sent once, and what is typed is never lost.
import { fragment } from "/card/card.js";

/* What is answered sooner needs no word that it is being worked on. */
const BUILDING_MS = 400;

const chat = document.getElementById("chat");
if (chat) begin();

function begin() {
  const form = chat.querySelector(".composer");
  const box = form.elements.text;
  const no = form.querySelector(".composer-no");
  const button = form.querySelector("button");
  const talk = chat.querySelector(".talk");
  let sending = false;

  // A second Enter meets an empty box, which is nothing to be told off for.
  form.noValidate = true;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!sending) send();
  });
  box.addEventListener("keydown", (event) => {
    // Enter that ends the composing of a letter is no message.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!sending && !event.repeat) form.requestSubmit();
  });
  document.addEventListener("click", (event) => {
    const again = event.target.closest("[data-again], [data-answer]");
    if (!again) return;
    event.preventDefault();
    if (again.dataset.answer === undefined) put(again.dataset.again);
    else answer(again.dataset.answer);
  });
  for (const line of talk.querySelectorAll("[data-answers]")) {
    if (!line.querySelector("form")) follow(line.dataset.answers, line);
  }
  new MutationObserver(count).observe(talk, {
    subtree: true, childList: true, attributes: true, attributeFilter: ["data-state"],
  });

  function put(text) {
    box.value = text;
    box.focus();
  }

  // A card may ask for several things: each answer is added, and what was typed stays.
  function answer(text) {
    const typed = box.value.trimEnd();
    put(typed && text ? `${typed}, ${text}` : typed || text);
  }

  async function send() {
    const text = box.value.trim();
    if (!text) return;
    const request = form.elements.request.value;
    const bubble = line("turn--me", chat.dataset.name, text);
    bubble.dataset.sending = "";
    busy(true);
    say("");
    try {
      const answer = await post(request, text);
      if (answer.ok) {
        arrived(bubble, await answer.json());
      } else {
        bubble.remove();
        say(await why(answer));
      }
    } catch {
      // Nobody knows whether it arrived. It is asked for, and never sent under another id.
      say(chat.dataset.unknown);
      const found = await look(request);
      if (found && found.said === text) {
        arrived(bubble, found);
        say(chat.dataset.arrived);
      } else {
        bubble.remove();
        say(chat.dataset.unsent);
      }
    }
    busy(false);
  }

  function post(request, text) {
    const body = new URLSearchParams({ csrf: form.elements.csrf.value, request, text });
    return fetch("/messages", { method: "POST", body, headers: { accept: "application/json" } });
  }

  async function why(answer) {
    if (answer.status === 401) return chat.dataset.signedOut;
    if (answer.status === 422) {
      const told = await answer.json().catch(() => ({}));
      if (typeof told.says === "string") return told.says;
    }
    return chat.dataset.failed;
  }

  async function look(request) {
    for (let tries = 0; tries < 5; tries += 1) {
      try {
        const answer = await fetch(`/messages/${request}`, { cache: "no-store", headers: { accept: "application/json" } });
        return answer.ok ? await answer.json() : null;
      } catch {
        await new Promise((later) => setTimeout(later, 1000));
      }
    }
    return null;
  }

  function arrived(bubble, told) {
    delete bubble.dataset.sending;
    bubble.id = `m-${told.message}`;
    timed(bubble, told.time);
    form.elements.request.value = told.request;
    box.value = "";
    for (const one of talk.querySelectorAll(`[data-answers="${told.message}"]`)) one.remove();
    follow(told.message, line("turn--it", chat.dataset.assistant, chat.dataset.writing));
  }

  function follow(message, at) {
    const text = at.querySelector(".turn-text");
    const stream = new EventSource(`/messages/${message}/events`);
    let said = "";
    let card = false;
    let asks = "";
    at.dataset.answers = message;
    at.dataset.writing = "";
    const built = building(at);
    stream.addEventListener("text", (event) => {
      built();
      const piece = JSON.parse(event.data);
      said = said.slice(0, piece.from) + piece.text;
      text.textContent = said;
      text.classList.remove("muted");
      end(at);
    });
    stream.addEventListener("card", (event) => {
      built();
      const given = JSON.parse(event.data);
      card ||= given.plan !== null;
      asks = given.announce ?? asks;
      place(given, at, message);
    });
    stream.addEventListener("end", (event) => {
      const { state, time } = JSON.parse(event.data);
      built();
      stream.close();
      say("");
      if (state === "stalled") {
        resume(message, at);
        return;
      }
      delete at.dataset.writing;
      timed(at, time);
      if (!said) at.remove();
      // A card announces itself, and what is announced twice is not listened to.
      const status = document.getElementById("semel-status");
      if (!card && status) status.textContent = asks || said;
    });
    stream.addEventListener("open", () => say(""));
    stream.addEventListener("error", () => {
      if (at.dataset.writing !== undefined) say(chat.dataset.broken);
      if (stream.readyState !== EventSource.CLOSED) return;
      built();
      // Refused, as after a restart behind a proxy: the browser does not try again by itself.
      setTimeout(() => at.isConnected && at.dataset.writing !== undefined && follow(message, at), 3000);
    });
  }

  // Its process is gone. The same message is sent again, which is answered once all the same.
  async function resume(message, at) {
    const said = document.getElementById(`m-${message}`)?.querySelector(".turn-text");
    if (!said || at.dataset.resumed !== undefined) return;
    at.dataset.resumed = "";
    const answer = await post(message, said.textContent).catch(() => null);
    if (answer?.ok) follow(message, at);
    else say(chat.dataset.broken);
  }

  function timed(item, time) {
    const who = item.querySelector(".turn-who");
    if (time && !who.querySelector("time")) {
      const shown = document.createElement("time");
      shown.textContent = time;
      who.append(" ", shown);
    }
  }

  // Nothing is known yet, so nothing is announced: a card that is through says so by itself.
  function building(at) {
    let item = null;
    const timer = setTimeout(() => {
      item = document.createElement("li");
      item.className = "turn turn--card";
      const section = document.createElement("section");
      section.className = "card";
      section.dataset.state = "building";
      const head = document.createElement("div");
      head.className = "card-head";
      const state = document.createElement("p");
      state.className = "card-state";
      const text = document.createElement("b");
      text.textContent = chat.dataset.building;
      for (const [name, value] of [["role", "group"], ["aria-busy", "true"], ["aria-label", text.textContent]]) {
        section.setAttribute(name, value);
      }
      state.append(text);
      head.append(state);
      section.append(head);
      item.append(section);
      at.after(item);
      end(item);
    }, BUILDING_MS);
    return () => {
      clearTimeout(timer);
      item?.remove();
    };
  }

  function place({ plan, html }, after, message) {
    const id = plan ?? `a-${message}`;
    const there = document.getElementById(id);
    if (there && talk.contains(there)) return;
    // What an older card asked for is past, whether it was answered or not.
    for (const card of talk.querySelectorAll('[data-state="invalid"]')) card.closest("li").classList.add("turn--past");
    const item = document.createElement("li");
    item.className = "turn turn--card";
    item.id = id;
    item.append(fragment(html));
    let last = after;
    while (last.nextElementSibling?.classList.contains("turn--card")) last = last.nextElementSibling;
    last.after(item);
    end(item);
  }

  function line(kind, who, text) {
    chat.querySelector(".chat-empty")?.remove();
    const item = document.createElement("li");
    item.className = `turn ${kind}`;
    const name = document.createElement("p");
    name.className = "turn-who";
    name.textContent = who;
    const said = document.createElement("p");
    said.className = "turn-text";
    said.textContent = text;
    item.append(name, said);
    talk.append(item);
    end(item);
    return item;
  }

  function end(item) {
    item.scrollIntoView({ block: "nearest" });
  }

  function say(text) {
    no.textContent = text;
  }

  function busy(is) {
    sending = is;
    button.setAttribute("aria-disabled", String(is));
  }

  function count() {
    const open = talk.querySelectorAll('[data-plan][data-state="awaiting"]');
    const link = chat.querySelector(".waiting");
    link.hidden = open.length === 0;
    if (!open.length) return;
    const words = open.length === 1 ? chat.dataset.one : chat.dataset.more.replace("#", open.length);
    const label = link.querySelector("span");
    if (label.textContent !== words) label.textContent = words;
    link.hash = open[open.length - 1].dataset.plan;
  }
}
