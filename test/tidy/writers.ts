// Tables with more than one writer, and records and schemas with side effects.
import { isFunction, type Node, nameOf, nodesOf, type Source } from "./source.ts";

const writes = /(?:^|\.)(?:insert|update|delete)$/;

// An erasure updates all tables, by its own table of what happens to each column.
const erases = /^src\/privacy\//;

/** Tables that more than one file writes, except for the code that erases people. */
export function secondWriters(sources: readonly Source[]): string[] {
  const tables = tablesOf(sources);
  const writers = new Map<string, Set<string>>();
  for (const { file, tree } of sources) {
    if (!file.startsWith("src/") || erases.test(file)) continue;
    for (const node of nodesOf(tree)) {
      for (const table of writtenBy(node, tables)) writers.set(table, (writers.get(table) ?? new Set()).add(file));
    }
  }
  return [...writers]
    .filter(([, files]) => files.size > 1)
    .map(([table, files]) => `${table} is written by ${[...files].sort().join(" and ")}`)
    .sort();
}

/** The tables of the schema, by their variable names. */
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

/**
 * The tables that a call writes: `tx.insert(orders)`, or SQL that begins with one of the three keywords and a table.
 */
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

/** Side effects of a pure file: it awaits something, or stores something between calls. */
export function impureFiles(sources: readonly Source[], pure: ReadonlySet<string>): string[] {
  return sources
    .filter(({ file }) => pure.has(file))
    .flatMap(({ file, tree }) => {
      const waits = nodesOf(tree).some((node) => isFunction(node) && node["async"] === true);
      const kept = (tree["body"] as Node[]).flatMap(variablesOf).filter(isKept);
      return [
        ...(waits ? [`${file} awaits something`] : []),
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

/** Whether a file's variable may change at run time. A map that is filled at once is a constant table. */
function isKept({ kind, init }: Variable): boolean {
  if (kind !== "const") return true;
  if (init?.type !== "NewExpression" || !keeps.includes(nameOf(init["callee"]))) return false;
  return (init["arguments"] as Node[]).length === 0;
}
