// A state changes only along its table: no code outside the tables uses the literal name of a state.
import { literal, type Node, nameOf, nodesOf, type Source } from "./source.ts";

// The states of addresses and products are so few that they are in the record's file.
const isTable = (file: string) =>
  /\.(?:transitions|resource)\.ts$|^src\/(?:addresses\/address|products\/product)\.ts$/.test(file);

// Code that displays or describes states may name them: API schemas, views, documents, pages, event examples, the plan
// of the sample business, the reference, and the front end. Connectors name the states of a platform.
const shows = new RegExp(
  "(?:\\.schema|_page|packing_slip|pick_walk|today\\.routes)\\.ts$|" +
    "^src/(?:core|dashboard/web|documents|http|operations/demo|platforms/connectors|server/openapi)/",
);

/** All state names: the values of the tuples `…Statuses` of the tables, and the words of a resource's `status`. */
export function stateWords(sources: readonly Source[]): ReadonlySet<string> {
  const nodes = sources.filter(({ file }) => isTable(file)).flatMap(({ tree }) => nodesOf(tree));
  const tuples = nodes
    .filter(({ type, id }) => type === "VariableDeclarator" && /Statuses$/.test(nameOf(id)))
    .flatMap(({ init }) => nodesOf(init as Node));
  const named = (name: string) => (node: Node) => node.type === "Property" && nameOf(node["key"]) === name;
  const words = nodes
    .filter(named("status"))
    .flatMap(nodesOf)
    .filter(named("words"))
    .flatMap(({ value }) => nodesOf(value as Node))
    .flatMap(({ type, key }) => (type === "Property" ? nameOf(key) : []));
  return new Set([...tuples.flatMap((node) => literal(node) ?? []), ...words]);
}

const isState = (name: string) => /(?:^|\.|_)status$|Status$/.test(name);

/** State names that are written or compared outside the tables and display code, each with its line. */
export function stateLiterals(sources: readonly Source[]): string[] {
  const words = stateWords(sources);
  return sources
    .filter(({ file }) => file.startsWith("src/") && !isTable(file) && !shows.test(file))
    .flatMap(({ file, text, tree }) => {
      const views = viewsOf(tree);
      const found = nodesOf(tree).filter(
        (node) => named(node).some((word) => words.has(word)) && !views.some((view) => within(node, view)),
      );
      return found
        .map(({ start }) => text.slice(0, start).split("\n").length)
        .sort((a, b) => a - b)
        .map((line) => `${file}:${line} names a state`);
    });
}

const isTemplate = ({ type }: Node) => type === "TaggedTemplateExpression";

const within = (inner: Node, outer: Node) => inner.start >= outer.start && inner.end <= outer.end;

/** The functions of a file that build displayed values. */
const viewsOf = (tree: Node): Node[] =>
  nodesOf(tree).filter(
    ({ type, id }) =>
      (type === "FunctionDeclaration" || type === "VariableDeclarator") && /(?:^v|V)iew(?:Of)?$/.test(nameOf(id)),
  );

/** The names that a node sets a state to, or compares one with. */
function named(node: Node): string[] {
  const { type } = node;
  if (isTemplate(node)) return wordsOfSql(node["quasi"] as Node);
  if (type === "BinaryExpression" && /^[!=]==?$/.test(String(node["operator"]))) {
    const sides = [node["left"] as Node, node["right"] as Node];
    return sides.some((side) => isState(memberOf(side))) ? sides.flatMap((side) => literal(side) ?? []) : [];
  }
  if (type === "Property") {
    const name = nameOf(node["key"]) || (literal(node["key"]) ?? "");
    return isState(name) ? wordsOf(node["value"] as Node) : [];
  }
  if (type === "AssignmentExpression")
    return isState(memberOf(node["left"] as Node)) ? wordsOf(node["right"] as Node) : [];
  if (type === "CallExpression") {
    const list = node["arguments"] as Node[];
    const asked = list.some((one) => isState(memberOf(one)));
    const callee = node["callee"] as Node;
    const from = callee.type === "MemberExpression" ? wordsOf(callee["object"] as Node) : [];
    return asked ? [...from, ...list.flatMap(wordsOf)] : [];
  }
  return [];
}

/** The quoted names that an SQL template compares a state with, or sets it to. */
function wordsOfSql(template: Node): string[] {
  const names = (template["expressions"] as Node[]).map((one) => memberOf(one).replace(/^.*\./, ""));
  const texts = (template["quasis"] as Node[]).map(({ value }) => (value as { raw: string }).raw);
  const sql = texts.map((text, at) => `${text}${names[at] ?? ""}`).join("");
  return sql
    .split(/\b(?:and|or|where|then|else|end|on)\b/i)
    .filter((part) => (part.replace(/'[^']*'/g, "").match(/\w+/g) ?? []).some(isState))
    .flatMap((part) => [...part.matchAll(/'([^']*)'/g)].map(([, word]) => word ?? ""));
}

/** The chain of names of an expression, including the object of a call. */
function memberOf(node: Node): string {
  if (node.type === "MemberExpression" && node["computed"] !== true) return `_.${nameOf(node["property"])}`;
  if (node.type === "ChainExpression") return memberOf(node["expression"] as Node);
  return nameOf(node);
}

/** The values of a literal, of a list of them, and of both branches of a conditional. */
function wordsOf(node: Node): string[] {
  const word = literal(node);
  if (word !== null) return [word];
  if (node.type === "ArrayExpression") return (node["elements"] as Node[]).flatMap(wordsOf);
  if (node.type === "TSAsExpression") return wordsOf(node["expression"] as Node);
  if (node.type === "ConditionalExpression") {
    return [...wordsOf(node["consequent"] as Node), ...wordsOf(node["alternate"] as Node)];
  }
  return [];
}
