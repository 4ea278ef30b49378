// Conditional requests: what a client has seen of a resource is named by a strong entity tag. That is the version of
// its record, "7", where it shows nothing else; where it shows what others or the clock change beside the record, a
// digest of that goes with it: "7-2mgqk1x0c4f9e".
import { Fault } from "../core/faults.ts";
import type { Call } from "./call.ts";

// Beside the views, not in them: what a view carries that is no JSON makes writing it as text twice as slow.
const tags = new WeakMap<object, string>();

/**
 * Gives a view that shows more than its record a tag that is the same only as long as nothing of it changes: by the
 * record's version, null where nobody counts one, and by what else it shows, which is the whole view unless told. The
 * tag is this object's: a copy of it has none.
 */
export function tagged<View extends object>(view: View, version: number | null, shown: unknown = view): View {
  const digest = Bun.hash(JSON.stringify(shown)).toString(36);
  tags.set(view, version === null ? `"${digest}"` : `"${version}-${digest}"`);
  return view;
}

/** The entity tag of a resource as an answer shows it; null for what has no version and was given no tag. */
export function entityTag(data: unknown): string | null {
  if (typeof data !== "object" || data === null) return null;
  const tag = tags.get(data);
  if (tag !== undefined) return tag;
  return "version" in data && typeof data.version === "number" ? `"${data.version}"` : null;
}

const matched = new WeakSet<Request>();

/**
 * Lets a command begin only when the resource is still as the request's `If-Match` says; without that header always.
 * `resource` reads it under lock, as its GET shows it, or its record where that is all that it shows, and refuses when
 * there is no such resource. The version alone matches, too, whatever else has changed: `"7"` for `"7-2mgqk1x0c4f9e"`.
 * A weak tag never matches. Refuses: precondition_failed (with the tag that would match), malformed_header.
 */
export async function requireMatch(call: Call, resource: () => Promise<object>): Promise<void> {
  const header = call.request.headers.get("if-match");
  if (header === null) return;
  matched.add(call.request);
  const given = tagsOf("If-Match", header);
  const etag = entityTag(await resource());
  if (given === "*" || (etag !== null && (given.includes(etag) || given.includes(versionOf(etag))))) return;
  throw new Fault("precondition_failed", `It has changed: its ETag is ${etag} now. Read it again.`, { etag });
}

/** The tag that names the version of a record, whatever else the resource shows. */
const versionOf = (etag: string) => etag.replace(/-.*/, '"');

/**
 * Refuses a change on condition by a route that knows no condition: the client counts on it.
 * Refuses: malformed_header.
 */
export function refuseUnmatched({ request }: Call): void {
  if (!request.headers.has("if-match") || matched.has(request)) return;
  throw new Fault("malformed_header", "This operation does not support If-Match. Nothing was done.");
}

/** Whether the client holds this answer already, as its `If-None-Match` says. Refuses: malformed_header. */
export function isKnown(call: Call, etag: string): boolean {
  const header = call.request.headers.get("if-none-match");
  if (header === null) return false;
  const given = tagsOf("If-None-Match", header);
  return given === "*" || given.some((tag) => tag.replace(/^W\//, "") === etag);
}

const one = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const list = new RegExp(`^${one}(?:[ \\t]*,[ \\t]*${one})*$`);

function tagsOf(name: string, header: string): "*" | string[] {
  if (header === "*") return header;
  if (!list.test(header)) throw new Fault("malformed_header", `${name} must be *, or tags in quotes such as "7".`);
  return header.match(new RegExp(one, "g")) ?? [];
}
