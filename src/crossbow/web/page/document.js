// A whole document: its text with the words that matched, its fields, and why it was found if there is a query.
import { ask, byId, excuse, make, Problem, readable, written } from "./elements.js";
import { glossable, standing } from "./backgloss.js";
import { gloss } from "./reasons.js";

const dialog = byId("document");

/** Open a document; `asked` is the search that is under way, or null. */
export async function show(id, asked, languages) {
  const [record, sentences] = await load(id, asked).catch((error) => [excuse(error), []]);
  dialog.replaceChildren(
    make("form", { method: "dialog" }, make("button", { class: "quiet", autofocus: true }, "Close")),
    make("p", { class: "id" }, make("bdi", {}, id)),
    ...(record instanceof Node ? [make("h2", { id: "document-title" }, id), record] : content(record, sentences, languages)));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

async function load(id, asked) {
  const explained = asked && await ask("explain", { ...asked, id, document: true }).catch((error) => {
    if (error instanceof Problem) return null; // it can be read without a reason, if it is there
    throw error;
  });
  if (explained) return [explained.document, explained.sentences];
  const found = await ask(`documents/${id.split("/").map(encodeURIComponent).join("/")}`);
  const plain = (text) => (text ? [{ text, match: false }] : []);
  return [{ title: plain(found.title || found.id), text: plain(found.text), fields: found.fields }, []];
}

function content({ title, text, fields }, sentences, languages) {
  const described = Object.entries(fields).filter(([, value]) => value !== null && value !== "");
  const known = standing(sentences);
  return [
    glossable(make("h2", { id: "document-title", ...written(languages.target) }), title, known),
    ...sentences.filter((sentence) => sentence.units.length).map((sentence) => gloss(sentence.units, sentence, languages)),
    glossable(make("p", { class: "text", ...written(languages.target) }), text, known),
    described.length ? make("dl", { class: "described" }, described.map(([name, value]) =>
      [make("dt", {}, name), make("dd", { dir: "auto" }, readable(value))])) : null,
  ].filter(Boolean);
}
