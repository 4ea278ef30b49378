// Conditional requests. A strong entity tag identifies the state of a resource that a client has seen. It is the
// revision of its record, "7", or the revision and a digest, "7-2mgqk1x0c4f9e", if the resource shows more than the
// record.
import { Fault } from "../core/faults.ts";
import type { Call } from "./call.ts";

// Kept outside the views: a view with a non-JSON property takes twice as long to serialize.
const tags = new WeakMap<object, string | null>();

/**
 * Attaches an entity tag to a view that shows more than its record: the record's revision (null when it has none) and a
 * digest of what else is shown, by default the whole view. The tag belongs to this object; a copy has none.
 */
export function tagged<View extends object>(view: View, revision: number | null, shown: unknown = view): View {
  const digest = Bun.hash(JSON.stringify(shown)).toString(36);
  tags.set(view, revision === null ? `"${digest}"` : `"${revision}-${digest}"`);
  return view;
}

// Views whose `If-Match` compares only the revision.
const by_revision = new WeakSet<object>();

/** As `tagged`, for a view whose part `shown` changes without an edit: `If-Match` compares only the revision. */
export function taggedByRevision<View extends object>(view: View, revision: number, shown: unknown): View {
  by_revision.add(view);
  return tagged(view, revision, shown);
}

/**
 * Marks a view as only a part of a resource, or as one with other records: it has no tag, since the record's revision
 * does not identify it.
 */
export function untagged<View extends object>(view: View): View {
  tags.set(view, null);
  return view;
}

/** The entity tag of a resource as shown in a response; null when it has neither a revision nor a tag. */
export function entityTag(data: unknown): string | null {
  if (typeof data !== "object" || data === null) return null;
  const tag = tags.get(data);
  if (tag !== undefined) return tag;
  return "revision" in data && typeof data.revision === "number" ? `"${data.revision}"` : null;
}

const matched = new WeakSet<Request>();

/**
 * Lets a command start only if the resource still matches the request's `If-Match`; without that header, always.
 * `resource` reads it under lock, as its GET shows it (or just its record if that is all it shows), and refuses if it
 * does not exist. The revision alone also matches, whatever else has changed: `"7"` matches `"7-2mgqk1x0c4f9e"`. A weak
 * tag never matches.
 * Refuses: precondition_failed (with the tag that would match), malformed_header.
 */
export async function requireMatch(call: Call, resource: () => Promise<object>): Promise<void> {
  const header = call.request.headers.get("if-match");
  if (header === null) return;
  matched.add(call.request);
  const client_tags = tagsOf("If-Match", header);
  const found = await resource();
  const etag = entityTag(found);
  const compared = client_tags !== "*" && by_revision.has(found) ? client_tags.map(versionOf) : client_tags;
  if (compared === "*" || (etag !== null && (compared.includes(etag) || compared.includes(versionOf(etag))))) return;
  throw new Fault("precondition_failed", `The record has changed: its ETag is now ${etag}. Read it again.`, { etag });
}

/** The tag of a record's revision alone. */
const versionOf = (etag: string) => etag.replace(/-.*/, '"');

/**
 * Refuses `If-Match` on a route that did not check it: the client relies on the condition.
 * Refuses: malformed_header.
 */
export function refuseUnmatched({ request }: Call): void {
  if (!request.headers.has("if-match") || matched.has(request)) return;
  throw new Fault("malformed_header", "This operation does not support If-Match. Nothing was changed.");
}

/** Whether the client already has this response, according to `If-None-Match`. Refuses: malformed_header. */
export function isKnown(call: Call, etag: string): boolean {
  const header = call.request.headers.get("if-none-match");
  if (header === null) return false;
  const client_tags = tagsOf("If-None-Match", header);
  return client_tags === "*" || client_tags.some((tag) => tag.replace(/^W\//, "") === etag);
}

const one = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const list = new RegExp(`^${one}(?:[ \\t]*,[ \\t]*${one})*$`);

function tagsOf(name: string, header: string): "*" | string[] {
  if (header === "*") return header;
  if (!list.test(header)) throw new Fault("malformed_header", `${name} must be * or quoted tags such as "7".`);
  return header.match(new RegExp(one, "g")) ?? [];
}
