// Tenant scope of queries. The handle that a function receives limits the queries it builds to one merchant's records,
// but has no effect on table names in SQL text.
import { isFunction, lineAt, type Node, nameOf, nodesOf, type Source } from "./source.ts";

/** Files that name owned tables in SQL text, and why that respects the scope of one merchant. */
export const reasons: Readonly<Record<string, string>> = {
  "src/floor/picking/waves.sql.ts": "what the order of a wave waits for, by its id",
  "src/inventory/warehouses/bins.sql.ts": "what lies in a bin is the house's to see, whosever it is",
  "src/inventory/counts/counts.sql.ts": "by the id of a product that the query sees",
  "src/inventory/stock/stock_breakdown.sql.ts": "by the id of a product that was found in the scope",
  "src/inventory/ledger/ledger.sql.ts": "by the ids of the stock items of a movement that the query sees",
  "src/inventory/stock/stock_summary.sql.ts": "by the id of a product that the query sees",
  "src/inventory/stock/lots.sql.ts": "by the id of a lot or of its product that the query sees",
  "src/inventory/receiving/restock_tasks.sql.ts": "how full a bin is depends on the units of all merchants",
  "src/inventory/receiving/receipts.sql.ts": "products of the lines of a receipt that the query sees",
  "src/inventory/reservations/reservations.sql.ts": "lines of a reservation that the query sees",
  "src/inventory/stock/stock.sql.ts": "by the id of a product that the query sees",
  "src/inventory/receiving/transfers.sql.ts": "products of the lines of a transfer that the query sees",
  "src/inventory/warehouses/warehouses.sql.ts": "how full a bin is depends on the units of all merchants",
  "src/orders/search/order_filters.sql.ts": "what belongs to an order that the query sees, by its id",
  "src/orders/changes/holds.sql.ts": "goods of an order that is held; a job asks for all merchants",
  "src/orders/search/order_search.sql.ts": "what belongs to an order that the query sees, by its id",
  "src/orders/orders.sql.ts": "the order of a line that was found in the scope",
  "src/reports/today/open_orders.sql.ts": "what belongs to an order that the query sees, by its id",
  "src/reports/today/topics.sql.ts": "records that a row belongs to, by ids, after its own table was narrowed",
  "src/returns/returns.sql.ts": "tracking records of a return's number and of its own merchant",
  "src/webhooks/deliveries/deliveries.sql.ts":
    "the event of a delivery that the query sees; a job asks whether an event waits",
};

// Verifying a store covers the records of all merchants.
const verifies = /_audit\.sql\.ts$|\/audited_rows\.sql\.ts$/;

/** The tables whose rows belong to merchants: those with an owner column. */
function ownedTables(sources: readonly Source[]): ReadonlySet<string> {
  const declared = sources
    .filter(({ file }) => file.startsWith("db/schema/"))
    .flatMap(({ tree }) => nodesOf(tree).filter(({ type }) => type === "VariableDeclarator"));
  return new Set(declared.filter(({ init }) => isOwned(init)).map(({ id }) => nameOf(id)));
}

function isOwned(init: unknown): boolean {
  const call = init as Node | null;
  if (call?.type !== "CallExpression" || nameOf(call["callee"]) !== "table") return false;
  const [, columns] = call["arguments"] as Node[];
  const properties = (columns?.["properties"] ?? []) as Node[];
  return properties.some(({ key }) => nameOf(key) === "merchant_id");
}

/** Owned tables in the SQL text of a file without a reason, and unused reasons. */
export function unseenTables(sources: readonly Source[], given = reasons): string[] {
  const owned = ownedTables(sources);
  const found = new Map<string, string[]>();
  for (const source of sources) {
    const { file, tree } = source;
    if (!file.startsWith("src/") || verifies.test(file)) continue;
    for (const node of nodesOf(tree)) {
      if (node.type !== "TaggedTemplateExpression") continue;
      const { expressions } = node["quasi"] as unknown as { readonly expressions: readonly Node[] };
      for (const table of expressions.filter((part) => owned.has(nameOf(part)))) {
        const line = `${file}:${lineAt(source, table.start)} names ${nameOf(table)} in the text of a query`;
        found.set(file, [...(found.get(file) ?? []), line]);
      }
    }
  }
  const idle = Object.keys(given).filter((file) => !found.has(file));
  return [
    ...[...found].flatMap(([file, lines]) => (Object.hasOwn(given, file) ? [] : lines)),
    ...idle.map((file) => `${file} names no owned table, and needs no reason`),
  ];
}

const drivers = /^(?:bun:sqlite|pg|drizzle-orm\/(?:bun-sqlite|node-postgres)(?:\/.*)?)$/;
const asks = /^(?:from|\w+Join|insert|update|delete|\$count)$/;

/**
 * Queries over owned tables that do not use a handle from a parameter, and files outside storage that open or build
 * queries of their own.
 */
export function loneQueries(sources: readonly Source[]): string[] {
  const owned = ownedTables(sources);
  return sources
    .filter(({ file }) => file.startsWith("src/") && !/^src\/(?:storage|operations\/upgrades)\//.test(file))
    .flatMap((source) => {
      const { file, imports } = source;
      const opened = imports.filter(({ from, only_types }) => drivers.test(from) && !only_types);
      return [
        ...opened.map(({ from }) => `${file} asks the database by ${from}`),
        ...lonely(source.tree, new Set(), owned).map(
          (at) => `${file}:${lineAt(source, at)} asks without a handle that was handed in`,
        ),
      ];
    });
}

/**
 * The positions below a node where an owned table is queried through something that is no parameter of an enclosing
 * function.
 */
function lonely(node: Node, handed: ReadonlySet<string>, owned: ReadonlySet<string>): number[] {
  const known = isFunction(node) ? handedIn(node, handed) : handed;
  const own = node.type === "CallExpression" && asksOwned(node, owned) && !isHanded(node, known) ? [node.start] : [];
  const below = Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]));
  const nodes = below.filter((value): value is Node => typeof (value as Node | null)?.type === "string");
  return [...own, ...nodes.flatMap((child) => lonely(child, known, owned))];
}

/** The parameters of a function, and the same handles in another scope. */
function handedIn(node: Node, handed: ReadonlySet<string>): ReadonlySet<string> {
  const known = new Set([...handed, ...namesIn(node["params"] as Node[])]);
  for (const { type, id, init } of nodesOf(node)) {
    const [root = "", method] = nameOf((init as Node | null)?.["callee"]).split(".");
    if (type === "VariableDeclarator" && method === "scoped" && known.has(root)) known.add(nameOf(id));
  }
  return known;
}

function asksOwned(call: Node, owned: ReadonlySet<string>): boolean {
  const callee = call["callee"] as Node;
  if (callee.type !== "MemberExpression" || !asks.test(nameOf(callee["property"]))) return false;
  const [first] = call["arguments"] as Node[];
  return owned.has(nameOf(first));
}

/** Whether a call chain begins with a parameter or a part of one. */
function isHanded(call: Node, handed: ReadonlySet<string>): boolean {
  let node = call;
  while (node.type === "CallExpression" || node.type === "MemberExpression") {
    const [root = ""] = nameOf(node).split(".");
    if (root !== "") return handed.has(root);
    node = (node.type === "CallExpression" ? node["callee"] : node["object"]) as Node;
  }
  return handed.has(nameOf(node));
}

/** The names that parameters bind, including destructured ones. */
function namesIn(parameters: readonly Node[]): string[] {
  return parameters.flatMap((parameter) =>
    nodesOf(parameter).flatMap((node) => (node.type === "Identifier" ? [nameOf(node)] : [])),
  );
}
