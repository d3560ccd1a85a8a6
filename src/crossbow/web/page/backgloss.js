// What the words of documents mean, for readers who do not know their language: above each word, when it is asked for. A
// word that the query was translated by means what it stands for there; others are looked up in the model's lexicon.
import { ask, make, marked } from "./elements.js";

const texts = new Map(); // elements that can be glossed, and the pieces that they show
const LONGEST = 2000; // characters of a text that the server takes
const MOST = 10; // texts of a request, so that what comes first is shown first

/** An element that shows these pieces, and can show what they mean; `known` has words of which that is known. */
export function glossable(element, pieces, known = new Map()) {
  texts.set(element, { pieces, known, glossed: false });
  element.replaceChildren(...marked(pieces));
  return element;
}

/** What words of a document stand for in the query, by the units of its sentences. */
export function standing(sentences) {
  const known = new Map();
  for (const { source, units } of sentences)
    for (const unit of units)
      for (const { text, match } of unit.words)
        if (match && unit.source.length) known.set(text.toLowerCase(), unit.source.map((at) => source[at]).join(" "));
  return known;
}

/** Show what words mean in all these elements, or no longer. */
export async function showMeanings(on, lang) {
  for (const element of texts.keys()) if (!element.isConnected) texts.delete(element);
  if (!on) {
    for (const [element, one] of texts) if (one.glossed) glossable(element, one.pieces, one.known);
    return;
  }
  const waiting = [...texts].filter(([, one]) => !one.glossed);
  for (const [, one] of waiting) one.glossed = true;
  const parts = waiting.flatMap(([, one]) => {
    one.parts = [];
    return cut(one.pieces.map((piece) => piece.text).join("")).map((text) => ({ one, text }));
  });
  for (let at = 0; at < parts.length; at += MOST) {
    const batch = parts.slice(at, at + MOST);
    const answer = await ask("gloss", { texts: batch.map((part) => part.text) }).catch((error) => {
      for (const [, one] of waiting) one.glossed = false;
      throw error;
    });
    batch.forEach(({ one }, place) => one.parts.push(...answer.texts[place]));
    for (const [element, one] of waiting)
      if (texts.get(element) === one && batch.some((part) => part.one === one)) element.replaceChildren(...merged(one, lang));
  }
}

// A text in parts that are not too long, if possible cut behind a space, and never inside of a character.
function cut(text) {
  const parts = [];
  for (let rest = text; rest; rest = rest.slice(parts.at(-1).length)) {
    const space = rest.length > LONGEST ? rest.lastIndexOf(" ", LONGEST - 1) + 1 : rest.length;
    parts.push(rest.slice(0, space || LONGEST - (rest.charCodeAt(LONGEST) >> 10 === 0x37 ? 1 : 0)));
  }
  return parts;
}

// The same text is cut twice: where words match, and where they mean something. What is not in `parts` stays as it is.
function merged({ pieces, known, parts }, lang) {
  const shown = [], queue = parts.map((part) => ({ ...part }));
  for (const { text, match } of pieces) {
    let rest = text;
    const inside = [];
    while (rest) {
      const part = queue[0] ?? { text: rest, means: [] };
      const size = Math.min(part.text.length, rest.length);
      const here = rest.slice(0, size), meant = match ? known.get(here.toLowerCase()) : undefined;
      inside.push(word(here, [...new Set([meant, ...part.means])].filter((one) => one && one !== here.toLowerCase()), lang));
      rest = rest.slice(size);
      part.text = part.text.slice(size);
      part.means = [];
      if (!part.text) queue.shift();
    }
    shown.push(...(match ? [make("mark", {}, inside)] : inside));
  }
  return shown;
}

const word = (text, means, lang) => (means.length
  ? make("ruby", { title: means.join(", ") }, text, make("rt", { lang, dir: "auto" }, means[0])) : text);
