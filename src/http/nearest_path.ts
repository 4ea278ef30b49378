import { slipsBetween } from "../kit/did_you_mean.ts";

// A longer word is no typing error, and comparing it would be slow.
const letters_max = 100;

/**
 * The path that was most likely meant by an unknown one, or null: `/orders/7/pick-list` for `/order/7/pick_list`.
 * `patterns` are paths below the version, with `:names` of their parameters.
 */
export function nearestPath(path: string, patterns: Iterable<string>): string | null {
  const asked = path.replace(/^(?:\/api)?(?:\/v\d+)?(?=\/)/, "");
  if (asked.length > letters_max) return null;
  const parts = asked.split("/").filter((part) => part !== "");
  let nearest: { readonly path: string; readonly off: number } | null = null;
  for (const pattern of patterns) {
    const off = offBy(parts, pattern.split("/").slice(1));
    if (off !== null && off < (nearest?.off ?? Number.POSITIVE_INFINITY)) nearest = { path: pattern, off };
  }
  if (nearest === null) return null;
  const filled = nearest.path.split("/").slice(1);
  return `/${filled.map((name, at) => (name.startsWith(":") ? parts[at] : name)).join("/")}`;
}

/** How many letters a path differs from a pattern; null when it is unlikely to be a typing error. */
function offBy(parts: readonly string[], names: readonly string[]): number | null {
  if (parts.length === 0 || parts.length !== names.length) return null;
  let off = 0;
  for (const [at, name] of names.entries()) {
    if (name.startsWith(":")) continue;
    const slips = slipsBetween(parts[at] ?? "", name);
    if (slips === null) return null;
    off += slips;
  }
  return off;
}
