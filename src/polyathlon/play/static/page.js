"use strict";

const $ = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);
const role = query.get("role") || "";
const reading = query.has("papers");
const FLIP_MS = 250;
let state = { phase: "", number: -1 };
let shownTurn = "";
let shownEnv = "";
let performed = "";
let replays = 0;
let gathered = [];
let shownPapers = "";
let shownControls = "";
let flips = [];

const at = (path, query = {}) => `${path}?${new URLSearchParams({ role, ...query })}`;

const earlier = make("div", { className: "earlier" });

function make(tag, attributes = {}, ...children) {
  const element = Object.assign(document.createElement(tag), attributes);
  element.append(...children);
  return element;
}

async function post(path, body) {
  const reply = await fetch(at(path, { role: state.role }), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return reply.json();
}

const send = (answer) => post("act", { moment: state.number, replays, ...answer });

async function follow() {
  for (;;) {
    try {
      const reply = await fetch(at("status", { phase: state.phase, number: state.number }));
      if (!reply.ok) throw new Error(`status ${reply.status}`);
      show(await reply.json());
      if (state.phase === "over") return;
    } catch (error) {
      $("turn").textContent = "The game's program does not answer any more.";
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}

function show(next) {
  const before = state;
  state = next;
  $("title").textContent = next.moment ? next.moment.env : next.title;
  for (const part of ["lobby", "game", "papers", "over"]) $(part).hidden = true;
  $("show-rules").hidden = $("leave").hidden = reading || next.phase !== "playing";
  $("show-papers").hidden = true;
  if (reading) { if (next.moment) showPapers(next.moment.papers); return; }
  if (next.phase === "lobby") showLobby(before);
  else if (next.phase === "over") showEnd();
  else if (next.moment) showMoment(next.moment);
  else $("turn").textContent = "Preparing the game";
}

function showLobby(before) {
  $("lobby").hidden = false;
  $("turn").textContent = "";
  if (before.phase === "lobby") return;
  $("participant").value = state.form.participant || "";
  $("age-group").value = state.form.age_group || "";
  $("gender").value = state.form.gender || "";
  $("warm-up").checked = Boolean(state.form.warm_up);
}

function showEnd() {
  $("over").hidden = false;
  $("turn").textContent = "";
  $("where").textContent = state.where;
  $("results").replaceChildren(resultsTable());
}

/* What stays at hand for the whole game, such as a manual, in a tab of its own. */
function showPapers(papers) {
  $("papers").hidden = false;
  const key = JSON.stringify(papers);
  if (key === shownPapers) return;
  shownPapers = key;
  $("papers").replaceChildren(...papers.filter((paper) => paper.media).map((paper) =>
    make("img", { src: `media/${paper.media}`, alt: paper.channel })));
  if (!$("papers").childElementCount) {
    $("papers").replaceChildren(...papers.map((paper) => make("pre", { textContent: paper.words })));
  }
}

function resultsTable() {
  const names = [...new Set(state.results.flatMap((row) => Object.keys(row)))];
  const head = make("tr", {}, ...names.map((name) => make("th", { textContent: name })));
  const rows = state.results.map((row) =>
    make("tr", {}, ...names.map((name) => make("td", { textContent: row[name] ?? "" }))));
  return make("table", {}, head, ...rows);
}

function showMoment(moment) {
  $("game").hidden = false;
  const done = state.results.length;
  const last = moment.feedback ? ` · last: ${moment.feedback}` : "";
  $("turn").textContent = `${moment.role} · game ${done + 1} of ${state.total} · turn ${moment.turn + 1}${last}`;
  $("problem").textContent = state.problem ? `Not an answer here: ${state.problem}` : "";
  $("show-papers").hidden = !moment.papers.length;
  $("show-papers").href = `?${new URLSearchParams({ role: moment.role, papers: "" })}`;
  const key = JSON.stringify([done, moment]);
  if (key === shownTurn) return;
  const first = moment.env !== shownEnv;
  shownEnv = moment.env;
  shownTurn = key;
  replays = 0;
  gathered = [];
  $("rules-text").replaceChildren(...moment.rules.flatMap(([name, text]) =>
    [make("h2", { textContent: name }), make("p", { textContent: text })]));
  $("ask").textContent = moment.ask;
  $("answers").textContent = `Or type: ${moment.answers}.`;
  $("speech").hidden = !moment.speaks;
  showMail(moment);
  showSenses(moment);
  showControls(moment.controls || {});
  if (!first) perform();
  else if (!$("rules").open) $("rules").showModal();
}

function showSenses(moment) {
  const of = (...kinds) => moment.percepts.filter((percept) => kinds.includes(percept.modality) && percept.media);
  flips.forEach(clearInterval);
  flips = [];
  const views = runs(of("image", "video")).map((run) => view(run, moment.controls || {}));
  place($("stage"), [...views.slice(-1), earlier]);
  place(earlier, views.slice(0, -1));
  $("sounds").replaceChildren(...of("audio").map(sound));
  const words = moment.percepts.filter((percept) => percept.words);
  $("texts").replaceChildren(...words.map((percept) => make("div", { className: "words" },
    make("b", { textContent: percept.channel }), make("pre", { textContent: percept.words }))));
}

function place(parent, children) {
  const there = [...parent.children];
  if (there.length !== children.length || there.some((child, i) => child !== children[i])) {
    parent.replaceChildren(...children);
  }
}

/* All messages of the game, the newest on top. */
function showMail(moment) {
  const lines = moment.mail.map((line) => make("div", { className: "words", textContent: line }));
  $("mail").replaceChildren(...lines.reverse());
}

/* Percepts of one channel that follow one another: a flip-book. */
function runs(percepts) {
  const found = [];
  for (const percept of percepts) {
    const last = found[found.length - 1];
    if (last && last[0].channel === percept.channel) last.push(percept);
    else found.push([percept]);
  }
  return found;
}

function flip(medium, run) {
  let page = 0;
  flips.push(setInterval(() => {
    page = (page + 1) % run.length;
    medium.src = `media/${run[page].media}`;
  }, FLIP_MS));
}

/* A picture that is there already stays, and shows what it shows until the next one is loaded:
   a click that begins on one picture and ends on the next one counts. */
const frameOf = (channel) => document.querySelector(`#stage .view.picture[data-channel="${channel}"]`);

function framed(percept, tag) {
  const old = tag === "img" && frameOf(percept.channel);
  if (old) {
    old.querySelectorAll(".region").forEach((region) => region.remove());
    return old;
  }
  const medium = make(tag, { alt: percept.channel });
  if (tag === "video") Object.assign(medium, { muted: true, playsInline: true, preload: "auto" });
  const frame = make("div", { className: tag === "img" ? "view live picture" : "view live" }, medium);
  frame.dataset.channel = percept.channel;
  return frame;
}

function view(run, controls) {
  const percept = run[0];
  const tag = percept.modality === "image" ? "img" : "video";
  const frame = framed(percept, tag);
  const medium = frame.firstElementChild;
  medium.src = `media/${percept.media}`;
  if (run.length > 1) flip(medium, run);
  const regions = (controls.regions || []).filter((region) => region.channel === percept.channel);
  frame.append(...regions.map((region) => regionOf(region, controls)));
  frame.onclick = regions.length ? null : (event) => point(event, frame, percept, controls);
  if (tag === "video") {
    const again = make("button", { type: "button", textContent: "Watch again" });
    again.addEventListener("click", () => { replays += 1; perform(); });
    return make("div", {}, frame, again);
  }
  return frame;
}

function regionOf(region, controls) {
  const box = make("div", { className: "region", title: region.text });
  box.style.left = `${100 * region.left}%`;
  box.style.top = `${100 * region.top}%`;
  box.style.width = `${100 * (region.right - region.left)}%`;
  box.style.height = `${100 * (region.bottom - region.top)}%`;
  box.dataset.text = region.text;
  box.addEventListener("click", () => take(region.text, controls));
  return box;
}

function point(event, frame, percept, controls) {
  const box = frame.getBoundingClientRect();
  const x = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  const y = Math.min(1, Math.max(0, (event.clientY - box.top) / box.height));
  const pointer = (controls.pointers || []).find((one) => one.channel === percept.channel);
  if (!pointer) { send({ channel: percept.channel, x, y }); return; }
  setField(pointer.x_field, pointer.x[0] + x * (pointer.x[1] - pointer.x[0]));
  setField(pointer.y_field, pointer.y[0] + y * (pointer.y[1] - pointer.y[0]));
}

function sound(percept) {
  const audio = make("audio", { src: `media/${percept.media}`, preload: "auto" });
  const again = make("button", { type: "button", textContent: "Play again" });
  const row = make("div", { className: "sound" }, make("b", { textContent: `♪ ${percept.channel}` }), again, audio);
  audio.addEventListener("play", () => row.classList.add("playing"));
  for (const name of ["pause", "ended"]) audio.addEventListener(name, () => row.classList.remove("playing"));
  again.addEventListener("click", () => { replays += 1; hush(); audio.currentTime = 0; audio.play(); });
  return row;
}

const media = (kind) => [...document.querySelectorAll(`#game ${kind}`)];
const hush = () => media("audio").forEach((audio) => audio.pause());
const ready = (medium) => new Promise((done) => {
  if (medium.readyState >= 3) done();
  else for (const name of ["canplay", "error"]) medium.addEventListener(name, done, { once: true });
});

/* Everything of a moment: videos together with the first sound, further sounds one after another. */
async function perform() {
  hush();
  const turn = performed = shownTurn;
  const videos = media("video"), sounds = media("audio");
  await Promise.all([...videos, ...sounds].map(ready));
  for (const medium of [...videos, ...sounds]) medium.currentTime = 0;
  videos.forEach((video) => video.play().catch(() => {}));
  for (const audio of sounds) {
    if (turn !== shownTurn) return;
    const ended = new Promise((done) => ["ended", "pause", "error"].forEach((name) =>
      audio.addEventListener(name, done, { once: true })));
    try { await audio.play(); } catch { return; }
    await ended;
  }
}

/* Controls that stay the same stay where they are, for a click may be under way. */
function showControls(controls) {
  const key = JSON.stringify(controls);
  if (key !== shownControls) buildControls(controls);
  shownControls = key;
  showGathered();
}

function buildControls(controls) {
  const buttons = Object.entries(controls.buttons || {}).map(([label, text]) => {
    const button = make("button", { type: "button", textContent: label });
    button.addEventListener("click", () => take(text, controls));
    return button;
  });
  $("buttons").replaceChildren(...buttons);
  $("fields").replaceChildren(...(controls.fields || []).map(field));
  if ((controls.fields || []).length) {
    const go = make("button", { type: "button", id: "go", textContent: "Do it" });
    go.addEventListener("click", () => send({ text: filled(controls) }));
    $("fields").append(go);
  }
}

function field(one) {
  const id = `field-${one.name}`;
  if (one.choices.length) {
    const options = one.choices.map((choice) => make("option", { textContent: choice }));
    const select = make("select", { id }, ...options);
    select.value = one.default;
    return make("label", {}, one.label, select);
  }
  const range = { type: "range", min: one.low, max: one.high, step: one.step || "any", value: one.default };
  const number = make("input", { ...range, type: "number", id });
  const slider = make("input", range);
  slider.addEventListener("input", () => { number.value = slider.value; });
  number.addEventListener("input", () => { slider.value = number.value; });
  return make("label", {}, one.label, slider, number);
}

function setField(name, value) {
  const number = $(`field-${name}`);
  const step = Number(number.step) || 0.01;
  const inside = Math.min(Number(number.max), Math.max(Number(number.min), value));
  number.value = Number((Math.round(inside / step) * step).toFixed(4));
  number.dispatchEvent(new Event("input"));
}

const filled = (controls) => controls.template.replace(/\{(\w+)\}/g, (_, name) => $(`field-${name}`).value);

function take(text, controls) {
  if (!controls.gather) { send({ text }); return; }
  gathered.push(text);
  showGathered();
}

function showGathered() {
  for (const box of document.querySelectorAll(".region")) {
    const places = gathered.flatMap((text, place) => (text === box.dataset.text ? [place + 1] : []));
    box.classList.toggle("taken", places.length > 0);
    box.dataset.places = places.join(" ");
  }
  if (!gathered.length) { $("gathered").replaceChildren(); return; }
  const chips = gathered.map((text, place) => make("span", { textContent: `${place + 1}. ${text}` }));
  const undo = make("button", { type: "button", id: "undo", textContent: "Undo" });
  undo.addEventListener("click", () => { gathered.pop(); showGathered(); });
  const done = make("button", { type: "button", id: "done", textContent: "Send these" });
  done.addEventListener("click", () => send({ text: gathered.join(" ") }));
  $("gathered").replaceChildren(...chips, undo, done);
}

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  post("start", {
    participant: $("participant").value,
    age_group: $("age-group").value,
    gender: $("gender").value,
    warm_up: $("warm-up").checked,
  });
});
$("line").addEventListener("submit", async (event) => {
  event.preventDefault();
  if ((await send({ text: $("text").value })).accepted) $("text").value = "";
});
$("speech").addEventListener("submit", async (event) => {
  event.preventDefault();
  const message = $("message").value.trim();
  if (message && (await send({ message })).accepted) $("message").value = "";
});
$("leave").addEventListener("click", () => post("leave", {}));
$("show-rules").addEventListener("click", () => $("rules").showModal());
$("rules").addEventListener("close", () => { if (performed !== shownTurn) perform(); });
document.addEventListener("keydown", (event) => {
  const controls = state.moment && state.moment.controls;
  const typing = event.target.matches("input, select, textarea") || $("rules").open;
  if (!controls || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const text = (controls.keys || {})[event.key];
  if (text === undefined) return;
  event.preventDefault();
  take(text, controls);
});

follow();
