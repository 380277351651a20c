// SPDX-License-Identifier: Apache-2.0
//
// Draws what /api/budgets says and keeps it current with /events. Names and labels are whatever bots
// wrote: they go into the page as text only, never as markup.
"use strict";

const history_ms = 15 * 60 * 1000;
const most_plots = 8;
const most_drawn = 8;
const order = ["banned", "paused", "halted", "probing", "cold", "empty", "busy", "idle"];
const tones = {banned: "bad", halted: "bad", paused: "warn", probing: "warn", cold: "warn",
               empty: "warn", busy: "good"};
const histories = new Map();  // budget, limit and key -> samples [ms, used, outside, waiting]
const cards = new Map();      // budget -> the parts of its card
let budgets = [];
let skew_ms = 0;              // the daemon's clock less this one's
let heard_at = 0;

const by_id = (id) => document.getElementById(id);
const with_token = (path) => {
  const token = new URLSearchParams(location.search).get("token");
  return token === null ? path : path + "?token=" + encodeURIComponent(token);
};
const now_ms = () => Date.now() + skew_ms;

function element(name, kind, ...content) {
  const result = document.createElement(name);
  if (kind) result.className = kind;
  result.append(...content.map((part) => part instanceof Node ? part : String(part)));
  return result;
}

function drawing(name, attributes, ...content) {
  const result = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) result.setAttribute(key, value);
  result.append(...content);
  return result;
}

const counted = (count, noun) => count.toLocaleString("en") + " " + noun + (count === 1 ? "" : "s");
const instant = (ms) => new Date(ms).toISOString().replace("T", " ").slice(0, 19) + " UTC";

function span(ms) {
  if (ms < 1000) return Math.max(0, Math.round(ms)) + " ms";
  const seconds = ms / 1000;
  if (seconds < 60) return (seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)) + " s";
  const parts = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  let left = Math.round(seconds);
  const words = [];
  for (const [unit, size] of parts) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) words.push(count + " " + unit);
  }
  return words.slice(0, 4).join(" ");
}

// Filled in once a second by count_down().
function countdown(until_ms) {
  const result = element("span", "count");
  result.dataset.until = until_ms;
  return result;
}

function count_down() {
  for (const part of document.querySelectorAll("[data-until]")) {
    const left = Number(part.dataset.until) - now_ms();
    part.textContent = left > 0 ? span(Math.ceil(left / 1000) * 1000) : "0 s";
  }
  if (heard_at > 0) {
    const age = Date.now() - heard_at;
    by_id("status").textContent = age < 3000 ? "live" : "last heard of " + span(age) + " ago";
  }
}

function table(kind, heads, rows) {
  const head = element("tr", "", ...heads.map(([text, of]) => element("th", of, text)));
  const body = rows.map((cells) => element(
      "tr", "", ...cells.map((cell, i) => element("td", heads[i][1], cell))));
  const whole = element("table", kind, element("thead", "", head), element("tbody", "", ...body));
  return element("div", "scroll", whole);
}

function state_of(budget) {
  return budget.problem !== "" || !budget.seen ? "lost" : budget.state;
}

function badge(budget) {
  const state = state_of(budget);
  return element("span", "badge " + (state === "lost" ? "bad" : tones[state] || ""),
                 state === "lost" ? "cannot be had" : state);
}

function notes_of(budget) {
  const notes = [];
  const add = (tone, ...content) => notes.push(element("li", tone, ...content));
  if (budget.problem !== "") add("bad", budget.problem + (budget.seen ? "; what follows is old" : ""));
  if (!budget.seen) return notes;
  for (const pause of budget.pauses) {
    const what = {ban: "Banned", cooldown: "Cooling down", manual: "Paused by hand"}[pause.kind];
    add(pause.kind === "ban" ? "bad" : "warn", what + ": ", countdown(pause.until_ms),
        " left, until " + instant(pause.until_ms));
  }
  if (budget.halted) add("bad", "Halted: requests that open are refused.");
  if (budget.probe_required) add("warn", "One request goes alone, as a probe, before the others.");
  if (budget.cold_until_ms !== null) {
    add("warn", "Cold start: ", countdown(budget.cold_until_ms), " left");
  }
  if (budget.strikes > 0) add("warn", "Strikes so far: " + budget.strikes);
  if (!budget.stops_saved) add("bad", "Pauses or a halt are not on disk yet.");
  if (budget.shadow) add("calm", "Shadow: it counts, and holds nobody up.");
  return notes;
}

