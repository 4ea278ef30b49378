// Dependencies that may be used only in their own place. Everywhere else they are passed in.
import { childrenOf, literal, type Node, nameOf, nodesOf, type Source } from "./source.ts";

interface Rule {
  readonly what: string;
  readonly packages?: RegExp;
  /** Whether a syntax node uses it. */
  readonly touches?: (node: Node) => boolean;
  readonly allowed: RegExp;
}

const calls = (node: Node, name: RegExp) => node.type === "CallExpression" && name.test(nameOf(node["callee"]));
const names = (node: Node, name: RegExp) => node.type === "MemberExpression" && name.test(nameOf(node));
const empty = (node: Node) => (node["arguments"] as unknown[]).length === 0;
const makesNow = (node: Node) => node.type === "NewExpression" && nameOf(node["callee"]) === "Date" && empty(node);

const rules: readonly Rule[] = [
  {
    what: "elysia",
    packages: /^elysia(?:\/|$)|^@elysia/,
    allowed: /^src\/(?:http\/|server\/|(?:\w+\/)+\w+\.routes\.ts)/,
  },
  {
    what: "the database",
    packages: /^drizzle-orm(?:\/|$)|^pg$|^bun:sqlite$/,
    allowed: /^(?:db\/|src\/storage\/|src\/operations\/upgrades\/|src\/(?:\w+\/)+\w+\.sql\.ts)/,
  },
  { what: "croner", packages: /^croner$/, allowed: /^src\/server\/scheduler\.ts$/ },
  {
    what: "flags or the environment",
    packages: /^(?:node:)?process$/,
    touches: (node) =>
      names(node, /^(?:globalThis\.)?(?:process|Bun)\.(?:env|argv)$|^import\.meta\.env$/) || calls(node, /^parseArgs$/),
    allowed: /^src\/core\/(?:config|flags)\.ts$/,
  },
  {
    what: "the wall clock",
    touches: (node) => calls(node, /^Date(?:\.now)?$|^Temporal\.Now\./) || makesNow(node),
    allowed: /^src\/(?:core\/clock|dashboard\/web\/components\/now)\.ts$/,
  },
  {
    what: "chance",
    touches: (node) => names(node, /^Math\.random$|(?:^|\.)randomUUID(?:v\d)?$/) || calls(node, /^randomUUID(?:v\d)?$/),
    allowed: /^src\/(?:core|storage)\//,
  },
  {
    what: "the network",
    packages: /^node:https?$/,
    touches: (node) => calls(node, /^(?:(?:globalThis|Bun)\.)?fetch$|^(?:net|tls|Bun)\.(?:connect|createConnection)$/),
    allowed: /^src\/(?:server\/listener\.ts|outbound\/|dashboard\/web\/api\/client\.ts)/,
  },
  {
    what: "a stream of events",
    touches: (node) => node.type === "NewExpression" && nameOf(node["callee"]) === "EventSource",
    allowed: /^src\/dashboard\/web\/api\/live\.ts$/,
  },
  {
    what: "what a browser keeps",
    touches: (node) => names(node, /^(?:window\.)?(?:local|session)Storage\.\w+$/),
    allowed: /^src\/dashboard\/web\/browser\/preferences\.ts$/,
  },
  {
    what: "the console",
    touches: (node) => names(node, /^console\.\w+$/),
    allowed: /^src\/(?:main\.ts|cli\/command\.ts|core\/log\.ts)$/,
  },
];

/** Files of the service that use the outside world in the wrong place. */
export function escapes(sources: readonly Source[]): string[] {
  return sources
    .filter(({ file }) => /^(?:src|db)\//.test(file))
    .flatMap((source) => {
      const nodes = nodesOf(source.tree);
      const touched = ({ packages, touches, allowed }: Rule) =>
        !allowed.test(source.file) &&
        (source.imports.some(({ from }) => packages?.test(from)) || nodes.some((node) => touches?.(node)));
      return rules.filter(touched).map(({ what }) => `${source.file} touches ${what}`);
    });
}

// Tests read responses of any shape. The shape of a response is checked against its route's schema.
const answer_files: readonly string[] = [
  "test/build/service.ts",
  "test/flows/service.ts",
  "test/server/openapi/story/record_example.ts",
];

/** Files that use `any`, except those that return responses to tests. */
export function anything(sources: readonly Source[]): string[] {
  return sources
    .filter(({ file }) => !answer_files.includes(file))
    .filter(({ tree }) => nodesOf(tree).some(({ type }) => type === "TSAnyKeyword"))
    .map(({ file }) => file);
}

/** The codes that a function itself throws: `throw new Fault("code", …)` and the two shorthands for common codes. */
export function thrownCodes(node: Node): string[] {
  const shorthands: Record<string, string> = { invalid: "validation_failed", missing: "resource_missing" };
  const codeOf = (made: Node) => {
    const name = nameOf(made["callee"]);
    if (made.type === "NewExpression") return name === "Fault" ? literal((made["arguments"] as Node[])[0]) : null;
    return made.type === "CallExpression" ? (shorthands[name] ?? null) : null;
  };
  const thrown = nodesOf(node).filter(({ type }) => type === "ThrowStatement");
  return [...new Set(thrown.flatMap(childrenOf).flatMap((made) => codeOf(made) ?? []))].sort();
}
