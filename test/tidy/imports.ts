// Which file may import which: layers within a feature, by file suffix, and the order of the features.
import { workers } from "../../src/core/workers.ts";
import type { Source } from "./source.ts";

/** The features, lowest first. */
export const features = [
  ...[
    "core",
    "storage",
    "events",
    "http",
    "outbound",
    "files",
    "documents",
    "addresses",
    "merchants",
    "identity",
    "products",
  ],
  ...["billing", "customers", "inventory", "orders", "shipping", "tracking", "returns", "platforms", "webhooks"],
  ...["floor", "imports", "reports", "privacy", "operations", "dashboard", "server", "cli"],
];

type Layer = "edge" | "plain" | "sql" | "schema" | "transitions";

/** The layer of a file, by its suffix. */
export function layerOf(file: string): Layer {
  const [, suffix] = /\.(routes|jobs|sql|schema|transitions)\.ts$/.exec(file) ?? [];
  if (suffix === "routes" || suffix === "jobs" || /^src\/(?:main\.ts$|server\/|cli\/)/.test(file)) return "edge";
  return suffix === undefined ? "plain" : (suffix as Layer);
}

/** The feature of a file; null outside `src` and for `src/main.ts`. */
export function featureOf(file: string): string | null {
  return /^src\/(\w+)\//.exec(file)?.[1] ?? null;
}

const heightOf = (file: string) => features.indexOf(featureOf(file) ?? "");
const web = /^src\/dashboard\/web\//;
/** Resources, and what reads them: plain data for the server and for browsers. */
const resource = /^src\/(?:(?:\w+\/)+\w+\.resource|core\/resource)\.ts$/;
const shared =
  /^src\/(?:(?:\w+\/)+\w+\.transitions|core\/(?:colors|money|time|weight_units)|billing\/billable_kinds)\.ts$/;
/** Code that also runs in a browser: resources, enumerations, transition tables, decimals and colors. */
const forBrowsers = (file: string) => resource.test(file) || shared.test(file);

/** Whether one file of the service may import another. */
export function mayImport(from: string, to: string): boolean {
  if (web.test(from)) return web.test(to) || forBrowsers(to);
  if (web.test(to) || !/^(?:src|db)\//.test(to)) return false;
  if (to.startsWith("db/")) return from.startsWith("db/") || /^src\/storage\/|\.sql\.ts$/.test(from);
  // Tables use the enumerations and types of records.
  if (from.startsWith("db/")) return layerOf(to) === "plain" || layerOf(to) === "transitions";
  if (layerOf(from) === "edge") return true;
  if (layerOf(to) === "edge" || heightOf(to) > heightOf(from)) return false;
  if (resource.test(from)) return forBrowsers(to);
  const [upper, lower] = [layerOf(from), layerOf(to)];
  return !((upper === "schema" || upper === "transitions") && lower === "sql");
}

const inService = (file: string) => /^(?:src|db)\//.test(file);
const isCode = (file: string) => /\.tsx?$/.test(file);

/** Upward imports, and imports of the service from outside it. */
export function importsUp(sources: readonly Source[]): string[] {
  return sources
    .filter(({ file }) => inService(file))
    .flatMap(({ file, imports }) =>
      imports
        .filter((found) => found.file !== null && isCode(found.file) && !mayImport(file, found.file))
        .filter((found) => !(found.only_types && (web.test(file) || resource.test(file))))
        .map((found) => `${file} imports ${found.file}`),
    );
}

/** Queries, schemas and transitions that import an act: a plain file of a feature that imports queries. */
export function importsOfActs(sources: readonly Source[]): string[] {
  const asks = ({ imports }: Source) => imports.some(({ file }) => file !== null && layerOf(file) === "sql");
  const acts = new Set(sources.filter((one) => layerOf(one.file) === "plain" && asks(one)).map(({ file }) => file));
  return sources
    .filter(({ file }) => file.startsWith("db/") || ["sql", "schema", "transitions"].includes(layerOf(file)))
    .flatMap(({ file, imports }) =>
      imports.filter((found) => acts.has(found.file ?? "")).map((found) => `${file} imports the act ${found.file}`),
    );
}

/** Files outside the features. Only `src/main.ts` is allowed there. */
export function homeless(sources: readonly Source[]): string[] {
  return sources
    .map(({ file }) => file)
    .filter((file) => file.startsWith("src/") && file !== "src/main.ts" && heightOf(file) < 0);
}

/** Records, schemas and transitions: files that queries and schemas import are pure, without side effects. */
export function pureFiles(sources: readonly Source[]): ReadonlySet<string> {
  const layered = sources.filter(({ file }) => file.startsWith("src/"));
  const isPure = ({ file }: Source) => resource.test(file) || ["schema", "transitions"].includes(layerOf(file));
  const pure = layered.filter(isPure).map(({ file }) => file);
  const ground = features.slice(0, features.indexOf("identity"));
  const records = layered
    .filter(({ file }) => layerOf(file) === "sql" && !ground.includes(featureOf(file) ?? ""))
    .flatMap(({ imports }) => imports.flatMap(({ file }) => file ?? []))
    .filter((file) => layerOf(file) === "plain" && file.startsWith("src/") && !ground.includes(featureOf(file) ?? ""));
  return new Set([...pure, ...records]);
}

const graphOf = (sources: readonly Source[]) =>
  new Map(sources.map(({ file, imports }) => [file, imports.flatMap((found) => found.file ?? [])]));

/** Import cycles, each as a path back to its first file. */
export function cycles(sources: readonly Source[]): string[] {
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

/** Files of the service that are not reachable from `src/main.ts` or a worker. Empty if there is no main file. */
export function dead(sources: readonly Source[]): string[] {
  const graph = graphOf(sources);
  if (!graph.has("src/main.ts")) return [];
  const alive = new Set<string>();
  const programs = [...Object.values(workers).map((program) => `src/${program}`), "src/dashboard/web/main.tsx"];
  const open = ["src/main.ts", ...programs];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (alive.has(file)) continue;
    alive.add(file);
    open.push(...(graph.get(file) ?? []));
  }
  const used = (file: string) => alive.has(file) || file.endsWith(".d.ts") || /^db\/(drizzle|words)\./.test(file);
  return [...graph.keys()].filter((file) => inService(file) && !used(file));
}

const reExports = ["ExportAllDeclaration", "ImportDeclaration"];

/** Files that only re-export. */
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

/** Imports without a file extension, by an alias, or (in the service) of a package that is missing from releases. */
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
