// Who may import whom: floors from the ground up, and on one floor down the ladder of the features.
import { workers } from "../../src/kit/worker.ts";
import type { Source } from "./source.ts";

export const ladder = [
  "owners",
  "retention",
  "outbox",
  "access",
  "audit",
  "keys",
  "users",
  "products",
  "addresses",
  "merchants",
  "billing",
  "customers",
  "inventory",
  "orders",
  "shipping",
  "papers",
  "tracking",
  "returns",
  "platforms",
  "webhooks",
  "sandbox",
  "search",
  "reports",
  "demo",
  "moving",
  "backups",
  "doctor",
  "operations",
  "privacy",
  "dashboard",
  "reference",
];

/** Features whose own files do work outside the records, beside those of the usual floors. */
const toolFeatures = ["backups", "moving", "doctor"];

const feature = `src/(?:${ladder.join("|")})/(?:\\w+/)*`;

/** The floors; of several that match a file, the last is its floor. */
const floors: readonly (readonly [name: string, files: RegExp])[] = [
  ["start", /^src\/\w+\.ts$/],
  ["config", /^src\/config\.ts$/],
  ["kit", /^src\/kit\//],
  ["typesetting", /^src\/typesetting\//],
  ["rules", new RegExp(`^${feature}\\w+(?:\\.d)?\\.tsx?$`)],
  // What copies, packs and moves whole worlds: it works on files and other programs, for the command line and for jobs.
  ["tools", new RegExp(`^src/(?:${toolFeatures.join("|")})/(?:\\w+/)*(?!(?:status|rules|schemas)\\.ts$)\\w+\\.ts$`)],
  ["tables", /^(?:db|src\/database)\//],
  ["store", new RegExp(`^${feature}(?:store|emit|directory)\\.ts$`)],
  ["commands", new RegExp(`^${feature}commands\\.ts$`)],
  ["http", /^src\/http\//],
  ["outbound", /^src\/outbound\//],
  // What calls carriers between transactions, for the routes and jobs of any feature.
  ["callers", new RegExp(`^${feature}(?:(?:buyer|asker)\\.ts|carriers/\\w+\\.ts)$`)],
  [
    "edge",
    new RegExp(
      `^${feature}(?:(?:routes|jobs|description|dispatcher|lines|sender|authenticator|scopes)\\.ts|` +
        "(?:guard|connectors)/\\w+\\.ts)$",
    ),
  ],
];
const fromTheGround = [
  "config",
  "kit",
  "typesetting",
  "rules",
  "tables",
  "store",
  "commands",
  "http",
  "outbound",
  "tools",
  "callers",
  "edge",
  "start",
];

function floorOf(file: string): number {
  const found = floors.findLast(([, files]) => files.test(file));
  return found ? fromTheGround.indexOf(found[0]) : -1;
}

/** Whether a file stands on the floor of rules, which only decide. */
export const isRules = (file: string): boolean => floorOf(file) === fromTheGround.indexOf("rules") && !web.test(file);

function featureOf(file: string): string | null {
  const [, folder = ""] = /^src\/(\w+)\//.exec(file) ?? [];
  return ladder.includes(folder) ? folder : null;
}

const web = /^src\/dashboard\/web\//;
/** What runs in a browser as well: words of states, and the decimals of currencies, without an import of anything. */
const tablesForAll = /^src\/(?:(?:\w+\/)+status|kit\/currency)\.ts$/;

/** Whether one file of the service may import another. */
export function mayImport(from: string, to: string): boolean {
  // The front end is a program of its own, and the service knows nothing of it.
  if (web.test(from)) return web.test(to) || tablesForAll.test(to);
  if (web.test(to)) return false;
  const [upper, lower] = [floorOf(from), floorOf(to)];
  if (upper < 0 || lower < 0) return false;
  if (upper !== lower) return upper > lower;
  const [mine, other] = [featureOf(from), featureOf(to)];
  return mine === other || (mine !== null && other !== null && ladder.indexOf(mine) > ladder.indexOf(other));
}

const inService = (file: string) => /^(?:src|db)\//.test(file);
const isCode = (file: string) => /\.tsx?$/.test(file);

/** Imports that go up, and imports of the service from outside it. */
export function importsUp(sources: readonly Source[]): string[] {
  return sources
    .filter(({ file }) => inService(file))
    .flatMap(({ file, imports }) =>
      imports
        .filter((found) => found.file !== null && isCode(found.file) && !mayImport(file, found.file))
        .filter((found) => !(found.only_types && web.test(file)))
        .map((found) => `${file} imports ${found.file}`),
    );
}

/** Files of no floor: the house has no place for them. */
export function homeless(sources: readonly Source[]): string[] {
  return sources.map(({ file }) => file).filter((file) => inService(file) && floorOf(file) < 0);
}

const graphOf = (sources: readonly Source[]) =>
  new Map(sources.map(({ file, imports }) => [file, imports.flatMap((found) => found.file ?? [])]));

/** Circles of files that import each other, each as the path that closes it. */
export function circles(sources: readonly Source[]): string[] {
  const graph = graphOf(sources);
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    const met = path.indexOf(file);
    if (met >= 0) found.push([...path.slice(met), file].join(" -> "));
    if (met >= 0 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}

/** Files of the service that nothing leads to from `src/main.ts` or a worker; none as long as there is no main file. */
export function dead(sources: readonly Source[]): string[] {
  const graph = graphOf(sources);
  if (!graph.has("src/main.ts")) return [];
  const alive = new Set<string>();
  const programs = [...Object.values(workers).map((program) => `src/${program}`), "src/dashboard/web/main.tsx"];
  const waiting = ["src/main.ts", ...programs];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (alive.has(file)) continue;
    alive.add(file);
    waiting.push(...(graph.get(file) ?? []));
  }
  const used = (file: string) => alive.has(file) || file.endsWith(".d.ts") || /^db\/(drizzle|words)\./.test(file);
  return [...graph.keys()].filter((file) => inService(file) && !used(file));
}

const reExports = ["ExportAllDeclaration", "ImportDeclaration"];

/** Files that only pass on what others export. */
export function barrels(sources: readonly Source[]): string[] {
  const isBarrel = ({ tree }: Source) => {
    const body = tree["body"] as { type: string; declaration?: unknown }[];
    const passes = body.every(
      ({ type, declaration }) => reExports.includes(type) || (type === "ExportNamedDeclaration" && !declaration),
    );
    return passes && body.some(({ type }) => type !== "ImportDeclaration");
  };
  return sources.filter(isBarrel).map(({ file }) => file);
}

const builtIn = /^(?:node|bun):|^bun$/;

/** Imports without a file's ending, by an alias, or (in the service) of a package that a release does not have. */
export function oddImports(sources: readonly Source[], dependencies: readonly string[]): string[] {
  const packageOf = (from: string) => from.split("/", from.startsWith("@") ? 2 : 1).join("/");
  const isOdd = (file: string, from: string) => {
    if (from.startsWith(".")) return !/\.\w+$/.test(from);
    if (builtIn.test(from)) return false;
    return (
      from.startsWith("~") || from.startsWith("#") || (/^src\//.test(file) && !dependencies.includes(packageOf(from)))
    );
  };
  return sources.flatMap(({ file, imports }) =>
    imports.filter(({ from }) => isOdd(file, from)).map(({ from }) => `${file} imports ${from}`),
  );
}
