/** The source of a pattern for one character of any of these scripts, by their Unicode names. */
export function anyOfScripts(...names: readonly string[]): string {
  return `[${names.map((name) => `\\p{Script=${name}}`).join("")}]`;
}
