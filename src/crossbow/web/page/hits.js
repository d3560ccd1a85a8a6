// A list of hits: title, snippet, how well each fits, and why, word by word.
import { excuse, make, number, readable, written } from "./elements.js";
import { glossable, standing } from "./backgloss.js";
import { link } from "./address.js";
import { gloss, sums, why } from "./reasons.js";

/** The query and its best translation, with the forest's alternatives behind each word. */
export function asked(answer, languages) {
  if (!answer.sentences.length) return null;
  return make("section", { class: "query", "aria-labelledby": "query-title" },
    make("h2", { id: "query-title" }, "Best translation"),
    make("div", { class: "strip" }, answer.sentences.map((sentence) => gloss(sentence.gloss, sentence, languages, { plain: true }))));
}

/** The hits of an answer as items of a list. `best` is the highest score of the whole list, for the bars. */
export const items = (answer, best, languages) => answer.hits.map((hit) => full(hit, answer, best, languages));

function full(hit, answer, best, languages) {
  const [button, details] = explained(hit, answer, best);
  const known = standing(hit.why.map((units, at) => ({ source: answer.sentences[at].source, units })));
  return make("li", { class: "hit", "data-id": hit.id },
    make("span", { class: "rank", "aria-hidden": "true" }, hit.rank),
    make("div", { class: "body" },
      make("h3", {}, titled(hit, languages, known)),
      make("div", { class: "under" }, make("p", { class: "id" }, make("bdi", {}, hit.id),
        Object.entries(hit.fields ?? {}).map(([name, value]) => [" · ", make("span", { class: "sorted-by" },
          `${name}: ${value === null ? "none" : readable(value)}`)])), button),
      hit.snippet.length ? glossable(make("p", { class: "snippet", ...written(languages.target) }), hit.snippet, known) : null,
      why(hit, answer, languages), details));
}

/** The title of a hit: a link to the document's own address, which this page opens itself. */
export const titled = (hit, languages, known) => glossable(make("a", {
  class: "title", href: link(hit.id), "data-open": hit.id, ...written(languages.target) }), hit.title, known);

// How well a document fits, as a bar, and behind it how its score adds up. A bar begins at the score of a document that
// has nothing of the query, and is full at that of the best.
function explained(hit, answer, best) {
  const low = Math.min(answer.ground, hit.score), range = best - low;
  const bar = make("span", { class: "bar" });
  bar.style.setProperty("--share", range > 0 ? (hit.score - low) / range : 1);
  const score = number(hit.score, 2), place = make("div", { hidden: true });
  const button = make("button", { class: "quiet score", type: "button", title: `Score ${score}`, "data-score": hit.score,
    "aria-label": `Why? Score ${score}`, "aria-expanded": "false", click: async () => {
      place.hidden = !place.hidden;
      button.setAttribute("aria-expanded", !place.hidden);
      if (place.hidden || place.childElementCount) return;
      place.replaceChildren(await sums(answer.asked, hit.id).catch(excuse));
    } }, bar, "Why?");
  return [button, place];
}
