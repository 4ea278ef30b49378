// `bun scripts/house.ts`: draws src/house.svg, the picture of src/README.md, from the imports of the source. Features
// stand in the order of the ladder, each above what it uses; in a feature stand its rooms, the lowest first.
import { join } from "node:path";
import { ladder } from "../test/tidy/imports.ts";
import { readSources, type Source } from "../test/tidy/source.ts";
import { root } from "./install.ts";

/** Where the picture lies. */
export const picture = join(root, "src/house.svg");

interface Feature {
  readonly name: string;
  /** Its folders, the lowest first. */
  readonly rooms: readonly string[];
}

const partsOf = (file: string) => file.split("/").slice(1, -1);
const featureOf = (file: string) => partsOf(file)[0] ?? "";
const highest = 1000;
const folderOf = (file: string) => file.split("/").slice(0, -1).join("/");
// Routes and jobs put together what stands in rooms beside and above them.
const composes = /\/(?:routes|jobs)\.ts$/;
const isOfService = ({ file }: Source) => file.startsWith("src/") && !file.startsWith("src/dashboard/web/");

/** For each place, the places that files in it import from. */
function uses(sources: readonly Source[], placeOf: (file: string) => string): Map<string, Set<string>> {
  const used = new Map<string, Set<string>>();
  for (const { file, imports } of sources) {
    const place = placeOf(file);
    const found = used.get(place) ?? new Set<string>();
    used.set(place, found);
    if (composes.test(file)) continue;
    for (const { file: other } of imports) if (other !== null && placeOf(other) !== place) found.add(placeOf(other));
  }
  return used;
}

/** How many places stand below a place, one on the other. */
function heightOf(place: string, used: ReadonlyMap<string, ReadonlySet<string>>, known: Map<string, number>): number {
  const height = known.get(place);
  if (height !== undefined) return height;
  known.set(place, 0);
  const below = [...(used.get(place) ?? [])].map((other) => heightOf(other, used, known) + 1);
  known.set(place, Math.max(0, ...below));
  return known.get(place) ?? 0;
}

/** The rooms of a feature, the lowest first. */
function roomsOf(feature: string, sources: readonly Source[]): string[] {
  const isInside = (file: string | null) => file !== null && featureOf(file) === feature;
  const inside = sources
    .filter(({ file }) => isInside(file))
    .map((source) => ({ ...source, imports: source.imports.filter(({ file }) => isInside(file)) }));
  const used = uses(inside, folderOf);
  const known = new Map<string, number>();
  const lowest = new Map<string, number>();
  for (const { file } of inside) {
    const room = partsOf(file)[1];
    // Where there are only routes, they put together what stands below.
    const height = composes.test(file) ? highest : heightOf(folderOf(file), used, known);
    if (room !== undefined) lowest.set(room, Math.min(height, lowest.get(room) ?? height));
  }
  return [...lowest].sort(([a, low], [b, other]) => low - other || (a < b ? -1 : 1)).map(([room]) => room);
}

/** The features in rows, the lowest first: along the ladder, a new row where one stands on one of the last row. */
function rowsOf(all: readonly Source[]): Feature[][] {
  const sources = all.filter(isOfService);
  const used = uses(sources, featureOf);
  const rows: Feature[][] = [];
  for (const name of ladder.filter((feature) => used.has(feature))) {
    const last = rows.at(-1);
    const words = inWords[name];
    const feature = { name, rooms: words === undefined ? roomsOf(name, sources) : [words] };
    if (last === undefined || last.some((below) => used.get(name)?.has(below.name))) rows.push([feature]);
    else last.push(feature);
  }
  return rows;
}

// What a feature of one room or none is about.
const inWords: Readonly<Record<string, string>> = {
  access: "who may do what",
  addresses: "deliverable or not",
  audit: "who did what",
  customers: "who orders, and where they live",
  demo: "sample data",
  keys: "API keys",
  outbox: "events, with what caused them",
  papers: "pick lists, packing slips",
  products: "the catalogue",
  reference: "OpenAPI and its pages",
};

const [left, inner, wall, gap] = [104, 556, 92, 10];
const [pad, line, head] = [12, 16, 22];
const width = 2 * (left + wall + gap) + inner;
const letter = 5.2;

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

