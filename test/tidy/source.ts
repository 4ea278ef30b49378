// Source files as syntax trees, for the checks of the code base.
import { dirname, join, normalize } from "node:path";
import { parseSync } from "oxc-parser";

/** One node of a syntax tree, with the properties that the checks use. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [property: string]: unknown;
}

export interface Import {
  /** As written: `./order.ts`, `elysia`, `node:fs`. */
  readonly from: string;
  /** The imported file, relative to the project root; null for a package. */
  readonly file: string | null;
  /** Whether it imports only types, which do not exist at run time. */
  readonly only_types: boolean;
}

export interface Source {
  readonly file: string;
  readonly text: string;
  readonly tree: Node;
  readonly comments: readonly { readonly type: string; readonly value: string; readonly end: number }[];
  readonly imports: readonly Import[];
}

/** Parses one file; `file` is its path relative to the project root. Throws if it is not valid TypeScript. */
export function parse(file: string, text: string): Source {
  const { program, module, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const tree = program as unknown as Node;
  const named = [
    ...module.staticImports.map((found) => found.moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.flatMap((entry) => entry.moduleRequest?.value ?? [])),
    ...nodesOf(tree).flatMap((node) =>
      node.type === "ImportExpression" || node.type === "TSImportType" ? (literal(node["source"]) ?? []) : [],
    ),
  ];
  const dynamic = new Set(
    nodesOf(tree).flatMap((node) => (node.type === "ImportExpression" ? (literal(node["source"]) ?? []) : [])),
  );
  const onlyTypes = (from: string) =>
    (tree["body"] as Node[])
      .filter((statement) => literal(statement["source"]) === from)
      .every((statement) => statement["importKind"] === "type") && !dynamic.has(from);
  const imports = [...new Set(named)].map((from) => ({
    from,
    only_types: onlyTypes(from),
    file: from.startsWith(".") ? normalize(join(dirname(file), from)) : null,
  }));
  return { file, text, tree, comments, imports };
}

/** All TypeScript files of the project, without generated and installed ones. */
export async function readSources(folder: string): Promise<Source[]> {
  const files = [...new Bun.Glob("{src,db,scripts,test}/**/*.{ts,tsx}").scanSync({ cwd: folder })].sort();
  return await Promise.all(files.map(async (file) => parse(file, await Bun.file(join(folder, file)).text())));
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** The direct children of a node. */
export function childrenOf(node: Node): Node[] {
  const found: Node[] = [];
  for (const name in node) {
    const value = node[name];
    if (Array.isArray(value)) found.push(...value.filter(isNode));
    else if (isNode(value)) found.push(value);
  }
  return found;
}

// Most checks go through all nodes of a file.
const nodes_of_files = new WeakMap<Node, readonly Node[]>();

/** A node and all its descendants. */
export function nodesOf(node: Node): readonly Node[] {
  const known = nodes_of_files.get(node);
  if (known !== undefined) return known;
  const found = [node];
  for (const next of found) found.push(...childrenOf(next));
  if (node.type === "Program") nodes_of_files.set(node, found);
  return found;
}

/** The text of a string literal, or null for any other node. */
export function literal(node: unknown): string | null {
  return isNode(node) && node.type === "Literal" && typeof node["value"] === "string" ? node["value"] : null;
}

/** An identifier or a chain of them as text, such as `process.env`; empty for any other node. */
export function nameOf(node: unknown): string {
  if (!isNode(node)) return "";
  if (node.type === "Identifier") return String(node["name"]);
  if (node.type === "MetaProperty") return `${nameOf(node["meta"])}.${nameOf(node["property"])}`;
  if (node.type !== "MemberExpression" || node["computed"] === true) return "";
  const object = nameOf(node["object"]);
  return object && `${object}.${nameOf(node["property"])}`;
}

const functionTypes = ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression", "TSDeclareFunction"];

/** Whether the node is a function of any kind. */
export function isFunction(node: unknown): node is Node {
  return isNode(node) && functionTypes.includes(node.type);
}

/** The line of a position, starting at 1. */
export function lineAt({ text }: Source, position: number): number {
  return text.slice(0, position).split("\n").length;
}

export interface Exported {
  readonly name: string;
  readonly node: Node;
  /** Its docstring in one line; empty if there is none. */
  readonly docstring: string;
}

/** The functions that a file exports by name, each with its docstring; the first of overloads. */
export function exportedFunctions(source: Source): Exported[] {
  const found = new Map<string, Exported>();
  for (const statement of source.tree["body"] as Node[]) {
    if (statement.type !== "ExportNamedDeclaration" && statement.type !== "ExportDefaultDeclaration") continue;
    const declared = statement["declaration"];
    if (!isNode(declared)) continue;
    const add = (name: string, node: Node) => {
      if (!found.has(name)) found.set(name, { name, node, docstring: docstringBefore(source, statement.start) });
    };
    if (isFunction(declared)) add(nameOf(declared["id"]) || "default", declared);
    if (declared.type !== "VariableDeclaration") continue;
    for (const { id, init } of declared["declarations"] as { id: Node; init: unknown }[]) {
      if (isFunction(init)) add(nameOf(id), init);
    }
  }
  return [...found.values()];
}

function docstringBefore({ comments, text }: Source, start: number): string {
  const comment = comments.findLast(({ end }) => end <= start);
  if (comment?.type !== "Block" || !comment.value.startsWith("*")) return "";
  if (text.slice(comment.end, start).trim() !== "") return "";
  return comment.value
    .split("\n")
    .map((line) => line.replace(/^\s*\*+ ?/, "").trim())
    .join(" ")
    .trim();
}
