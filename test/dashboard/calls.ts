// The routes that the front end calls, read from its source.
import { childrenOf, literal, type Node, nameOf, nodesOf, type Source } from "../tidy/source.ts";

/** The functions that call the API with a path as their first argument, and their method. */
const callers: Readonly<Record<string, string>> = {
  get: "GET",
  editScreen: "PATCH",
  getDocument: "GET",
  openDocument: "GET",
  recordScreen: "GET",
  saveFile: "GET",
  useOpened: "GET",
  useQuery: "GET",
  post: "POST",
  sendCsv: "POST",
  patch: "PATCH",
  put: "PUT",
  remove: "DELETE",
};
/** The components that read a list from their `path`. */
const listing = /^(?:List|ListPage)$/;

/** A call, with `*` for parts that are known only at run time; `path` is null if nothing is known. */
interface CallOfApi {
  readonly where: string;
  readonly method: string;
  readonly path: string | null;
}

/** The calls of a file of the front end. */
export function callsOf(source: Source): CallOfApi[] {
  const all = nodesOf(source.tree);
  const named = namesOf(all);
  const told = (method: string, node: unknown) =>
    pathsOf(node as Node, named).map((path) => ({ where: source.file, method, path }));
  return all.flatMap((node) => {
    if (node.type === "CallExpression") {
      const name = nameOf(node["callee"]);
      const method = Object.hasOwn(callers, name) ? callers[name] : undefined;
      const [path] = node["arguments"] as Node[];
      return method === undefined || path === undefined ? [] : told(method, path);
    }
    if (node.type === "ObjectExpression") return actOf(node, told);
    if (node.type !== "JSXOpeningElement" || !listing.test(jsxName(node["name"] as Node))) return [];
    return (node["attributes"] as Node[]).flatMap((attribute) =>
      jsxName(attribute["name"] as Node) === "path" ? told("GET", attribute["value"]) : [],
    );
  });
}

/** A request written as an object: `{ method: "POST", path: "/orders" }`. */
function actOf(node: Node, told: (method: string, node: unknown) => CallOfApi[]): CallOfApi[] {
  const fields = new Map((node["properties"] as Node[]).map(({ key, value }) => [nameOf(key), value]));
  const [method, path] = [fields.get("method"), fields.get("path")];
  const word = method === undefined ? null : literal(method as Node);
  return word === null || path === undefined ? [] : told(word, path);
}

const jsxName = (node: Node | undefined) => (node?.type === "JSXIdentifier" ? String(node["name"]) : "");

/** What the constants of a file begin with, by name; all of them where a name is given more than once. */
function namesOf(all: readonly Node[]): ReadonlyMap<string, readonly Node[]> {
  const named = new Map<string, Node[]>();
  const add = (name: string, node: Node) => named.set(name, [...(named.get(name) ?? []), node]);
  for (const { type, id, init, key, typeAnnotation } of all) {
    if (type === "VariableDeclarator" && init) add(nameOf(id), init as Node);
    // What a property may be, where its type lists that: `path: "/a/import" | "/b/import"`.
    if (type !== "TSPropertySignature" || !typeAnnotation) continue;
    const literals = nodesOf(typeAnnotation as Node).filter((one) => literal(one)?.startsWith("/"));
    for (const one of literals) add(`.${nameOf(key)}`, one);
  }
  // Where no type lists it, what the file's objects have for it.
  const told = new Set(named.keys());
  for (const { type, key, value } of all) {
    const name = `.${nameOf(key)}`;
    if (type === "Property" && !told.has(name) && literal(value)?.startsWith("/")) add(name, value as Node);
  }
  return named;
}

function pathsOf(node: Node, named: ReadonlyMap<string, readonly Node[]>, depth = 0): (string | null)[] {
  const inner = (one: unknown) => pathsOf(one as Node, named, depth + 1);
  const text = literal(node);
  if (text !== null) return [text];
  if (node.type === "Literal") return [];
  if (node.type === "TemplateLiteral") {
    const texts = (node["quasis"] as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
    const put = (node["expressions"] as Node[]).map((one) => (named.has(nameOf(one)) ? inner(one)[0] : null) ?? "*");
    return [texts.map((text, at) => text + (put[at] ?? "")).join("")];
  }
  if (node.type === "ConditionalExpression") return [...inner(node["consequent"]), ...inner(node["alternate"])];
  if (node.type === "LogicalExpression") return [...inner(node["left"]), ...inner(node["right"])];
  if (node.type === "JSXExpressionContainer") return childrenOf(node).flatMap(inner);
  const known = named.get(nameOf(node)) ?? named.get(`.${nameOf(node).split(".").at(-1)}`);
  if (known === undefined || depth > 3) return [null];
  return known.flatMap(inner);
}

/** Whether a call reaches a route such as `GET /orders/:id`. */
export function reaches(route: string, { method, path }: CallOfApi): boolean {
  const [of = "", pattern = ""] = route.split(" ");
  if (of !== method || path === null) return false;
  const [wanted, given] = [pattern.split("/"), (path.split("?")[0] ?? "").split("/")];
  return (
    wanted.length === given.length && wanted.every((part, at) => part.startsWith(":") || matches(given[at] ?? "", part))
  );
}

function matches(given: string, part: string): boolean {
  if (!given.includes("*")) return given === part;
  const text = given.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".+");
  return new RegExp(`^${text}$`).test(part);
}
