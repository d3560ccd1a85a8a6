// From the form to the list: what is asked of the server, and what is shown of its answers.
import { ask, byId, excuse, hasToken, keepToken, languageName, make, Problem, whole } from "./elements.js";
import { glossing, remember, value, where } from "./address.js";
import { showMeanings } from "./backgloss.js";
import { sideBySide } from "./compare.js";
import { filtered, removeFilters, showFacets, showFilters } from "./facets.js";
import { asked as queryOf, items } from "./hits.js";
import { nothing } from "./nothing.js";
import { close } from "./reasons.js";

export const COMPARE = "compare";
const SIMILAR = "translation.spellings"; // the setting that reads unknown words as similar ones, and how many
const READINGS = 3;
const MOST_SKIPPED = 1000; // the server shows no more

const results = byId("results"), status = byId("status");
/** What the server serves: its languages, methods, fields and limits. */
export const served = { source: "de", target: "en", methods: [], facets: [], longest: Infinity };
let current = null; // what stops the search that is under way
let shown = null; // the address without its document, as far as it decides what is found

export const compared = () => value("method") === COMPARE;

/** The methods that are asked for: all of them to compare, or one. */
export const chosen = () => (compared() ? served.methods : served.methods.filter((method) => method.name === value("method")));

const has = (method, path) => method.settings.some((setting) => setting.path === path);
export const weighs = (method) => has(method, "weights.v");
export const respells = (method) => has(method, SIMILAR);

/** What is asked, by a method, whichever documents are wanted; `usual` is where the slider stands by itself. */
export function question(method, usual) {
  const v = Number(value("v"));
  return {
    ...(method.name ? { method: method.name } : {}), query: value("q"), syntax: true,
    ...(weighs(method) && v !== usual ? { v } : {}),
    ...(value("language") ? { language: value("language") } : {}),
    ...(value("similar") && respells(method) ? { settings: { [SIMILAR]: READINGS } } : {}),
  };
}

function request(asked, offset = 0) {
  const words = (name) => value(name).split(/[\s,]+/u).filter(Boolean);
  return {
    ...asked, k: Number(value("k")), offset, explain: true, ...(value("sort") ? { sort: value("sort") } : {}),
    facets: compared() || offset ? [] : served.facets,
    filter: { having: words("having"), lacking: words("lacking"), id_prefix: value("prefix").trim(), where: where() },
  };
}

/** Search for what the form says. `done`: somebody has finished it, so that going back comes back here. */
export async function search(done, usual) {
  if (!served.methods.length) return; // the start will come back to it
  current?.abort();
  close();
  remember(done);
  const empty = !value("q").trim(), again = () => search(true, usual);
  const now = JSON.stringify([chosen().map((method) => request(question(method, usual))), compared()]);
  document.body.classList.toggle("empty", empty);
  document.body.classList.toggle("wide", compared());
  showFilters(again);
  if (empty) {
    shown = null;
    clear();
    return;
  }
  if (now === shown) return; // what was added to the list stays
  const mine = current = new AbortController();
  results.setAttribute("aria-busy", "true");
  try {
    const asked = chosen().map((method) => question(method, usual));
    const answers = await Promise.all(asked.map((one) => ask("search", request(one), mine.signal)));
    if (mine !== current) return;
    shown = now;
    draw(answers.map((answer, at) => ({ ...answer, asked: asked[at], described: chosen()[at] })), again);
  } catch (error) {
    if (error.name === "AbortError" || mine !== current) return;
    shown = null;
    complain(error, again);
  } finally {
    if (mine === current) results.removeAttribute("aria-busy");
  }
}

function clear() {
  results.replaceChildren();
  status.textContent = "";
  byId("gloss-button").hidden = true;
  showFacets(null);
}

