/** The places in valid JSON text where a field is given that its object has already: `line_items[0].quantity`. */
export function repeatedFields(text: string): string[] {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g) ?? [];
  const found = new Set<string>();
  const open: Place[] = [];
  for (const [at, token] of tokens.entries()) {
    const inner = open.at(-1);
    if (token === "{") open.push({ names: new Set(), name: "", index: 0 });
    else if (token === "[") open.push({ names: null, name: "", index: 0 });
    else if (token === "}" || token === "]") open.pop();
    else if (token === "," && inner !== undefined) inner.index += 1;
    else if (inner?.names && tokens[at + 1] === ":") {
      inner.name = JSON.parse(token) as string;
      if (inner.names.has(inner.name)) found.add(pathOf(open));
      inner.names.add(inner.name);
    }
  }
  return [...found];
}

/** An object or list that is not closed yet, and where in it the text is. */
interface Place {
  /** The names an object has had so far; null for a list. */
  readonly names: Set<string> | null;
  name: string;
  index: number;
}

function pathOf(open: readonly Place[]): string {
  return open.reduce((path, { names, name, index }) => {
    if (names === null) return `${path}[${index}]`;
    return path === "" ? name : `${path}.${name}`;
  }, "");
}
