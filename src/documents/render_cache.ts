import { createHash } from "node:crypto";

const bytes_max = 32 * 1024 * 1024;

/** Returns the cached bytes of `plan`, or those that `make` renders. */
export type RenderCache = (plan: unknown, make: () => Promise<Uint8Array>) => Promise<Uint8Array>;

/**
 * A cache of rendered documents, up to `max` bytes, which drops the least recently used. Concurrent requests for equal
 * plans share one rendering.
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
      // The map keeps the order of insertion: move this entry to the end.
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