function plot(samples, most, name, most_name) {
  const top = Math.max(most, 1, ...samples.map((sample) => Math.max(sample[1], sample[2]))) * 1.05;
  const end = samples.length > 0 ? samples[samples.length - 1][0] : now_ms();
  const begin = Math.max(end - history_ms, Math.min(samples.length > 0 ? samples[0][0] : end, end - 60000));
  const x = (ms) => (600 * (ms - begin) / (end - begin)).toFixed(1);
  const y = (units) => (100 - 100 * units / top).toFixed(1);
  const line = (column) => samples.map((sample) => x(sample[0]) + "," + y(sample[column])).join(" ");
  const first = samples.length > 0 ? x(samples[0][0]) : "600";
  const image = drawing("svg", {viewBox: "0 0 600 100", preserveAspectRatio: "none", role: "img",
                                "aria-label": "used of " + name + " over time"},
      drawing("polyline", {class: "area", points: first + ",100 " + line(1) + " 600,100"}),
      drawing("line", {class: "quota", x1: 0, x2: 600, y1: y(most), y2: y(most)}),
      drawing("polyline", {class: "used", points: line(1)}));
  const legend = element("div", "legend", element("span", "", "used"),
                         element("span", "l-quota", most_name + " " + most.toLocaleString("en")));
  if (samples.some((sample) => sample[2] > 0)) {
    image.append(drawing("polyline", {class: "outside", points: line(2)}));
    legend.append(element("span", "l-outside", "outside use"));
  }
  return element("div", "plot", image,
                 element("div", "axis", element("span", "", span(end - begin) + " ago"), legend,
                         element("span", "", "now")));
}

function fact(kind, name, value) {
  return element("span", kind, name + " ", element("b", "", value));
}

function cell_part(budget, limit, cell) {
  const part = element("div", "cell");
  const most = cell.most.toLocaleString("en");
  const row = element("div", "row");
  if (limit.per !== "") row.append(element("span", "key", limit.per + " " + cell.key));
  row.append(element("span", "", cell.used.toLocaleString("en") + " of " + most +
                                     (limit.kind === "fixed" ? " used" : " not yet regained")));
  const fill = element("i", cell.used >= cell.most ? "full" : "");
  fill.style.width = Math.min(100, 100 * cell.used / Math.max(1, cell.most)) + "%";
  const facts = element("div", "facts");
  facts.append(fact("", "free now", cell.available.toLocaleString("en")));
  if (cell.waiting > 0) {
    facts.append(fact("", "waiting", counted(cell.waiting, "request") + ", " +
                                         counted(cell.waiting_units, "unit")));
  }
  if (cell.next_in_ms > 0) facts.append(fact("", "next in", span(cell.next_in_ms)));
  if (cell.outside > 0) facts.append(fact("outside", "outside use", cell.outside.toLocaleString("en")));
  if (cell.unverified) facts.append(fact("", "what was used before is", "not known"));
  if (cell.paused_until_ms !== null) {
    facts.append(element("span", "", "key paused for ", countdown(cell.paused_until_ms)));
  }
  if (cell.opens_at_ms !== null) {
    facts.append(element("span", "", "opens in ", countdown(cell.opens_at_ms)));
  }
  part.append(row, element("div", "bar", fill), facts);
  const samples = histories.get(history_key(budget.name, limit.limit, cell.key));
  if (samples && samples.some((sample) => sample[1] > 0 || sample[2] > 0)) {
    part.append(plot(samples, cell.most, limit.limit + " " + cell.key,
                     limit.kind === "fixed" ? "quota" : "full at"));
  }
  return part;
}

