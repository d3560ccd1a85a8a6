// What is asked and shown is the page's address: it can be linked to, and back and forward go through it. The form holds
// what people enter; conditions on fields, the open document and whether words are glossed stand here.
import { byId } from "./elements.js";

const form = byId("form");
const PAUSE = 2000; // milliseconds after which what was typed counts as a query that somebody meant
const usual = { q: "", method: "", v: "", having: "", lacking: "", prefix: "", sort: "", similar: "", k: "10", language: "" };
const state = { where: [], doc: null, gloss: false };
let finished = true; // whether the present entry of the history stays when something else is asked
let timer = 0;

export const where = () => state.where;
export const opened = () => state.doc;
export const glossing = () => state.gloss;
export const setWhere = (conditions) => { state.where = conditions; };
export const setGloss = (on) => { state.gloss = on; };

/** What an entry of the form is when nobody has touched it; such entries are not in the address. */
export const setUsual = (name, value) => { usual[name] = value; };

export function value(name) {
  const control = form.elements[name];
  return control.type === "checkbox" ? (control.checked ? control.value : "") : control.value;
}

/** Fill in an entry of the form; one that is not among its choices becomes the usual one. */
export function fill(name, text) {
  const control = form.elements[name];
  if (control.type === "checkbox") {
    control.checked = text === control.value;
    return;
  }
  if (control instanceof RadioNodeList) {
    const named = (wanted) => [...control].find((one) => one.value === wanted);
    (named(text) ?? named(usual[name])).checked = true;
    return;
  }
  control.value = text;
  if (control instanceof HTMLSelectElement && control.value !== text) control.value = usual[name];
}

/** The address of what is asked at present, with the document that is given. */
export function link(doc = null) {
  const pairs = Object.keys(usual).map((name) => [name, value(name)]).filter(([name, text]) => text !== usual[name]);
  pairs.push(...state.where.map((condition) => ["where", condition]));
  if (state.gloss) pairs.push(["gloss", "1"]);
  if (doc !== null) pairs.push(["doc", doc]);
  const query = new URLSearchParams(pairs).toString();
  return query ? `?${query}` : location.pathname;
}

/** Put what is asked into the address: into a new entry of the history, unless the present one is still being typed. */
export function remember(done) {
  const address = link(state.doc);
  if (address !== location.search && address !== location.pathname + location.search) {
    if (finished) history.pushState(null, "", address);
    else history.replaceState(history.state, "", address);
    finished = false;
  }
  clearTimeout(timer);
  if (done) finished = true;
  else timer = setTimeout(() => { finished = true; }, PAUSE);
}

/** Take everything from the address. */
export function recall() {
  const given = new URLSearchParams(location.search);
  for (const name of Object.keys(usual)) fill(name, given.get(name) ?? usual[name]);
  state.where = given.getAll("where");
  state.gloss = given.get("gloss") === "1";
  state.doc = given.get("doc");
  finished = true;
}

/** Whether the address has anything that only the options show; filters have buttons of their own. */
export const hasOptions = () => ["v", "sort", "similar", "k"].some((name) => value(name) !== usual[name]);

/** A document is an entry of its own; leaving it goes back to where it was opened, or to the list if it was linked to. */
export function enter(doc) {
  state.doc = doc;
  history.pushState({ inside: true }, "", link(doc));
  finished = true;
}

export function leave() {
  if (state.doc === null) return;
  if (history.state?.inside) {
    history.back();
    return;
  }
  state.doc = null;
  history.replaceState(null, "", link());
}
