// Why a document was found: the query word by word, what a word could have become, and how the score adds up.
import { ask, byId, make, number, written } from "./elements.js";

const choices = byId("choices");
const WRITTEN = ["gain", "words"]; // the parts of a score whose words are as somebody wrote them
let shownFor = null;

/** The query above, what stands for it below, and what the best translation has where that is different. */
export function gloss(units, sentence, languages, { plain = false } = {}) {
  return make("div", { class: "gloss", dir: written(languages.source).dir === "rtl" ? "rtl" : null }, units.map((unit) => {
    const source = unit.source.map((at) => sentence.source[at]).join(" ");
    const words = unit.words.map((word) => word.text).join(" ");
    const best = unit.best.join(" ");
    const changed = !plain && best !== "" && unit.words.some((word) => !unit.best.includes(word.text));
    const options = unit.source.flatMap((at) => sentence.alternatives[at]);
    const unknown = unit.source.length > 0 && unit.source.every((at) => sentence.unknown.includes(at));
    const spoken = `${source || "nothing"}${unknown ? ", unknown" : ""}: ${words || "left out"}`
      + `${changed ? `, best translation ${best}` : ""}`;
    return make("button", {
      class: ["unit", changed ? "changed" : "", unknown ? "unknown" : ""].filter(Boolean).join(" "), type: "button",
      "aria-label": spoken,
      ...listeners(() => ({ source, options, unknown, chosen: unit.words.map((word) => word.text), best: unit.best })),
    },
    make("span", { class: "source", ...written(languages.source) }, source || "∅"),
    make("span", { class: "target", ...written(languages.target) }, unit.words.length
      ? unit.words.map((word) => [" ", make("span", { class: word.match ? "word found" : "word" }, word.text)])
      : make("span", { class: "word none" }, "–")),
    changed ? make("s", { class: "instead", ...written(languages.target) }, best) : null);
  }));
}

/** The query word by word, as a hit has it. */
export const why = (hit, answer, languages) =>
  hit.why.map((units, at) => gloss(units, answer.sentences[at], languages));

// A word's alternatives are shown while the pointer or the focus is on it.
function listeners(content) {
  const show = (event) => open(event.currentTarget, content());
  return { pointerenter: show, focus: show, click: show, pointerleave: close, blur: close };
}

function open(anchor, { source, options, unknown, chosen, best }) {
  close();
  const cheapest = new Map();
  for (const { word, cost } of options) cheapest.set(word, Math.min(cost, cheapest.get(word) ?? Infinity));
  const rows = [...cheapest].sort((one, two) => one[1] - two[1]).slice(0, 8);
  const most = Math.max(1, ...rows.map(([, cost]) => cost));
  choices.replaceChildren(
    make("p", { class: "choices-title" }, "What ", make("b", {}, source || "∅"), " may become"),
    rows.length ? make("ul", {}, rows.map(([word, cost]) => choice(word, cost, most, chosen, best)))
      : make("p", { class: "note" }, "No word is linked with it."),
    make("p", { class: "note" }, unknown ? "The model does not know this word; it is searched for as typed."
      : "The bars show what a choice costs compared with the best translation."));
  (anchor.closest("dialog") ?? document.querySelector("main")).append(choices); // a dialog is above everything else
  choices.hidden = false;
  place(anchor);
  anchor.setAttribute("aria-describedby", "choices");
  shownFor = anchor;
}

function choice(word, cost, most, chosen, best) {
  const bar = make("span", { class: "bar" });
  bar.style.setProperty("--share", cost / most);
  const tags = [chosen.includes(word) ? "here" : "", best.includes(word) ? "best" : ""].filter(Boolean);
  return make("li", { class: chosen.includes(word) ? "chosen" : "" }, make("span", {}, word),
    make("span", { class: "tags" }, tags.join(", ")), bar, make("span", { class: "number" }, cost.toFixed(2)));
}

function place(anchor) {
  const at = anchor.getBoundingClientRect();
  const width = choices.offsetWidth, height = choices.offsetHeight, edge = 8;
  const left = Math.max(edge, Math.min(at.left, document.body.clientWidth - width - edge));
  const below = at.bottom + edge + height <= window.innerHeight || at.top < height + edge;
  choices.style.left = `${left}px`;
  choices.style.top = `${below ? at.bottom + edge : at.top - height - edge}px`;
}

/** Hide the alternatives; true if there were any to hide. */
export function close() {
  if (!shownFor) return false;
  shownFor.removeAttribute("aria-describedby");
  shownFor = null;
  choices.hidden = true;
  return true;
}

// When the page scrolls, the alternatives move with their word.
document.addEventListener("scroll", () => { if (shownFor) place(shownFor); }, { capture: true, passive: true });

/** The sum that a document's score is, as a table; `asked` is the search that found it. */
export async function sums(asked, id) {
  const { parts, score, feedback, sentences } = await ask("explain", { ...asked, id });
  const kinds = new Set(parts.filter((part) => part.matches.length).map((part) => part.label));
  const lent = new Map(feedback.map((one) => [one.term, `, from ${one.docs.join(", ")}`]));
  const table = make("table", { class: "sums" },
    make("caption", {}, "How the score adds up",
      kinds.size ? "; for each word: weight × rarity × saturation" : ""),
    make("tbody", {}, parts.map((part) => part.matches.length
      ? gains(part.matches, kinds.size > 1 ? `${part.label}: ` : "", part.label === "feedback" ? lent : new Map())
      : row(part.label, part.note, part.value))),
    make("tfoot", {}, row("Score", "", score)));
  const bare = [...kinds].some((kind) => !WRITTEN.includes(kind));
  const systems = [...new Set(sentences.flatMap((sentence) => sentence.systems))];
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "How the score adds up" }, table,
    bare ? make("p", { class: "note" }, "Words are shown as they are indexed, often without their endings.") : null,
    systems.length ? make("p", { class: "note" }, `Translated by the ${systems.join(" and the ")} system.`) : null);
}

function gains(matches, label, lent) {
  return matches.map((match) => row(match.word, `${label}${number(match.weight, 2)} × ${number(match.idf, 2)} × `
    + `${number(match.saturation, 2)}`, match.gain,
    `${number(match.tf, match.tf % 1 ? 2 : 0)} times here, in ${number(match.df, match.df % 1 ? 1 : 0)} documents`
      + (lent.get(match.term) ?? "")));
}

function row(name, text, value, title = "") {
  return make("tr", {}, make("th", { scope: "row" }, name), make("td", { title }, text),
    make("td", { class: "number" }, number(value, 3)));
}