function limit_part(budget, limit) {
  const what = limit.kind + ", " + limit.quota.toLocaleString("en") + " per " + span(limit.window_ms) +
               (limit.per === "" ? "" : " and " + limit.per);
  const part = element("section", "limit", element("div", "title", element("h3", "", limit.limit),
                                                   element("span", "soft", what)));
  // By name: by use they would change places under a reader's eyes.
  const cells = limit.cells.slice(0, most_plots).sort((a, b) => a.key.localeCompare(b.key));
  for (const cell of cells) part.append(cell_part(budget, limit, cell));
  const hidden = limit.cells_left_out + Math.max(0, limit.cells.length - most_plots);
  if (hidden > 0) part.append(element("p", "soft", counted(hidden, "more key") + " that used less"));
  if (limit.drawn_by.length > 0) {
    const rows = limit.drawn_by.slice(0, most_drawn).map((client) => [
      client.label || "(no label)", client.pid, client.permits.toLocaleString("en"),
      client.units.toLocaleString("en"),
    ]);
    part.append(table("", [["drawn by", ""], ["pid", "number"], ["permits", "number"],
                           ["units", "number"]], rows));
    const unnamed = limit.drawn_by_left_out + limit.drawn_by.length - rows.length;
    if (unnamed > 0) part.append(element("p", "soft", counted(unnamed, "more client")));
  }
  const totals = element("div", "facts", fact("", "granted", counted(limit.granted_units, "unit")),
                         fact("", "refused", limit.refused.toLocaleString("en")));
  part.append(totals);
  return part;
}

function clients_part(budget) {
  const rows = budget.clients.map((client) => [
    client.label || "(no label)", client.pid, client.alive ? "alive" : "gone",
    client.granted.toLocaleString("en"), client.waited.toLocaleString("en"),
    client.refused.toLocaleString("en"), client.waiting.toLocaleString("en"),
  ]);
  return table("", [["label", ""], ["pid", "number"], ["", ""], ["granted", "number"],
                    ["waited", "number"], ["refused", "number"], ["waiting now", "number"]], rows);
}

function journal_part(budget) {
  const rows = budget.journal.map((entry) => [
    instant(entry.at_ms).slice(5, 19), entry.kind, entry.label, entry.text,
  ]);
  return table("journal", [["UTC", "time"], ["what", "kind"], ["by", ""], ["", "text"]], rows);
}

function new_card(name) {
  const card = {
    root: element("article", "budget"), head: element("div", "head"), notes: element("ul", "notes"),
    limits: element("div", "limits"), others: element("p", "soft"), rest: element("div", ""),
    clients: element("details", ""), clients_title: element("summary", ""),
    clients_body: element("div", ""), journal: element("details", ""),
    journal_title: element("summary", ""), journal_body: element("div", ""), newest: null,
  };
  card.root.id = "budget-" + name;
  card.journal.open = true;
  card.clients.append(card.clients_title, card.clients_body);
  card.journal.append(card.journal_title, card.journal_body);
  card.rest.append(card.clients, card.journal);
  card.root.append(card.head, card.notes, card.limits, card.others, card.rest);
  return card;
}

