// What a search found: a list of hits with their reasons, or a list for each method side by side.
import { ask, byId, make, marked, Problem } from "./elements.js";
import { gloss, sums } from "./reasons.js";

/** One list. */
export function list(answer, languages) {
  return [query(answer, languages, reading()), answer.hits.length
    ? make("ol", { class: "hits" }, answer.hits.map((hit) => full(hit, answer, languages)))
    : nothing()];
}

/** A list for each method; ranks are compared with the first one's. */
export function sideBySide(answers, languages) {
  const before = new Map(answers[0].hits.map((hit) => [hit.id, hit.rank]));
  const columns = answers.map((answer, at) => make("section", { class: "column", "aria-label": answer.described.label },
    make("h2", {}, answer.described.label),
    make("p", { class: "note" }, `${answer.described.help} ${ms(answer.milliseconds.search)}`),
    answer.hits.length
      ? make("ol", { class: "hits short" }, answer.hits.map((hit) => short(hit, answer, languages, at ? before : null)))
      : nothing()));
  const board = make("div", { class: "columns", role: "region", tabindex: 0, "aria-label": "Methods side by side" },
    columns);
  for (const kind of ["pointerover", "focusin"]) board.addEventListener(kind, (event) => twins(board, event.target));
  return [query(answers[0], languages, make("p", { class: "note legend" },
    `Arrows: places gained or lost against ${answers[0].described.label}. `, make("span", { class: "word" }, "Colored"),
    " words are in the document, but not in the best translation.")), board];
}

// The query and its best translation, with the forest's alternatives behind each word.
function query(answer, languages, legend) {
  if (!answer.sentences.length) return make("p", { class: "note" }, "There is no word in this query.");
  return make("section", { class: "query", "aria-labelledby": "query-title" },
    make("h2", { id: "query-title" }, "Best translation"),
    answer.sentences.map((sentence) => gloss(sentence.gloss, sentence, languages, { plain: true })),
    answer.hits.length ? legend : null);
}

const reading = () => make("p", { class: "note legend" }, "Below, for each document, word by word: it has the ",
  make("b", {}, "bold"), " words; ", make("span", { class: "word" }, "colored"),
  " ones are not in the best translation. Point at a word for its alternatives.");

function full(hit, answer, languages) {
  const shown = `score ${hit.score.toFixed(2).replace("-", "−")}`;
  const [score, details] = disclosure(shown, "How the score adds up", () => sums(answer.asked, hit.id));
  return make("li", { class: "hit", "data-id": hit.id },
    make("span", { class: "rank", "aria-hidden": "true" }, hit.rank),
    make("div", { class: "body" },
      make("h3", { lang: languages.target }, title(hit)),
      make("div", { class: "under" }, make("p", { class: "id" }, hit.id), score),
      make("p", { class: "snippet", lang: languages.target }, marked(hit.snippet)),
      why(hit, answer, languages), details));
}

function short(hit, answer, languages, before) {
  const found = new Map(); // the words that match, and whether the best translation has others there
  for (const { words, best } of hit.why.flat())
    for (const { text, match } of words) if (match) found.set(text, found.get(text) || !best.includes(text));
  return make("li", { class: "hit", "data-id": hit.id },
    make("span", { class: "rank", "aria-hidden": "true" }, hit.rank),
    make("div", { class: "body" },
      make("h3", { lang: languages.target }, title(hit), before ? moved(hit, before) : null),
      make("p", { class: "words", lang: languages.target }, [...found].map(([word, changed]) =>
        [make("mark", { class: changed ? "changed" : "" }, word), " "])),
      make("details", {}, make("summary", {}, "Word by word"), why(hit, answer, languages))));
}

const why = (hit, answer, languages) =>
  hit.why.map((units, at) => gloss(units, answer.sentences[at], languages));

function title(hit) {
  return make("button", { class: "title", type: "button", click: () => show(hit) }, marked(hit.title));
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

// A button that shows what it has to fetch first, and the place where that goes.
function disclosure(name, title, load) {
  const place = make("div", { hidden: true });
  const button = make("button", { class: "quiet score", type: "button", title, "aria-expanded": "false", click: async () => {
    place.hidden = !place.hidden;
    button.setAttribute("aria-expanded", !place.hidden);
    if (place.hidden || place.childElementCount) return;
    place.replaceChildren(await load().catch(excuse));
  } }, name);
  return [button, place];
}

function excuse(error) {
  if (!(error instanceof Problem)) throw error;
  return make("p", { class: "problem" }, error.message);
}

// The whole document, with its matching words marked.
async function show(hit) {
  const found = await ask(`documents/${hit.id.split("/").map(encodeURIComponent).join("/")}`).catch(excuse);
  const heading = hit.title.map((piece) => piece.text).join("");
  byId("document-id").textContent = hit.id;
  byId("document-title").replaceChildren(...marked(hit.title));
  byId("document-text").replaceChildren(...(found instanceof Node ? [found] : whole(found, heading, hit)));
  byId("document").showModal();
}

function whole(found, heading, hit) {
  const pieces = [...hit.title, ...hit.snippet, ...hit.why.flat().flatMap((unit) => unit.words)];
  const words = new Set(pieces.filter((piece) => piece.match).map((piece) => bare(piece.text)));
  const text = found.text.startsWith(heading) ? found.text.slice(heading.length).replace(/^[.\s]+/u, "") : found.text;
  return marked(text.split(/(\s+)/u).map((part) => ({ text: part, match: words.has(bare(part)) })));
}

const bare = (word) => word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");

const nothing = () => make("p", { class: "nothing" }, "No document has any of the words that this query could become.");

/** How long it took. */
export function timing({ translate, search, explain }) {
  const translated = translate < 0.1 ? "translated before" : `translated in ${ms(translate)}`;
  return `${translated}, searched in ${ms(search)}, explained in ${ms(explain)}`;
}

const ms = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)}\u00a0ms`; // never a line break between
