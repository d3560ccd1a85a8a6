// The page as a whole: the form, the address, the keyboard, the theme. What was found is drawn by results.js.
import { ask, byId, make, Problem } from "./elements.js";
import { list, sideBySide, timing } from "./results.js";
import { close } from "./reasons.js";

const PAUSE = 180; // milliseconds without a key before a search
const COMPARE = "compare";
const THEMES = ["auto", "light", "dark"];

const form = byId("form"), results = byId("results"), status = byId("status");
let languages = { source: "de", target: "en" };
let methods = []; // as the server describes them: name, label, help, settings; that without a name is the server's own
let own = 0.8, usual = own; // the v of the chosen method, and what comes nearest to it on the slider
let current = null; // what stops the search that is under way
let timer = 0;

// --- searching ---

function request(method) {
  const words = (name) => form.elements[name].value.split(/[\s,]+/u).filter(Boolean);
  const v = Number(form.elements.v.value);
  return {
    ...(method.name ? { method: method.name } : {}), query: form.elements.q.value, k: Number(form.elements.k.value), explain: true,
    ...(weighs(method) && v !== usual ? { v } : {}),
    filter: { having: words("having"), lacking: words("lacking"), id_prefix: form.elements.prefix.value.trim() },
  };
}

// Whether a method looks at the weight of the document.
const weighs = (method) => method.settings.some((setting) => setting.path === "weights.v");

// The methods that are asked for: all of them to compare, or one.
const chosen = () => form.elements.method.value === COMPARE ? methods
  : methods.filter((method) => method.name === form.elements.method.value);

async function search() {
  if (!methods.length) return; // the start will come back to it
  clearTimeout(timer);
  current?.abort();
  close();
  remember();
  const compared = form.elements.method.value === COMPARE, empty = !form.elements.q.value.trim();
  document.body.classList.toggle("empty", empty);
  document.body.classList.toggle("wide", compared);
  if (empty) {
    results.replaceChildren();
    status.textContent = "";
    return;
  }
  const mine = current = new AbortController();
  results.setAttribute("aria-busy", "true");
  try {
    const asked = chosen().map(request);
    const answers = await Promise.all(asked.map((one) => ask("search", one, mine.signal)));
    if (mine !== current) return;
    const shown = answers.map((answer, at) => ({ ...answer, asked: asked[at], described: chosen()[at] }));
    results.replaceChildren(...(compared ? sideBySide(shown, languages) : list(shown[0], languages)));
    status.textContent = summary(answers);
  } catch (error) {
    if (error.name === "AbortError" || mine !== current) return;
    complain(error, search);
  } finally {
    if (mine === current) results.removeAttribute("aria-busy");
  }
}

function complain(error, again) {
  if (!(error instanceof Problem)) throw error;
  status.textContent = "";
  results.replaceChildren(make("div", { class: "problem", role: "alert" }, make("p", {}, error.message),
    make("button", { type: "button", class: "quiet", click: again }, "Try again")));
}

function summary([first, ...others]) {
  const all = first.documents.toLocaleString("en");
  if (others.length) return `${others.length + 1} methods, ${all} documents`;
  return `${first.hits.length || "None"} of ${all} documents, ${timing(first.milliseconds)}`;
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(search, PAUSE);
}

// --- the address: what is asked can be linked to ---

const REMEMBERED = { q: "", method: null, v: null, having: "", lacking: "", prefix: "", k: "10" };

function remember() {
  const pairs = Object.keys(REMEMBERED).map((name) => [name, form.elements[name].value]);
  const kept = pairs.filter(([name, value]) => value !== REMEMBERED[name]);
  const address = new URLSearchParams(kept).toString();
  history.replaceState(null, "", address ? `?${address}` : location.pathname);
}

function recall() {
  const given = new URLSearchParams(location.search);
  for (const name of Object.keys(REMEMBERED)) if (given.has(name)) form.elements[name].value = given.get(name);
  showWeight();
  const [, , ...rest] = Object.keys(REMEMBERED);
  if (rest.some((name) => given.has(name))) toggleOptions(true);
}

// --- controls ---

