// Rooms: circles of folders, tables with more than one writer, and rules that do more than decide.
import { isFunction, type Node, nameOf, nodesOf, type Source } from "./source.ts";

// These compose what is in the rooms beside and above them; so does the start.
const composes = /(?:^|\/)(?:routes|jobs)\.ts$|^src\/\w+\.ts$|^src\/dashboard\/web\/(?:main\.tsx|screens\.ts)$/;

/** How far a path names a room: the folder a file lies in, or the feature as a whole. */
type Room = (file: string) => string;
const folderOf: Room = (file) => file.split("/").slice(0, -1).join("/");
const featureOf: Room = (file) => file.split("/").slice(0, 2).join("/");

/** Circles of folders of `src`, and of whole features, each with an import for every step of the way. */
export function roomCircles(sources: readonly Source[]): string[] {
  return [...new Set([...circlesOf(sources, folderOf), ...circlesOf(sources, featureOf)])];
}

function circlesOf(sources: readonly Source[], roomOf: Room): string[] {
  const ways = new Map<string, Map<string, string>>();
  for (const { file, imports } of sources) {
    if (!file.startsWith("src/") || composes.test(file)) continue;
    for (const { file: other } of imports) {
      if (other === null || !other.startsWith("src/")) continue;
      const [from, to] = [roomOf(file), roomOf(other)];
      if (from === to) continue;
      const found = ways.get(from) ?? new Map<string, string>();
      ways.set(from, found.set(to, found.get(to) ?? `${file} -> ${other}`));
    }
  }
  const reached = new Map([...ways.keys()].map((room) => [room, reachedFrom(room, ways)]));
  const circles: string[] = [];
  for (const [from, found] of ways) {
    for (const [to, way] of found) if (reached.get(to)?.has(from)) circles.push(way);
  }
  return circles;
}

/** The rooms that imports lead to from a room. */
function reachedFrom(room: string, ways: ReadonlyMap<string, ReadonlyMap<string, string>>): Set<string> {
  const reached = new Set<string>();
  const waiting = [room];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const other of ways.get(next)?.keys() ?? []) {
      if (reached.has(other)) continue;
      reached.add(other);
      waiting.push(other);
    }
  }
  return reached;
}

const writes = /(?:^|\.)(?:insert|update|delete)$/;

// An erasure goes through all tables, by a table of its own that says what becomes of each column.
const erases = /^src\/privacy\//;

/** Tables that more than one file writes, besides what erases people. */
export function secondWriters(sources: readonly Source[]): string[] {
  const tables = tablesOf(sources);
  const writers = new Map<string, Set<string>>();
  for (const { file, tree } of sources) {
    if (!file.startsWith("src/") || erases.test(file)) continue;
    for (const node of nodesOf(tree)) {
      for (const table of writtenBy(node, tables)) {
        writers.set(table, (writers.get(table) ?? new Set()).add(file));
      }
    }
  }
  return [...writers]
    .filter(([, files]) => files.size > 1)
    .map(([table, files]) => `${table} is written by ${[...files].sort().join(" and ")}`)
    .sort();
}

/** The tables of the schema by their names in the program. */
function tablesOf(sources: readonly Source[]): ReadonlySet<string> {
  const named = sources
    .filter(({ file }) => file.startsWith("db/schema/"))
    .flatMap(({ tree }) =>
      nodesOf(tree)
        .filter(({ type, init }) => type === "VariableDeclarator" && /^(?:\w+\.)?table$/.test(calleeOf(init)))
        .map(({ id }) => nameOf(id)),
    );
  return new Set(named);
}

const calleeOf = (node: unknown): string => {
  const call = node as Node | null;
  return call?.type === "CallExpression" ? nameOf(call["callee"]) : "";
};

/** The tables that a call writes: `tx.insert(orders)`, or SQL that begins with one of the three words and a table. */
function writtenBy(node: Node, tables: ReadonlySet<string>): string[] {
  if (node.type === "CallExpression") {
    const callee = node["callee"] as Node;
    const method = callee.type === "MemberExpression" ? nameOf(callee["property"]) : "";
    const [first] = node["arguments"] as Node[];
    const table = nameOf(first).split(".").at(-1) ?? "";
    return writes.test(method) && tables.has(table) ? [table] : [];
  }
  if (node.type !== "TaggedTemplateExpression") return [];
  const { quasis, expressions } = node["quasi"] as unknown as {
    quasis: { value: { raw: string } }[];
    expressions: Node[];
  };
  return expressions.flatMap((expression, at) => {
    const table = nameOf(expression);
    return /\b(?:insert into|update|delete from)\s*$/i.test(quasis[at]?.value.raw ?? "") && tables.has(table)
      ? [table]
      : [];
  });
}

const keeps = ["Map", "Set", "WeakMap", "WeakSet"];

/** What a file of rules does beside deciding: it waits for something, or keeps something from one call to the next. */
export function impureRules(sources: readonly Source[], isRules: (file: string) => boolean): string[] {
  return sources
    .filter(({ file }) => isRules(file))
    .flatMap(({ file, tree }) => {
      const waits = nodesOf(tree).some((node) => isFunction(node) && node["async"] === true);
      const kept = (tree["body"] as Node[]).flatMap(variablesOf).filter(isKept);
      return [
        ...(waits ? [`${file} waits for something`] : []),
        ...kept.map(({ id }) => `${file} keeps ${nameOf(id)} between calls`),
      ];
    });
}

interface Variable {
  readonly kind: string;
  readonly id: Node;
  readonly init: Node | null;
}

function variablesOf(statement: Node): Variable[] {
  const declared = statement.type === "ExportNamedDeclaration" ? (statement["declaration"] as Node | null) : statement;
  if (declared?.type !== "VariableDeclaration") return [];
  return (declared["declarations"] as { id: Node; init: Node | null }[]).map(({ id, init }) => ({
    kind: String(declared["kind"]),
    id,
    init,
  }));
}

/** Whether a variable of a file may change while the program runs; a map that is filled at once is a table. */
function isKept({ kind, init }: Variable): boolean {
  if (kind !== "const") return true;
  if (init?.type !== "NewExpression" || !keeps.includes(nameOf(init["callee"]))) return false;
  return (init["arguments"] as Node[]).length === 0;
}
