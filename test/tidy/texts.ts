// Every text of the dashboard must be shown somewhere.
import { childrenOf, literal, type Node, nameOf, nodesOf, type Source } from "./source.ts";

const isTextFile = (file: string) => /^src\/dashboard\/web\/text\/\w+\.ts$/.test(file);
const isWeb = (file: string) => file.startsWith("src/dashboard/web/");

/** Texts that no file of the dashboard reads. `texts[name]` and an object that is passed on read all their texts. */
export function unusedTexts(sources: readonly Source[]): string[] {
  const read = sources.filter(({ file }) => isWeb(file)).flatMap(pathsReadBy);
  const used = new Set(read.map((path) => path.join(" ")));
  // `texts.lines.map(…)` reads `texts.lines`.
  const above = new Set(read.flatMap((path) => path.map((_, at) => path.slice(0, at).join(" "))));
  return sources
    .filter(({ file }) => isTextFile(file))
    .flatMap(({ file, tree }) =>
      objectsOf(tree).flatMap(([name, object]) =>
        leavesOf(object, [file, name])
          .filter((path) => !above.has(path.join(" ")))
          .filter((path) => !path.some((_, at) => used.has(path.slice(0, at + 1).join(" "))))
          .map((path) => `${file}: nothing shows ${path.slice(1).join(".")}`),
      ),
    );
}

/** The constants of a file that hold objects, without `as const` and the like. */
function objectsOf(tree: Node): [string, Node][] {
  return (tree["body"] as Node[]).flatMap((statement) => {
    const declared = (statement["declaration"] ?? statement) as Node;
    if (declared.type !== "VariableDeclaration") return [];
    return (declared["declarations"] as Node[]).flatMap(({ id, init }): [string, Node][] => {
      const value = init ? bare(init as Node) : null;
      return value?.type === "ObjectExpression" ? [[nameOf(id), value]] : [];
    });
  });
}

const bare = (node: Node): Node =>
  /^TS(?:As|Satisfies)Expression$/.test(node.type) ? bare(node["expression"] as Node) : node;

/** The paths of all texts in an object. */
function leavesOf(object: Node, path: readonly string[]): string[][] {
  return (object["properties"] as Node[]).flatMap(({ type, key, value }) => {
    if (type !== "Property") return [];
    const below = [...path, nameOf(key) || (literal(key) ?? "")];
    const inner = bare(value as Node);
    return inner.type === "ObjectExpression" ? leavesOf(inner, below) : [below];
  });
}

type Aliases = Map<string, readonly string[]>;

/** The paths of texts that a file reads: file, constant and names. */
function pathsReadBy({ file, tree, imports }: Source): (readonly string[])[] {
  const fileOf = new Map(imports.map(({ from, file: imported }) => [from, imported]));
  const aliases: Aliases = new Map(isTextFile(file) ? objectsOf(tree).map(([name]) => [name, [file, name]]) : []);
  const all = nodesOf(tree);
  for (const node of all) {
    const from = fileOf.get(literal(node["source"]) ?? "") ?? "";
    if (node.type !== "ImportDeclaration" || !isTextFile(from)) continue;
    for (const one of node["specifiers"] as Node[]) aliases.set(nameOf(one["local"]), [from, nameOf(one["imported"])]);
  }
  const renamed = new Set<unknown>();
  for (const { type, id, init } of all) {
    const path = type === "VariableDeclarator" && init ? pathOf(init as Node, aliases) : null;
    if (path === null || nameOf(id) === "" || !path.whole) continue;
    aliases.set(nameOf(id), path.names);
    renamed.add(init);
  }
  return readIn(tree, aliases, renamed);
}

/** The paths that the nodes read. A longer chain counts, not the shorter ones in it. */
function readIn(node: Node, aliases: Aliases, skipped: ReadonlySet<unknown>): (readonly string[])[] {
  if (skipped.has(node) || node.type === "ImportDeclaration" || node.type.startsWith("TSType")) return [];
  const path = pathOf(node, aliases);
  const below = childrenOf(node).flatMap((child) => {
    const isName = (node.type === "Property" || node.type === "MemberExpression") && !node["computed"];
    if (isName && (child === node["key"] || child === node["property"])) return [];
    if (child === (node.type === "VariableDeclarator" ? node["id"] : path && node["object"])) return [];
    return readIn(child, aliases, skipped);
  });
  return path === null ? below : [path.names, ...below];
}

/** The path of texts that an expression reads; `whole` unless it ends at a name that is known only at run time. */
function pathOf(node: Node, aliases: Aliases): { readonly names: readonly string[]; readonly whole: boolean } | null {
  if (node.type === "Identifier") {
    const names = aliases.get(nameOf(node));
    return names === undefined ? null : { names, whole: true };
  }
  if (node.type !== "MemberExpression") return null;
  const above = pathOf(node["object"] as Node, aliases);
  if (above === null || !above.whole) return above;
  const name = node["computed"] ? literal(node["property"]) : nameOf(node["property"]);
  return name === null ? { names: above.names, whole: false } : { names: [...above.names, name], whole: true };
}
