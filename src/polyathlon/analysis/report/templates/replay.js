"use strict";

// Everything shown here comes from models and worlds: it is set as text, never as markup.
function element(tag, name, text) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

function block(title, text, folded) {
  const made = element(folded ? "details" : "div", "block");
  made.append(element(folded ? "summary" : "h4", "", title), element("pre", "", text));
  return made;
}

function fact(label, value, name) {
  const made = element("span", "", label + " ");
  made.append(element("b", name || "", value));
  return made;
}

const TAGS = { image: "img", audio: "audio", video: "video" };

function medium(file, caption) {
  const made = element(TAGS[file.kind] || "img");
  if (file.uri.startsWith("data:" + file.kind + "/")) made.src = file.uri;
  if (made.tagName === "IMG") made.alt = caption;
  else Object.assign(made, { controls: true, loop: made.tagName === "VIDEO" });
  return made;
}

function exhibit(shown, data, name) {
  const made = element("figure", name || "");
  const file = data.media[shown.place];
  const title = element("figcaption");
  title.append(element("b", "", shown.channel));
  if (shown.words) title.append(" " + shown.words);
  made.append(title);
  if (file) made.append(medium(file, shown.channel));
  made.append(element("p", "caption", [shown.source, file && file.about].filter(Boolean).join(" · ")));
  return made;
}

function exhibits(step, data) {
  const column = element("div", "media");
  for (const shown of step.shown) column.append(exhibit(shown, data));
  for (const change of step.changes)
    for (const shown of change.media) column.append(exhibit(shown, data, "true"));
  return column;
}

function change(found) {
  const made = element("div", "block change");
  made.append(element("h4", "", "changed by intervention: " + found.channel));
  made.append(fact("delivered", found.delivered), fact("true", found.true));
  return made;
}

function ending(step) {
  const column = element("div");
  const facts = element("p", "facts");
  facts.append(fact("end", step.end, step.end.startsWith("failed") ? "failed" : ""));
  for (const [name, value] of step.metrics) facts.append(fact(name, value));
  column.append(facts);
  if (step.fault) column.append(block("where it failed", step.fault));
  if (step.words) column.append(block("the world in words", step.words));
  return column;
}

function decision(step, data) {
  const column = element("div");
  const facts = element("p", "facts");
  facts.append(fact("turn", String(step.turn)));
  facts.append(fact("role", step.role));
  if (step.time_s) facts.append(fact("at", step.time_s.toFixed(2) + " s"));
  facts.append(fact("action", step.action === null || step.action === undefined ? "none" : step.action));
  facts.append(fact("outcome", step.status, step.status));
  if (step.reward !== undefined) facts.append(fact("reward", step.reward), fact("score", step.score));
  column.append(facts);
  for (const found of step.changes) column.append(change(found));
  if (step.malformed) column.append(block("why it was no action", step.malformed));
  if (step.mail.length) column.append(block("messages received", step.mail.join("\n")));
  if (step.thought) column.append(block("thought", step.thought));
  if (step.raw) column.append(block("raw reply", step.raw));
  if (step.repairs && step.repairs.length) column.append(block("repairs", step.repairs.join("\n")));
  if (step.warnings && step.warnings.length) column.append(block("warnings", step.warnings.join("\n")));
  for (const tool of step.tools) column.append(block("tool " + tool.call, tool.result, true));
  for (const call of step.calls) {
    const title = [call.purpose, call.model, call.facts].filter(Boolean).join(" · ");
    const failed = call.failed.map((cause) => "attempt failed: " + cause);
    const text = failed.concat(call.reply || []).join("\n");
    if (text) column.append(block(title, text));
    else column.append(element("p", "caption", title));
  }
  if (step.prompt.length) {
    const said = step.prompt.map((place) => data.messages[place]);
    const lines = said.map((message) => "── " + message.speaker + "\n" + message.text);
    if (step.omitted) lines.splice(1, 0, "── " + step.omitted + " earlier messages left out");
    column.append(block("prompt", lines.join("\n\n"), true));
  }
  if (step.words) column.append(block("the world in words", step.words));
  return column;
}

function start(replay) {
  const data = JSON.parse(replay.querySelector("script").textContent);
  const player = replay.querySelector(".player");
  const last = data.steps.length - 1;
  const controls = element("div", "controls");
  const back = element("button", "", "←");
  const forth = element("button", "", "→");
  const slider = element("input");
  const place = element("output");
  const stage = element("div", "step");
  back.title = "step back (left arrow)";
  forth.title = "step forth (right arrow)";
  Object.assign(slider, { type: "range", min: 0, max: last, value: 0 });
  slider.setAttribute("aria-label", "step");
  controls.append(back, slider, forth, place);
  player.append(controls);
  if (data.note) player.append(element("p", "caption", data.note));
  player.append(stage);
  let current = 0;
  const open = new Set();

  function show(index) {
    current = Math.min(Math.max(index, 0), last);
    const step = data.steps[current];
    slider.value = current;
    back.disabled = current === 0;
    forth.disabled = current === last;
    place.textContent = current + 1 + " of " + (last + 1);
    const seen = exhibits(step, data);
    stage.className = seen.childElementCount ? "step" : "step textual";
    const text = step.end === undefined ? decision(step, data) : ending(step);
    for (const fold of text.querySelectorAll("details")) {
      const name = fold.firstChild.textContent;
      fold.open = open.has(name);
      fold.addEventListener("toggle", () => (fold.open ? open.add(name) : open.delete(name)));
    }
    stage.replaceChildren(...(seen.childElementCount ? [seen, text] : [text]));
  }

  const keys = { ArrowLeft: () => current - 1, ArrowRight: () => current + 1, Home: () => 0, End: () => last };
  player.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.target.closest("audio, video")) return;
    event.preventDefault();
    show(keys[event.key]());
  });
  back.addEventListener("click", () => show(current - 1));
  forth.addEventListener("click", () => show(current + 1));
  slider.addEventListener("input", () => show(Number(slider.value)));
  if (last >= 0) show(0);
}

for (const replay of document.querySelectorAll(".replay")) {
  const begin = () => replay.querySelector(".controls") || start(replay);
  if (replay.open) begin();
  replay.addEventListener("toggle", () => {
    if (!replay.open) return;
    begin();
    const player = replay.querySelector(".player");
    if (replay.contains(document.activeElement)) player.focus({ preventScroll: true });
  });
}
