// Nothing was found: why, and what can be done about it.
import { make } from "./elements.js";
import { fill, value } from "./address.js";
import { filtered, removeFilters } from "./facets.js";

const QUOTES = /(?<!\S)"[^"]*"/u, MINUS = /(?<!\S)-("[^"]*"|[^\s"-])/u;
const LIST = new Intl.ListFormat("en");

/** The reason in a sentence or two, and a button for each way out. `again` searches; `methods` are those there are. */
export function nothing(answer, methods, again) {
  const [sentence, ways] = reason(answer, methods);
  return make("section", { class: "nothing", "aria-label": "Nothing found" }, make("p", {}, sentence),
    make("p", { class: "ways" }, ways.map(([label, change]) => make("button", { type: "button", class: "quiet", click: () => {
      change();
      again();
    } }, label))));
}

function reason(answer, methods) {
  const again = ["Start again", () => { removeFilters(); fill("q", ""); }];
  if (answer.unfiltered) return hidden(answer.unfiltered);
  if (!answer.sentences.length) return ["There is no word in this query.", [again]];
  const unknown = answer.sentences.flatMap((one) => one.unknown.map((at) => one.source[at]));
  const known = answer.sentences.some((one) => one.gloss.some((unit) => unit.words.length
    && unit.source.some((at) => !one.unknown.includes(at) && /\p{L}/u.test(one.source[at]))));
  const ways = [];
  const similar = methods.find((one) => one.name === value("method"))?.settings.some((one) => one.path === "translation.spellings");
  if (unknown.length && similar && !value("similar")) ways.push(["Try words that are spelled alike", () => fill("similar", "1")]);
  if (value("method") === "dt" && known && methods.some((one) => one.name === "psq"))
    ways.push(["Search all translations", () => fill("method", "psq")]);
  if (unknown.length) {
    const names = LIST.format([...new Set(unknown)].map((word) => `“${word}”`));
    return [`The model does not know ${names}, and no document has ${unknown.length > 1 ? "these words" : "this word"} as `
      + `${unknown.length > 1 ? "they are" : "it is"}${known ? ", nor a translation of the others" : ""}.`, [...ways, again]];
  }
  return [answer.method === "dt" ? "No document has a word of this translation, but other translations may match."
    : "No document has any of the words that this query could become.", [...ways, again]];
}

// Documents match, but something that was asked for takes all of them out.
function hidden(count) {
  const documents = count === 1 ? "One document matches" : `${count.toLocaleString("en")} documents match`;
  const marks = [QUOTES.test(value("q")) ? "quotes" : "", MINUS.test(value("q")) ? "minus signs" : ""].filter(Boolean), ways = [];
  if (filtered()) ways.push(["Remove the filters", removeFilters]);
  if (marks.length) ways.push([`Search without ${marks.join(" and ")}`, () => fill("q", plain(value("q")))]);
  const guilty = [filtered() ? "the filters" : "", marks.length ? `the ${marks.join(" or ")}` : ""].filter(Boolean).join(" or ");
  return [`${documents} the words, but ${guilty} take ${count === 1 ? "it" : "all of them"} out.`, ways];
}

const plain = (query) => query.replaceAll("\"", " ").replace(/(?<!\S)-(?=\S)/gu, "").split(/\s+/u).filter(Boolean).join(" ");