function draw_card(budget) {
  if (!cards.has(budget.name)) cards.set(budget.name, new_card(budget.name));
  const card = cards.get(budget.name);
  card.head.replaceChildren(element("h2", "", budget.name), badge(budget));
  card.notes.replaceChildren(...notes_of(budget));
  card.rest.hidden = !budget.seen;
  if (!budget.seen) {
    card.limits.replaceChildren();
    card.others.hidden = true;
    return card.root;
  }
  const is_drawn = (limit) => limit.granted_units > 0 || limit.refused > 0 ||
      limit.cells.some((cell) => limit.kind === "fixed" && cell.used > 0 || cell.outside > 0 || cell.waiting > 0);
  const drawn = budget.limits.filter(is_drawn);
  const others = budget.limits.filter((limit) => !is_drawn(limit)).map((limit) => limit.limit);
  card.limits.replaceChildren(...drawn.map((limit) => limit_part(budget, limit)));
  card.others.textContent = "Not drawn from yet: " + others.join(", ");
  card.others.hidden = others.length === 0;
  card.clients_title.textContent =
      counted(budget.clients.length + budget.clients_left_out, "client") + ", " +
      counted(budget.reservations, "reservation");
  card.clients_body.replaceChildren(clients_part(budget));
  const newest = budget.journal.length > 0 ? budget.journal[0].sequence : 0;
  if (newest !== card.newest) {  // else a reader would lose the place
    card.journal_title.textContent = budget.journal.length > 0 ? "Journal" : "Journal: nothing yet";
    card.journal_body.replaceChildren(journal_part(budget));
    card.journal_body.hidden = budget.journal.length === 0;
    card.newest = newest;
  }
  return card.root;
}

function draw() {
  const rank = (budget) => state_of(budget) === "lost" ? -1 : order.indexOf(budget.state);
  const sorted = [...budgets].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
  by_id("overview").replaceChildren(...sorted.map((budget) => {
    const link = element("a", "", budget.name, badge(budget));
    link.href = "#budget-" + encodeURIComponent(budget.name);
    return link;
  }));
  by_id("overview").hidden = budgets.length < 2;
  const roots = sorted.map(draw_card);
  const main = by_id("budgets");
  if (roots.length !== main.children.length || roots.some((root, i) => main.children[i] !== root)) {
    main.replaceChildren(...roots);
  }
  by_id("nothing").hidden = budgets.length > 0;
  const alarming = sorted.filter((budget) => rank(budget) <= 2).length;
  document.title = (alarming > 0 ? "(" + alarming + ") " : "") + "ratecoord";
  count_down();
}

const history_key = (budget, limit, key) => JSON.stringify([budget, limit, key]);

function take(board, is_whole) {
  if (is_whole) histories.clear();
  budgets = board.budgets;
  const there = new Set();
  for (const budget of budgets) {
    if (budget.now_ms) skew_ms = budget.now_ms - Date.now();
    for (const {limit, key, samples} of budget.history || []) {
      const name = history_key(budget.name, limit, key);
      there.add(name);
      const known = histories.get(name) || [];
      const last = known.length > 0 ? known[known.length - 1][0] : 0;
      for (const sample of samples) if (sample[0] > last) known.push(sample);
      while (known.length > 0 && known[0][0] < known[known.length - 1][0] - history_ms) known.shift();
      histories.set(name, known);
    }
  }
  for (const name of [...histories.keys()]) if (!there.has(name)) histories.delete(name);
  for (const name of [...cards.keys()]) {
    if (!budgets.some((budget) => budget.name === name)) cards.delete(name);
  }
  heard_at = Date.now();
  draw();
}

function set_gone(text) {
  document.body.classList.toggle("gone", text !== "");
  by_id("gone").hidden = text === "";
  if (by_id("gone").textContent !== text) by_id("gone").textContent = text;
}

async function read_whole() {
  const reply = await fetch(with_token("/api/budgets"));
  if (!reply.ok) throw new Error("status " + reply.status);
  take(await reply.json(), true);
}

function watch() {
  const source = new EventSource(with_token("/events"));
  let is_whole = false;
  let is_reading = false;
  async function catch_up() {
    if (is_reading) return;
    is_reading = true;
    try {
      await read_whole();
      is_whole = source.readyState === EventSource.OPEN;
      set_gone("");
    } catch {
      set_gone("coordinatord does not answer; what is below is old. Trying again.");
    }
    is_reading = false;
  }
  source.onopen = catch_up;
  source.onmessage = (event) => is_whole ? take(JSON.parse(event.data), false) : catch_up();
  source.onerror = () => {
    is_whole = false;
    // It tries again by itself, unless it was refused: then there are viewers enough, and this one asks.
    if (source.readyState === EventSource.CLOSED) setTimeout(watch, 3000);
    catch_up();
  };
}

setInterval(count_down, 1000);
watch();
