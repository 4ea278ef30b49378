// Rules for sizes, names and docstrings.
import { layerOf } from "./imports.ts";
import { thrownCodes } from "./quarantine.ts";
import {
  childrenOf,
  type Exported,
  exportedFunctions,
  isFunction,
  lineAt,
  type Node,
  nameOf,
  nodesOf,
  type Source,
} from "./source.ts";

const file_lines_max = 500;
const function_lines_max = 70;
const line_characters_max = 120;

/** Files, functions and lines that are too long. A file without a function is data and may have any number of lines. */
export function tooLong(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const { file, text } = source;
    const lines = text.trimEnd().split("\n");
    const functions = functionsOf(source.tree);
    const wide = lines.flatMap((line, at) =>
      line.length > line_characters_max && [...line].length > line_characters_max
        ? [`${file}:${at + 1} has ${[...line].length} characters`]
        : [],
    );
    const long = functions.flatMap((node) => {
      const first = lineAt(source, node.start);
      const count = lineAt(source, node.end) - first + 1;
      return count > function_lines_max ? [`${file}:${first} is a function of ${count} lines`] : [];
    });
    const whole = lines.length > file_lines_max && functions.length > 0 ? [`${file} has ${lines.length} lines`] : [];
    return [...whole, ...long, ...wide];
  });
}

/** All functions below a node, except those that only contain the tests of a `describe`. */
function functionsOf(node: Node, found: Node[] = []): Node[] {
  const inGroup = node.type === "CallExpression" && isGroup(node["callee"] as Node);
  for (const child of childrenOf(node)) {
    if (isFunction(child) && !inGroup) found.push(child);
    functionsOf(child, found);
  }
  return found;
}

/** `describe`, `describe.each(…)`, `describe.skipIf(…)`. */
function isGroup(callee: Node): boolean {
  return callee.type === "CallExpression"
    ? isGroup(callee["callee"] as Node)
    : /^describe(?:InHouse)?(?:\.|$)/.test(nameOf(callee));
}

/** Names of files, functions and types that violate the naming conventions. */
export function oddNames(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const base = source.file.split("/").at(-1) ?? "";
    const file = /^[a-z0-9_]+(?:\.[a-z0-9_]+)*\.tsx?$/.test(base) ? [] : [`${source.file} is not in snake_case`];
    if (!source.file.startsWith("src/")) return file;
    const functions = exportedFunctions(source).filter(({ name }) => !/^[A-Za-z][A-Za-z0-9]*$/.test(name));
    const types = nodesOf(source.tree).flatMap(({ type, id }) =>
      /^(?:TSInterfaceDeclaration|TSTypeAliasDeclaration|ClassDeclaration)$/.test(type) ? [nameOf(id)] : [],
    );
    const vague = /(?:Manager|Helper|Util|Utils)$/;
    const odd = types.filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name) || vague.test(name));
    return [...file, ...[...functions.map(({ name }) => name), ...odd].map((name) => `${source.file} names ${name}`)];
  });
}

const isProse = (text: string) => /^[^a-z].*\.\)?$/.test(text);
const contract = /\b(Refuses|Emits):/;

/**
 * Exported functions of the server whose docstring is missing or not a full sentence. Names of components are enough.
 */
export function undocumented(sources: readonly Source[]): string[] {
  return sources
    .filter(({ file }) => file.startsWith("src/") && !file.startsWith("src/dashboard/web/"))
    .flatMap((source) =>
      exportedFunctions(source)
        .filter(({ docstring }) => !isProse(docstring.split(contract)[0]?.trim() || docstring))
        .map(
          ({ name, docstring }) => `${source.file}: ${name} ${docstring ? "needs full sentences" : "has no docstring"}`,
        ),
    );
}

export interface Tables {
  readonly codes: readonly string[];
  readonly events: readonly string[];
}

/** The first words of the list after `Refuses:` or `Emits:`, without their explanations. */
function listed(docstring: string, title: "Refuses" | "Emits"): string[] {
  const parts = docstring.split(contract);
  const lists = parts.filter((_, at) => parts[at - 1] === title);
  return lists.flatMap((list) =>
    list
      .replace(/\([^)]*\)/g, "")
      .split(/,|\.(?:\s|$)/)
      .map(
        (item) =>
          item
            .trim()
            .replace(/^(?:and|or) /, "")
            .split(" ")[0]
            ?.replaceAll("`", "") ?? "",
      )
      .filter((word) => /^[a-z]+(?:[_.][a-z]+)+$/.test(word) || /^(?:unavailable)$/.test(word)),
  );
}

/** An act receives the transaction in which it writes. */
const isAct = ({ node }: Exported) => nameOf((node["params"] as Node[])[0]) === "tx";

/** Contracts of acts that name an unknown code or event type, or omit a code that they throw. */
export function brokenContracts(sources: readonly Source[], { codes, events }: Tables): string[] {
  return sources
    .filter(({ file }) => file.startsWith("src/") && layerOf(file) === "plain")
    .flatMap((source) =>
      exportedFunctions(source)
        .filter(isAct)
        .flatMap(({ name, node, docstring }) => {
          const [refuses, emits] = [listed(docstring, "Refuses"), listed(docstring, "Emits")];
          const problems = [
            ...refuses.filter((code) => !codes.includes(code)).map((code) => `refuses ${code}, which is no code`),
            ...emits.filter((type) => !events.includes(type)).map((type) => `emits ${type}, which is no event type`),
            ...thrownCodes(node)
              .filter((code) => !refuses.includes(code))
              .map((code) => `throws ${code} unsaid`),
          ];
          return problems.map((problem) => `${source.file}: ${name} ${problem}`);
        }),
    );
}
