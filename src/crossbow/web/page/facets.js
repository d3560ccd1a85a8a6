// Values of fields beside the hits, to narrow down by, and the filters that are in force, each with a way to remove it.
import { byId, make, whole } from "./elements.js";
import { fill, setWhere, value, where } from "./address.js";

const WORDS = { having: "has", lacking: "lacks", prefix: "id begins with" };
const narrow = matchMedia("(max-width: 46rem)");
const COVERED = 0.3; // of the matching documents must have one of the values that are shown
let unfolded = false; // on a phone, where the facets would hide the hits

/** How a condition is written; none can be if the name of the field has signs in it. */
export const condition = (field, text) => `${field}:"${text.replaceAll("\"", "\"\"")}"`;
const writable = (field) => !/[:<>="]/u.test(field);

/** The values that most of the matching documents have. Left out are fields that say nothing here: they have one value,
 * or so many that the frequent ones are rare. */
export function showFacets(answer, again) {
  const chosen = new Set(where());
  const groups = Object.entries(answer?.facets ?? {}).filter(([field, counts]) => writable(field)
    && (counts.some((count) => chosen.has(condition(field, count.value)))
      || (counts.length > 1 && counts[0].documents > 1 && COVERED * answer.total <= sum(counts))));
  const place = byId("facets");
  place.hidden = !groups.length;
  document.body.classList.toggle("faceted", groups.length > 0);
  place.replaceChildren(make("details", { open: !narrow.matches || unfolded, toggle: (event) => {
    if (narrow.matches) unfolded = event.currentTarget.open;
  } }, make("summary", {}, "Narrow down"), groups.map(([field, counts]) => group(field, counts, chosen, again))));
}

const sum = (counts) => counts.reduce((total, count) => total + count.documents, 0);

function group(field, counts, chosen, again) {
  const most = Math.max(...counts.map((count) => count.documents));
  return make("section", { "aria-label": field }, make("h2", {}, field), make("ul", {}, counts.map((count) => {
    const mine = condition(field, count.value), on = chosen.has(mine);
    const share = make("span", { class: "share" });
    share.style.setProperty("--share", count.documents / most);
    return make("li", {}, make("button", { type: "button", class: "value", "aria-pressed": String(on), click: () => {
      setWhere(on ? where().filter((one) => one !== mine) : [...where(), mine]);
      again();
    } }, make("span", { class: "name", dir: "auto" }, count.value), make("span", { class: "count" }, whole(count.documents)),
    share));
  })));
}

narrow.addEventListener("change", () => {
  for (const one of byId("facets").querySelectorAll("details")) one.open = !narrow.matches || unfolded;
});

/** What takes documents out of the list at present. */
export const filtered = () => where().length > 0 || Object.keys(WORDS).some((name) => value(name).trim());

export function removeFilters() {
  setWhere([]);
  for (const name of Object.keys(WORDS)) fill(name, "");
}

/** A button for each filter, which removes it. */
export function showFilters(again) {
  const chips = [
    ...where().map((one) => chip(one.replace(/:"((?:[^"]|"")*)"$/u, (_, text) => `: ${text.replaceAll("\"\"", "\"")}`),
      () => setWhere(where().filter((other) => other !== one)), again)),
    ...Object.entries(WORDS).filter(([name]) => value(name).trim())
      .map(([name, verb]) => chip(`${verb} ${value(name).trim()}`, () => fill(name, ""), again)),
  ];
  const place = byId("filters");
  place.hidden = !chips.length;
  place.replaceChildren(...chips);
}

function chip(text, remove, again) {
  return make("li", {}, make("button", { type: "button", class: "chip", "aria-label": `Remove the filter ${text}`, click: () => {
    remove();
    again();
  } }, make("span", { dir: "auto" }, text), make("span", { class: "cross", "aria-hidden": "true" }, "×")));
}
