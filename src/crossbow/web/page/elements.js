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

/** A problem with a sentence for the person who looks at the page. */
export class Problem extends Error {}

/** The server's answer to a request, or a Problem. */
export async function ask(path, body, signal) {
  const options = body && {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal,
  };
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("The server does not answer. Is it still running?");
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  if (response.status === 429) throw new Problem("The server is busy. Try again in a moment.");
  const sentence = answer.error ?? `the server answered with ${response.status}`;
  throw new Problem(`${sentence[0].toUpperCase()}${sentence.slice(1)}.`);
}
