// The page as a whole: the form, the keyboard, the theme, documents that are opened. searching.js asks and shows.
import { ask, byId, hasToken, languageName, make, whole } from "./elements.js";
import { enter, fill, glossing, hasOptions, leave, opened, recall, setGloss, setUsual, setWhere, value, where } from "./address.js";
import { show } from "./document.js";
import { close } from "./reasons.js";
import { chosen, complain, meanings, question, respells, search, served, weighs } from "./searching.js";

const PAUSE = 180; // milliseconds without a key before a search
const THEMES = ["auto", "light", "dark"];
const KINDS = { // of fields: what comes first and last, and what a condition looks like
  keyword: { first: "A", last: "Z", example: ":value" }, number: { first: "lowest", last: "highest", example: ">=10" },
  date: { first: "earliest", last: "latest", example: ">=2008-05" },
};

const MOST_NAMED = 3; // languages; of more only the number is said

const form = byId("form"), dialog = byId("document");
let own = 0.8, usual = own; // the v of the chosen method, and what comes nearest to it on the slider
let timer = 0;

// --- searching ---

function finish() {
  clearTimeout(timer);
  if (!tooLong()) search(true, usual);
}

function soon() {
  clearTimeout(timer);
  if (!tooLong()) timer = setTimeout(() => search(false, usual), PAUSE);
}

// Whether the query has more characters than the server takes; it is said while somebody types, not afterwards.
function tooLong() {
  const length = [...value("q")].length, over = length - served.longest;
  byId("length").textContent = over > 0
    ? `${whole(length)} characters. A query may have ${whole(served.longest)}; take out ${whole(over)}.`
    : length > 0.9 * served.longest ? `${whole(length)} of ${whole(served.longest)} characters` : "";
  byId("length").classList.toggle("over", over > 0);
  form.elements.q.setAttribute("aria-invalid", over > 0);
  return over > 0;
}

// --- documents ---

function openDocument() {
  const id = opened(), [method] = chosen();
  if (id === null) {
    if (dialog.open) dialog.close();
    return;
  }
  show(id, value("q").trim() && !tooLong() ? question(method, usual) : null, served).then(meanings);
}

function onClick(event) {
  const title = event.target.closest?.("[data-open]");
  if (!title || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  enter(title.dataset.open);
  openDocument();
}

// --- controls ---

// The slider stands where the chosen method has its v, until somebody moves it.
function settle() {
  const slider = form.elements.v, moved = Number(slider.value) !== usual, before = slider.value;
  own = chosen().flatMap((method) => method.settings).find((setting) => setting.path === "weights.v")?.value ?? own;
  slider.max = Math.max(slider.max, Math.ceil(own));
  slider.value = own;
  usual = Number(slider.value);
  setUsual("v", slider.value);
  if (moved) slider.value = before;
}

function showControls() {
  settle();
  const v = Number(form.elements.v.value);
  byId("v-shown").textContent = (v === usual ? own : v).toLocaleString("en", { minimumFractionDigits: 1 });
  byId("weight").hidden = !chosen().some(weighs);
  byId("spelling").hidden = !chosen().some(respells);
  const methods = form.querySelector(".methods"), label = methods.querySelector(":checked")?.parentElement;
  if (label) methods.scrollLeft = label.offsetLeft - (methods.clientWidth - label.offsetWidth) / 2; // on a phone
}

function toggleOptions(open) {
  byId("options").hidden = !open;
  byId("options-button").setAttribute("aria-expanded", open);
}

// A condition on a field joins the others when it is finished.
function addCondition() {
  const text = form.elements.condition.value.trim();
  form.elements.condition.value = "";
  if (text && !where().includes(text)) setWhere([...where(), text]);
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
  const titles = [...document.querySelectorAll("#results .title")].filter((title) => title.checkVisibility());
  if (!titles.length) return;
  const at = titles.indexOf(document.activeElement);
  if (at + step < 0) form.elements.q.focus();
  else titles[Math.min(at + step, titles.length - 1)].focus();
}

function onKey(event) {
  const inField = event.target.matches?.("input:not([type=radio], [type=checkbox]), select");
  if (document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
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
  form.addEventListener("submit", (event) => { event.preventDefault(); addCondition(); finish(); });
  form.addEventListener("input", (event) => {
    showControls();
    if (event.target === form.elements.condition) return;
    if (event.target.matches("[type=radio], [type=checkbox], select")) finish();
    else soon();
  });
  form.elements.condition.addEventListener("change", () => { addCondition(); finish(); });
  byId("options-button").addEventListener("click", () => toggleOptions(byId("options").hidden));
  byId("about-button").addEventListener("click", () => byId("about").showModal());
  byId("gloss-button").addEventListener("click", () => { setGloss(!glossing()); finish(); meanings(); });
  byId("theme").addEventListener("click", () =>
    setTheme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length]));
  document.addEventListener("click", onClick);
  document.addEventListener("keydown", onKey);
  dialog.addEventListener("close", leave);
  window.addEventListener("popstate", restore);
  start();
}

