import { createHash } from "node:crypto";

const bytes_max = 32 * 1024 * 1024;

/** Gives the bytes of what `plan` describes: those that are kept, or what `make` makes of it. */
export type RenderCache = (plan: unknown, make: () => Promise<Uint8Array>) => Promise<Uint8Array>;

/**
 * Keeps what was made, up to so many bytes; what was asked for longest ago goes first. Equal plans are one, and made
 * once, however many ask for them at the same time.
 */
export function renderCache(max = bytes_max): RenderCache {
  const kept = new Map<string, Uint8Array>();
  const under_way = new Map<string, Promise<Uint8Array>>();
  let held = 0;
  const keep = (key: string, bytes: Uint8Array) => {
    if (bytes.length > max) return;
    kept.set(key, bytes);
    held += bytes.length;
    for (const [oldest, { length }] of kept) {
      if (held <= max) break;
      kept.delete(oldest);
      held -= length;
    }
  };
  return (plan, make) => {
    const key = createHash("sha256").update(JSON.stringify(plan)).digest("base64");
    const found = kept.get(key);
    if (found !== undefined) {
      // The map keeps the order of insertion: what was just asked for goes to its end.
      kept.delete(key);
      kept.set(key, found);
      return Promise.resolve(found);
    }
    const made = under_way.get(key) ?? make();
    if (!under_way.has(key)) {
      under_way.set(key, made);
      const done = () => under_way.delete(key);
      made.then((bytes) => keep(key, bytes)).then(done, done);
    }
    return made;
  };
}