function text(kind: string, x: number, y: number, words: string, anchor = "start"): string {
  return `<text class="${kind}" x="${x}" y="${y}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const box = (kind: string, { x, y, width: wide, height }: Box) =>
  `<rect class="${kind}" x="${x}" y="${y}" width="${wide}" height="${height}" rx="8"/>`;

/** Words in lines of a width, between them a dot. */
function wrapped(words: readonly string[], wide: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const longer = `${last} · ${word}`;
    if (last === undefined || longer.length * letter > wide) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

const spoken = (name: string) => name.replaceAll("_", " ");

/** One row of features from `y` on: its elements and its height. */
function drawRow(row: readonly Feature[], y: number): { readonly elements: string[]; readonly height: number } {
  // What has more rooms is wider, but not as many times as it has more.
  const weights = row.map(({ rooms }) => 9 + Math.sqrt(rooms.join(" · ").length));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const free = inner - gap * (row.length - 1);
  const widths = weights.map((weight) => Math.floor((free * weight) / sum));
  const lines = row.map(({ rooms }, at) => wrapped(rooms.map(spoken), (widths[at] ?? 0) - 2 * pad));
  const most = Math.max(...lines.map((some) => some.length));
  const height = 2 * pad + 12 + (most === 0 ? 0 : 4 + most * line);
  let x = left + wall + gap;
  const elements = row.flatMap(({ name }, at) => {
    const last = at === row.length - 1;
    const wide = last ? left + wall + gap + inner - x : (widths[at] ?? 0);
    const [from, some] = [x, lines[at] ?? []];
    x += wide + gap;
    return [
      box("room", { x: from, y, width: wide, height }),
      text("name", from + pad, y + head, name),
      ...some.map((words, of) => text("small", from + pad, y + head + 4 + line * (of + 1), words)),
    ];
  });
  return { elements, height };
}

const arrow = (path: string) => `<path class="arrow" d="${path}" marker-end="url(#tip)"/>`;

const tip =
  '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">' +
  '<path class="tip" d="M0 0L8 4L0 8Z"/></marker></defs>';

const style = `
  text { font-family: -apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
  .page { fill: #ffffff; } .roof { fill: #eef1f5; stroke: #c3cbd6; } .room { fill: #f7f8fa; stroke: #d5dbe3; }
  .in { fill: #e6f0fd; stroke: #a9c8f0; } .out { fill: #fdf0df; stroke: #ecc993; }
  .kept { fill: #e5f4ea; stroke: #a5d3b4; }
  .name { font-size: 14px; font-weight: 600; fill: #1f2733; } .small { font-size: 11.5px; fill: #566172; }
  .arrow { stroke: #7a8697; stroke-width: 1.5; fill: none; } .tip { fill: #7a8697; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0f141b; } .roof { fill: #1d2530; stroke: #3a4656; } .room { fill: #171e27; stroke: #323d4c; }
    .in { fill: #14283f; stroke: #2f5580; } .out { fill: #33260f; stroke: #6f5425; }
    .kept { fill: #12301d; stroke: #2c6442; } .name { fill: #e8edf4; } .small { fill: #9eabbc; }
    .arrow { stroke: #8391a3; } .tip { fill: #8391a3; }
  }
`;

const walls = {
  http: ["the way in:", "keys, limits,", "envelopes,", "errors,", "repeated", "requests"],
  outbound: ["the way out:", "checked", "addresses,", "deadlines,", "signatures"],
};
const ground = [
  { name: "database", words: "SQLite, PostgreSQL" },
  { name: "typesetting", words: "labels and papers" },
  { name: "kit", words: "money, ids, clocks, moves" },
];

/** A wall of the house with what it is for, and an arrow beside it. */
function drawWall(name: keyof typeof walls, y: number, height: number): string[] {
  const inward = name === "http";
  const x = inward ? left : width - left - wall;
  const top = y + Math.round(height / 2) - 50;
  const who = inward ? ["people,", "programs,", "shops"] : ["carriers,", "shops,", "receivers"];
  const middle = y + Math.round(height / 2);
  const [from, outside] = inward ? [16, 16] : [width - left + 4, width - 16];
  return [
    box(inward ? "in" : "out", { x, y, width: wall, height }),
    text("name", x + wall / 2, top, name, "middle"),
    ...walls[name].map((words, at) => text("small", x + wall / 2, top + 22 + line * at, words, "middle")),
    ...who.map((words, at) =>
      text("small", outside, middle - 12 - line * (who.length - 1 - at), words, inward ? "start" : "end"),
    ),
    arrow(`M${from} ${middle}h${left - 24}`),
  ];
}

/** The house as an SVG, light and dark. The same source gives the same picture. */
export function drawHouse(sources: readonly Source[]): string {
  const body: string[] = [];
  const eaves = 104;
  let y = eaves + gap;
  for (const row of rowsOf(sources).reverse()) {
    const { elements, height } = drawRow(row, y);
    body.push(...elements);
    y += height + gap;
  }
  const [start, middle] = [left - 14, width / 2];
  const roof = [
    `<path class="roof" d="M${start} ${eaves}L${middle} 22L${width - start} ${eaves}Z" stroke-linejoin="round"/>`,
    text("name", middle, 66, "start", "middle"),
    text("small", middle, 86, "main · serve · app: every feature mounted · schedule: what the clock does", "middle"),
  ];
  const sides = [
    ...drawWall("http", eaves + gap, y - eaves - 2 * gap),
    ...drawWall("outbound", eaves + gap, y - eaves - 2 * gap),
  ];
  const wide = Math.floor((width - 2 * left - 2 * gap) / 3);
  const floor = ground.flatMap(({ name, words }, at) => {
    const x = left + at * (wide + gap);
    return [
      box("kept", { x, y, width: at === ground.length - 1 ? width - left - x : wide, height: 52 }),
      text("name", x + pad, y + head, name),
      text("small", x + pad, y + head + 18, words),
    ];
  });
  const height = y + 52 + 22;
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  const about = "Packhouse: features in rows, each above those that it uses";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${about}">`,
    `<style>${style}</style>`,
    tip,
    box("page", { x: 0, y: 0, width, height }),
    ...[...roof, ...sides, ...body, ...floor],
    "</svg>\n",
  ].join("\n");
}

if (import.meta.main) {
  await Bun.write(picture, drawHouse(await readSources(root)));
  console.log("src/house.svg");
}
