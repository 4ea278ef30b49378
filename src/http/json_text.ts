// What the text of JSON shows beyond its value: repeated fields, numbers that would lose digits, syntax errors.
import { type ParseErrorCode, visit } from "jsonc-parser";
import { isExactNumber } from "../kit/exact_number.ts";

/** The places in valid JSON text where a field is given that its object has already: `line_items[0].quantity`. */
export function repeatedFields(text: string): string[] {
  const found = new Set<string>();
  for (const { open, name } of tokensOf(text)) {
    const names = open.at(-1)?.names;
    if (name === null || !names) continue;
    if (names.has(name)) found.add(pathOf(open));
    names.add(name);
  }
  return [...found];
}

// Numbers of up to 15 digits are always exact, so most texts need no closer look.
const longNumber = /[:,[\s]-?(?:[\d.]{16}|[\d.]+[eE])/;

/** The places in valid JSON text, below a field of this name, of numbers that cannot be shown again as they are. */
export function inexactNumbers(text: string, below: string): string[] {
  if (!longNumber.test(text)) return [];
  const found: string[] = [];
  for (const { open, token } of tokensOf(text)) {
    if (!/^[-\d]/.test(token) || isExactNumber(token)) continue;
    if (open.some(({ name }, at) => name === below && at < open.length - 1)) found.push(pathOf(open));
  }
  return found;
}

/** An object or list that is not closed yet, and where in it the text is. */
interface Place {
  /** The names an object has had so far; null for a list. */
  readonly names: Set<string> | null;
  name: string;
  index: number;
}

/** A sign, text or number of JSON; `name` is set when it is the name of a field. */
interface Token {
  readonly token: string;
  readonly open: readonly Place[];
  readonly name: string | null;
}

function* tokensOf(text: string): Iterable<Token> {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|-?\d[\d.eE+-]*/g) ?? [];
  const open: Place[] = [];
  for (const [at, token] of tokens.entries()) {
    const inner = open.at(-1);
    let name: string | null = null;
    if (token === "{") open.push({ names: new Set(), name: "", index: 0 });
    else if (token === "[") open.push({ names: null, name: "", index: 0 });
    else if (token === "}" || token === "]") open.pop();
    else if (token === "," && inner !== undefined) inner.index += 1;
    else if (inner?.names && tokens[at + 1] === ":") {
      name = JSON.parse(token) as string;
      inner.name = name;
    }
    yield { token, open, name };
  }
}

function pathOf(open: readonly Place[]): string {
  return open.reduce((path, { names, name, index }) => {
    if (names === null) return `${path}[${index}]`;
    return path === "" ? name : `${path}.${name}`;
  }, "");
}

/** Where the first syntax error is, counted from 1, and what it is. */
interface Break {
  readonly line: number;
  readonly column: number;
  readonly why: string;
}

// A longer search would delay other requests.
const looked_through_max = 256 << 10;

// By the codes of `ParseErrorCode`, from 1.
const reasons = [
  "JSON knows no such word",
  "this is no number",
  "the name of a field is expected, in double quotes",
  "a value is expected",
  "a colon is expected",
  "a comma is expected",
  "a closing brace is expected",
  "a closing bracket is expected",
  "nothing more is expected",
  "JSON has no comments",
  "JSON has no comments",
  "a text has no closing quote in its line",
  "a number is not complete",
  "an escape needs four hexadecimal digits",
  "there is no such escape",
  "a control character must be written as an escape",
];

/** Finds the first syntax error of a text that is not JSON; null when the text is too long to search. */
export function findBreak(text: string): Break | null {
  if (text.length > looked_through_max) return null;
  let found: Break | null = null;
  const onError = (code: ParseErrorCode, _: number, __: number, line: number, column: number) => {
    found = { line: line + 1, column: column + 1, why: reasons[code - 1] ?? "this is no JSON" };
    throw new Error("the first break is enough");
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch {
    // The first error was found, or the text is nested too deep to be searched.
  }
  return found;
}
