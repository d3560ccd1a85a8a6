// Elements out of data, and requests to the server. Text only ever becomes text nodes: nothing that a document or a
// query contains can become markup.

/** make("p", {class: "note", lang: "de"}, "text", child): properties that are functions become event listeners. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** Pieces of text, those that match marked. */
export const marked = (pieces) => pieces.map(({ text, match }) => (match ? make("mark", {}, text) : text));

export const byId = (id) => document.getElementById(id);

/** Numbers as people write them, and minus signs as they are printed, none before a 0. */
export const whole = (value) => value.toLocaleString("en");
export const number = (value, digits) => value.toFixed(digits).replace(/^-(?=[0.]*$)/u, "").replace("-", "−");

/** What a language is called in English. */
export const languageName = (code) => NAMES.of(code);

const NAMES = new Intl.DisplayNames(["en"], { type: "language" });

/** The value of a field. */
export const readable = (value) => (Array.isArray(value) && value.every((one) => typeof one !== "object") ? value.join(", ")
  : typeof value === "object" ? JSON.stringify(value) : String(value));

/** The attributes of text in a language: documents in one that is written to the right may still be otherwise. */
export const written = (lang) => ({ lang, dir: toTheLeft(lang) ? "rtl" : "auto" });

const LEFTWARDS = ["ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"];
const toTheLeft = (lang) => LEFTWARDS.includes(lang.split("-")[0]);

/** A problem with a sentence for the person who looks at the page. */
export class Problem extends Error {
  constructor(sentence, status = 0) {
    super(sentence);
    this.status = status;
  }
}

/** What shows a problem in the place of something else. */
export function excuse(error) {
  if (!(error instanceof Problem)) throw error;
  return make("p", { class: "problem" }, error.message);
}

const TOKEN = "token";
let token = stored();

function stored() {
  try {
    return sessionStorage.getItem(TOKEN); // kept as long as the tab is open
  } catch {
    return null; // a browser that keeps nothing
  }
}

/** Whether a token is sent. */
export const hasToken = () => Boolean(token);

/** Send this token with all requests from now on. */
export function keepToken(text) {
  token = text;
  try {
    sessionStorage.setItem(TOKEN, text);
  } catch { /* it lasts as long as the page */ }
}

/** The server's answer to a request, or a Problem. */
export async function ask(path, body, signal) {
  const headers = { ...(body ? { "Content-Type": "application/json" } : {}),
    ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  let response, answer = {};
  try {
    response = await fetch(path, { headers, signal, ...(body ? { method: "POST", body: JSON.stringify(body) } : {}) });
    answer = await response.json();
  } catch (error) { // also while the answer is being read
    if (error.name === "AbortError") throw error;
    if (!response) throw new Problem("The server does not answer. Is it still running?");
    if (response.ok) throw new Problem("The server’s answer breaks off. Try again in a moment.");
  }
  if (response.ok) return answer;
  if (response.status === 429) throw new Problem("The server is busy. Try again in a moment.", 429);
  const sentence = answer.error ?? `the server answered with ${response.status}`;
  throw new Problem(`${sentence[0].toUpperCase()}${sentence.slice(1)}${/[.?!]$/u.test(sentence) ? "" : "."}`, response.status);
}
