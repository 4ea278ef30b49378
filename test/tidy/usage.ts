// Exports must be used, and transitions in a table must be triggered by an action.
import { literal, type Node, nameOf, nodesOf, type Source } from "./source.ts";

const inService = (file: string) => /^(?:src|db)\//.test(file);

// Exports that only tests pass in or check as a whole: a fixed clock, fake carriers, whether each state is reachable.
const seams = ["manualClock", "overrideCarriers", "unreachableStates"];

const isTest = (file: string) => file.startsWith("test/");

/**
 * Names that a file of the service exports and no other file of the service or its scripts uses. Tests may use names
 * that their own file uses too; exports that exist only for tests count as unused.
 */
export function unusedExports(sources: readonly Source[]): string[] {
  const used = usedNames(sources.filter(({ file }) => !isTest(file)));
  const tested = usedNames(sources.filter(({ file }) => isTest(file)));
  return sources
    .filter(({ file }) => inService(file) && !/\.d\.ts$|^db\/(?:schema|drizzle)/.test(file))
    .flatMap(({ file, tree }) => {
      const names = used.get(file) ?? new Set<string>();
      if (names.has("*")) return [];
      const known = namesOf(tree);
      const isUsed = (name: string) =>
        names.has(name) || seams.includes(name) || (tested.get(file)?.has(name) && (known.get(name) ?? 0) > 1);
      return exportsOf(tree)
        .filter((name) => !isUsed(name))
        .map((name) => `${file}: nothing uses ${name}`);
    });
}

/** By file, the names that these files import from it. */
function usedNames(sources: readonly Source[]): ReadonlyMap<string, ReadonlySet<string>> {
  const used = new Map<string, Set<string>>();
  for (const source of sources) {
    for (const [file, names] of importedBy(source)) {
      const found = used.get(file) ?? new Set<string>();
      for (const name of names) found.add(name);
      used.set(file, found);
    }
  }
  return used;
}

/** How often each name occurs in a file. */
function namesOf(tree: Node): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  for (const { type, name } of nodesOf(tree)) {
    if (type === "Identifier") names.set(String(name), (names.get(String(name)) ?? 0) + 1);
  }
  return names;
}

/** The names that a file imports from each other file; `*` for all of them. */
function importedBy({ imports, tree }: Source): [string, string[]][] {
  const fileOf = new Map(imports.map(({ from, file }) => [from, file]));
  const found: [string, string[]][] = [];
  for (const node of nodesOf(tree)) {
    const file = fileOf.get(literal(node["source"]) ?? "") ?? null;
    if (file === null) continue;
    if (node.type === "ImportDeclaration" || node.type === "ExportNamedDeclaration") {
      const specifiers = node["specifiers"] as Node[];
      const names = specifiers.map((one) =>
        one.type === "ImportSpecifier"
          ? nameOf(one["imported"])
          : one.type === "ExportSpecifier"
            ? nameOf(one["local"])
            : "*",
      );
      found.push([file, names.map((name) => (name === "default" ? "*" : name))]);
    } else if (["ExportAllDeclaration", "ImportExpression"].includes(node.type)) found.push([file, ["*"]]);
    else if (node.type === "TSImportType") found.push([file, ["*"]]);
  }
  return found;
}

/** The names that a file exports. */
function exportsOf(tree: Node): string[] {
  return (tree["body"] as Node[]).flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration") return [];
    const declared = statement["declaration"] as Node | null;
    if (declared === null) return (statement["specifiers"] as Node[]).map(({ exported }) => nameOf(exported));
    if (declared.type !== "VariableDeclaration") return nameOf(declared["id"]);
    return (declared["declarations"] as Node[]).flatMap(({ id }) => namesIn(id as Node));
  });
}

const namesIn = (pattern: Node): string[] =>
  pattern.type === "Identifier"
    ? [nameOf(pattern)]
    : nodesOf(pattern).flatMap((node) => (node.type === "Property" ? nameOf(node["value"]) || [] : []));

/** Rows of transition tables that are never used: neither by action, nor by the row itself, nor in another table. */
export function unusedTransitions(sources: readonly Source[]): string[] {
  const service = sources.filter(({ file }) => file.startsWith("src/") && !file.startsWith("src/dashboard/web/"));
  const named = new Set(service.flatMap(({ tree }) => nodesOf(tree).flatMap(actionIn)));
  return service
    .filter(({ file }) => /\.transitions\.ts$/.test(file))
    .flatMap(({ file, tree }) =>
      nodesOf(tree)
        .filter(({ type, id }) => type === "VariableDeclarator" && /Transitions$/.test(nameOf(id)))
        .flatMap(({ id, init }) =>
          rowsOf(init as Node)
            .filter((action) => !named.has(action) && !named.has(`${nameOf(id)}.${action}`))
            .map((action) => `${file}: nothing does ${nameOf(id)}.${action}`),
        ),
    );
}

/** The action that a node refers to: by its name, or by the row of a table. */
const actionIn = (node: Node): string[] => {
  const word = literal(node) ?? (node.type === "MemberExpression" ? nameOf(node) : "");
  return word === "" ? [] : [word];
};

/** The actions of a transition table: the keys of its object. */
function rowsOf(init: Node): string[] {
  if (init.type !== "ObjectExpression") return "expression" in init ? rowsOf(init["expression"] as Node) : [];
  return (init["properties"] as Node[]).flatMap(({ key }) => nameOf(key) || literal(key) || []);
}