// Show what the address says.
function restore() {
  recall();
  showControls();
  if (!tooLong()) search(false, usual);
  openDocument();
}

// Nothing can be asked before the server has said what it is and which methods it has.
async function start() {
  try {
    introduce(await ask("info"));
    byId("links").hidden = hasToken(); // a browser sends none when somebody follows a link
  } catch (error) {
    byId("links").hidden = error.status === 401;
    complain(error, start);
    return;
  }
  const typed = value("q");
  recall();
  if (typed) fill("q", typed);
  showControls();
  if (hasOptions() && !matchMedia("(max-width: 46rem)").matches) toggleOptions(true); // a phone has no room for it
  if (!tooLong()) search(false, usual);
  openDocument();
}

function introduce(info) {
  const languages = info.languages.map(languageName), target = languageName(info.target);
  const source = languages.length > MOST_NAMED ? `any of ${languages.length} languages`
    : new Intl.ListFormat("en-GB", { type: "disjunction" }).format(languages);
  const glossed = languageName(info.source); // by the first of several models
  Object.assign(served, { source: info.source, target: info.target, facets: info.facets, longest: info.longest_query,
    glosses: info.glosses, methods: info.own ? [info.own, ...info.methods] : info.methods });
  for (const one of [...form.elements.k.options]) if (Number(one.value) > info.most_hits) one.remove();
  setUsual("method", info.own ? info.own.name : info.method);
  showMethods(info.own ? info.own.name : info.method);
  byId("languages").hidden = info.languages.length < 2;
  form.elements.language.replaceChildren(form.elements.language.options[0],
    ...info.languages.map((code) => make("option", { value: code }, languageName(code))));
  document.title = byId("brand").textContent = info.title;
  if (info.lead) byId("lead").textContent = info.lead;
  byId("headline").textContent = `Ask in ${source}, find in ${target}.`;
  byId("served").textContent = `Ask in ${source}, find in ${target}: ${whole(info.documents)} documents`;
  byId("version").textContent = `${info.version}, model ${info.model}, index ${info.index}`;
  byId("gloss-button").textContent = `Gloss in ${glossed}`;
  byId("gloss-button").title = `Show above each word what it means in ${glossed}, according to the model’s own lexicon`;
  form.elements.q.placeholder = `Search in ${source}…`;
  form.elements.q.lang = info.source;
  for (const name of ["having", "lacking"]) form.elements[name].placeholder = `${target} words`;
  showFields(Object.entries(info.fields).filter(([, kind]) => kind !== "stored"));
  showExamples(info.examples, info.source);
}

function showMethods(first) {
  const place = form.querySelector(".methods");
  for (const old of place.querySelectorAll("label:not(:last-child)")) old.remove();
  place.querySelector("legend").after(...served.methods.map((method) => make("label", { title: method.help },
    make("input", { type: "radio", name: "method", value: method.name, checked: method.name === first }),
    make("span", {}, method.label))));
  byId("about-methods").replaceChildren(...served.methods.flatMap((method) =>
    [make("dt", {}, method.label), make("dd", {}, method.help)]));
  usual = Number(form.elements.v.value); // nobody has moved it yet
  showControls();
}

// Fields to choose documents by, and to sort them by.
function showFields(fields) {
  for (const one of form.querySelectorAll(".with-fields")) one.hidden = !fields.length;
  form.elements.sort.replaceChildren(make("option", { value: "" }, "Best first"), ...fields.flatMap(([name, kind]) =>
    [make("option", { value: `-${name}` }, `${name}, ${KINDS[kind].last} first`),
      make("option", { value: name }, `${name}, ${KINDS[kind].first} first`)]));
  const [name, kind] = fields.find(([, one]) => one !== "keyword") ?? fields[0] ?? ["", "keyword"];
  form.elements.condition.placeholder = name + KINDS[kind].example;
}

function showExamples(examples, lang) {
  byId("examples").hidden = !examples.length;
  byId("examples").querySelector("ul").replaceChildren(...examples.map((example) => make("li", {},
    make("button", { type: "button", lang, dir: "auto", click: () => {
      fill("q", example);
      form.elements.q.focus();
      finish();
    } }, example))));
}

begin();