function draw(answers, again) {
  const [first] = answers, found = answers.some((answer) => answer.hits.length);
  showFacets(compared() ? null : first, again);
  byId("gloss-button").hidden = !served.glosses || !found;
  status.replaceChildren(...(compared() ? [`${answers.length} methods, ${whole(first.documents)} documents`] : summary(first)));
  status.title = compared() ? "" : timing(first.milliseconds);
  hear(first.language);
  const body = !found ? nothing(first, served.methods, again) : compared() ? sideBySide(answers, served) : list(first);
  results.replaceChildren(...[queryOf(first, served), body].filter(Boolean));
  meanings();
}

// What language the query was taken to be in; whoever knows better chooses another.
function hear({ code, probability }) {
  const choice = byId("form").elements.language, sure = `${Math.round(100 * probability)} %`;
  choice.options[0].textContent = choice.value ? "auto"
    : `auto: ${code.split("+").map(languageName).join(" and ")}, ${sure}`;
  byId("query").lang = code.split("+")[0];
}

function list(answer) {
  const best = Math.max(...answer.hits.map((hit) => hit.score)), size = Number(value("k"));
  const hits = make("ol", { class: "hits" }, items(answer, best, served));
  const more = make("button", { type: "button", class: "quiet more", click: async () => {
    const mine = current, at = hits.childElementCount;
    more.disabled = true;
    try {
      const next = await ask("search", request(answer.asked, at), mine?.signal);
      hits.append(...items({ ...next, asked: answer.asked }, best, served));
      hits.children[at]?.querySelector(".title").focus();
      meanings();
    } catch (error) {
      if (error.name === "AbortError") return;
      more.before(excuse(error));
    }
    more.disabled = false;
    label();
  } });
  const label = () => {
    const left = Math.min(answer.total - hits.childElementCount, MOST_SKIPPED - hits.childElementCount + size);
    more.hidden = left <= 0;
    more.textContent = `Show ${Math.min(size, left)} more`;
  };
  label();
  return make("div", {}, hits, more);
}

/** Words of documents with what they mean, if that is wanted. */
export async function meanings() {
  byId("gloss-button").setAttribute("aria-pressed", glossing());
  await showMeanings(glossing(), served.source).catch((error) => { status.textContent = excuse(error).textContent; });
}

// A phone shows no time, so that this is one line and the first hit is not far.
const summary = ({ total, documents, milliseconds }) => (total ? [`${whole(total)} of ${whole(documents)} documents `
  + `${total === 1 ? "matches" : "match"}`, make("span", { class: "took" }, `, found in ${ms(milliseconds.translate + milliseconds.search)}`)]
  : [`None of ${whole(documents)} documents match`]);

function timing({ translate, search, explain }) {
  const translated = translate < 0.1 ? "translated before" : `translated in ${ms(translate)}`;
  return `${translated}, searched in ${ms(search)}, explained in ${ms(explain)}`;
}

const ms = (time) => `${time < 10 ? time.toFixed(1) : Math.round(time)}\u00a0ms`; // never a line break between

// What a person can do about an error: give a token, remove the filter that is wrong, or try again. A query that is wrong
// can only be changed.
function remedy({ status }) {
  if (status === 401) return "Enter";
  if (status === 422 && filtered()) return "Remove the filters";
  return status >= 400 && status < 500 && status !== 408 && status !== 429 ? null : "Try again";
}

/** Say what is wrong, with a way out; ask for a token if one is missing. */
export function complain(error, again) {
  if (!(error instanceof Problem)) throw error;
  clear();
  const way = remedy(error), button = way && make("button", { type: "submit", class: "quiet" }, way);
  const token = make("input", { type: "password", id: "token", autocomplete: "current-password", required: true });
  const user = make("input", { type: "text", autocomplete: "username", hidden: true }); // password managers look for one
  const wanted = error.status === 401 ? [user, make("p", {}, hasToken() ? "The server does not accept this token."
    : "This server asks for a token. Its operator can give you one."),
  make("p", {}, make("label", { for: "token" }, "Token "), token)] : make("p", {}, error.message);
  results.replaceChildren(make("div", { class: "problem", role: "alert" }, make("form", { submit: (event) => {
    event.preventDefault();
    if (error.status === 401) keepToken(token.value);
    if (error.status === 422) removeFilters();
    again();
  } }, wanted, button)));
}
