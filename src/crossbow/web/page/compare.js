// All methods side by side; on a phone one at a time, as tabs.
import { make, whole, written } from "./elements.js";
import { why } from "./reasons.js";
import { titled } from "./hits.js";

const narrow = matchMedia("(max-width: 46rem)");

/** A list for each method; ranks are compared with the first one's. */
export function sideBySide(answers, languages) {
  const place = make("div", {}), draw = () => place.replaceChildren(...(narrow.matches ? tabs : columns)(answers, languages));
  draw();
  narrow.onchange = draw; // when a phone is turned
  return place;
}

function columns(answers, languages) {
  const board = make("div", { class: "columns", role: "region", tabindex: 0, "aria-label": "Methods side by side" },
    answers.map((answer, at) => make("section", { class: "column", "aria-label": answer.described.label },
      make("h2", {}, counted(answer)), ...ranking(answers, at, languages))));
  for (const kind of ["pointerover", "focusin"]) board.addEventListener(kind, (event) => twins(board, event.target));
  return [board, legend(answers)];
}

function tabs(answers, languages) {
  const bar = make("div", { class: "tabs", role: "tablist", "aria-label": "Methods" });
  const panels = answers.map((answer, at) => make("section", { class: "column", role: "tabpanel", id: `panel-${at}`,
    "aria-labelledby": `tab-${at}`, tabindex: 0 }, ...ranking(answers, at, languages).reverse())); // hits first, they have little room
  const choose = (at, focus) => {
    [...bar.children].forEach((tab, other) => {
      tab.setAttribute("aria-selected", other === at);
      tab.tabIndex = other === at ? 0 : -1;
      panels[other].hidden = other !== at;
    });
    if (focus) bar.children[at].focus();
  };
  bar.append(...answers.map((answer, at) => make("button", { type: "button", role: "tab", id: `tab-${at}`,
    "aria-controls": `panel-${at}`, click: () => choose(at), keydown: (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) choose((at + step + answers.length) % answers.length, true);
    } }, counted(answer))));
  choose(0);
  return [bar, ...panels, legend(answers)];
}

// The name of a method, and how many documents match by it.
const counted = ({ described, total }) => [`${described.label} `, make("span", { class: "count" }, whole(total),
  make("span", { class: "hidden" }, total === 1 ? " match" : " matches"))];

const legend = (answers) => make("p", { class: "note legend" },
  `Arrows show places gained or lost compared with ${answers[0].described.label}. `, make("span", { class: "word" }, "Colored"),
  " words are in the document, but not in the best translation.");

function ranking(answers, at, languages) {
  const answer = answers[at], before = new Map(answers[0].hits.map((hit) => [hit.id, hit.rank]));
  return [make("p", { class: "note" }, answer.described.help), answer.hits.length
    ? make("ol", { class: "hits short" }, answer.hits.map((hit) => short(hit, answer, languages, at ? before : null)))
    : make("p", { class: "note" }, "Nothing found.")];
}

function short(hit, answer, languages, before) {
  const found = new Map(); // the words that match, and whether the best translation has others there
  for (const { words, best } of hit.why.flat())
    for (const { text, match } of words) if (match) found.set(text, found.get(text) || !best.includes(text));
  return make("li", { class: "hit", "data-id": hit.id },
    make("span", { class: "rank", "aria-hidden": "true" }, hit.rank),
    make("div", { class: "body" },
      make("h3", {}, titled(hit, languages), before ? moved(hit, before) : null),
      make("p", { class: "words", ...written(languages.target) }, [...found].map(([word, changed]) =>
        [make("mark", { class: changed ? "changed" : "" }, word), " "])),
      make("details", {}, make("summary", {}, "Word by word"), why(hit, answer, languages))));
}

// How far a hit has come since the first list.
function moved(hit, before) {
  const rank = before.get(hit.id);
  if (rank === undefined) return make("span", { class: "moved up" }, "new");
  const up = rank - hit.rank;
  if (!up) return null;
  return make("span", { class: up > 0 ? "moved up" : "moved down" }, make("span", { "aria-hidden": "true" },
    up > 0 ? "↑" : "↓"), make("span", { class: "hidden" }, up > 0 ? "up by " : "down by "), Math.abs(up));
}

function twins(board, target) {
  const id = target.closest?.(".hit")?.dataset.id;
  for (const hit of board.querySelectorAll(".hit")) hit.classList.toggle("twin", hit.dataset.id === id);
}