// The slider stands where the chosen method has its v, until somebody moves it.
function settle() {
  const moved = Number(form.elements.v.value) !== usual;
  own = chosen().flatMap((method) => method.settings).find((setting) => setting.path === "weights.v")?.value ?? own;
  form.elements.v.max = Math.max(form.elements.v.max, Math.ceil(own));
  const before = form.elements.v.value;
  form.elements.v.value = own;
  usual = Number(form.elements.v.value);
  REMEMBERED.v = form.elements.v.value;
  if (moved) form.elements.v.value = before;
}

function showWeight() {
  settle();
  const v = Number(form.elements.v.value);
  byId("v-shown").textContent = (v === usual ? own : v).toLocaleString("en", { minimumFractionDigits: 1 });
  byId("weight").hidden = !chosen().some(weighs);
}

function toggleOptions(open) {
  byId("options").hidden = !open;
  byId("options-button").setAttribute("aria-expanded", open);
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = `Theme: ${theme}`;
  try {
    localStorage.setItem("theme", theme);
  } catch { /* a browser that keeps nothing: the theme lasts as long as the page */ }
}

function storedTheme() {
  try {
    const theme = localStorage.getItem("theme");
    return THEMES.includes(theme) ? theme : "auto";
  } catch {
    return "auto";
  }
}

// --- the keyboard ---

function move(step) {
  const titles = [...results.querySelectorAll(".title")];
  if (!titles.length) return;
  const at = titles.indexOf(document.activeElement);
  if (at + step < 0) form.elements.q.focus();
  else titles[Math.min(at + step, titles.length - 1)].focus();
}

function onKey(event) {
  const inField = event.target.matches?.("input:not([type=radio]), select");
  if (byId("document").open || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && !inField) {
    event.preventDefault();
    form.elements.q.select();
  } else if (event.key === "Escape" && !close() && !inField) {
    form.elements.q.focus();
  } else if (event.key === "ArrowDown" && (event.target === form.elements.q || event.target.matches(".title"))) {
    event.preventDefault();
    move(1);
  } else if (event.key === "ArrowUp" && event.target.matches(".title")) {
    event.preventDefault();
    move(-1);
  }
}

// --- the start ---

function begin() {
  setTheme(storedTheme());
  form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
  form.addEventListener("input", () => { showWeight(); soon(); });
  byId("options-button").addEventListener("click", () => toggleOptions(byId("options").hidden));
  byId("theme").addEventListener("click", () =>
    setTheme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length]));
  document.addEventListener("keydown", onKey);
  window.addEventListener("popstate", () => { recall(); search(); });
  document.body.classList.add("empty");
  start();
}

// Nothing can be asked before the server has said what it is and which methods it has.
async function start() {
  try {
    introduce(await ask("info"));
  } catch (error) {
    complain(error, start);
    return;
  }
  const typed = form.elements.q.value;
  recall();
  if (typed) form.elements.q.value = typed;
  search();
}

function introduce(info) {
  const names = new Intl.DisplayNames(["en"], { type: "language" });
  const [source, target] = [names.of(info.source), names.of(info.target)];
  languages = { source: info.source, target: info.target };
  methods = info.own ? [info.own, ...info.methods] : info.methods;
  REMEMBERED.method = info.own ? info.own.name : info.method;
  form.querySelector(".methods legend").after(...methods.map((method) => make("label", { title: method.help },
    make("input", { type: "radio", name: "method", value: method.name, checked: method.name === REMEMBERED.method }),
    make("span", {}, method.label))));
  usual = Number(form.elements.v.value); // nobody has moved it yet
  showWeight();
  byId("headline").textContent = `Ask in ${source}, find in ${target}.`;
  byId("served").textContent = `${source} → ${target}, ${info.documents.toLocaleString("en")} documents`;
  byId("version").textContent = `${info.version}, model ${info.model}, index ${info.index}`;
  form.elements.q.placeholder = `Search in ${source}…`;
  form.elements.q.lang = info.source;
  for (const name of ["having", "lacking"]) form.elements[name].placeholder = `${target} words`;
  byId("examples").hidden = !info.examples.length;
  byId("examples").querySelector("ul").replaceChildren(...info.examples.map((example) => make("li", {},
    make("button", { type: "button", lang: info.source, click: () => {
      form.elements.q.value = example;
      form.elements.q.focus();
      search();
    } }, example))));
}

begin();
