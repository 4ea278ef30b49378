// Conditional requests: what a client has seen of a resource is named by its version, as a strong entity tag.
import { createHash } from "node:crypto";
import { Fault } from "../kit/fault.ts";
import type { Call } from "./call.ts";

const version_of = Symbol("version");

/** Gives a view that shows no version of its own one by what it shows: the same as long as nothing of it changes. */
export function versioned<View extends object>(view: View): View & { readonly [version_of]: string } {
  const digest = createHash("sha256").update(JSON.stringify(view)).digest("base64url").slice(0, 22);
  return { ...view, [version_of]: digest };
}

/** The entity tag of a resource as an answer shows it: `"7"` for its version 7; null for what has no version. */
export function entityTag(data: unknown): string | null {
  if (typeof data !== "object" || data === null) return null;
  if (version_of in data) return `"${data[version_of]}"`;
  return "version" in data && typeof data.version === "number" ? `"${data.version}"` : null;
}

const matched = new WeakSet<Request>();

/**
 * Lets a command begin only when the resource is still as the request's `If-Match` says; without that header always.
 * `resource` reads it under lock, or at least its version, and refuses when there is no such resource. A weak tag never
 * matches. Refuses: precondition_failed (with the tag that would match), malformed_header.
 */
export async function requireMatch(call: Call, resource: () => Promise<object>): Promise<void> {
  const header = call.request.headers.get("if-match");
  if (header === null) return;
  matched.add(call.request);
  const tags = tagsOf("If-Match", header);
  const etag = entityTag(await resource());
  if (tags === "*" || (etag !== null && tags.includes(etag))) return;
  throw new Fault("precondition_failed", `It has changed: its ETag is ${etag} now. Read it again.`, { etag });
}

/**
 * Refuses a change on condition by a route that knows no condition: the client counts on it.
 * Refuses: malformed_header.
 */
export function refuseUnmatched({ request }: Call): void {
  if (!request.headers.has("if-match") || matched.has(request)) return;
  throw new Fault("malformed_header", "If-Match is not possible here: what changes has no ETag. Nothing was done.");
}

/** Whether the client holds this answer already, as its `If-None-Match` says. Refuses: malformed_header. */
export function isKnown(call: Call, etag: string): boolean {
  const header = call.request.headers.get("if-none-match");
  if (header === null) return false;
  const tags = tagsOf("If-None-Match", header);
  return tags === "*" || tags.some((tag) => tag.replace(/^W\//, "") === etag);
}

const one = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const list = new RegExp(`^${one}(?:[ \\t]*,[ \\t]*${one})*$`);

function tagsOf(name: string, header: string): "*" | string[] {
  if (header === "*") return header;
  if (!list.test(header)) throw new Fault("malformed_header", `${name} must be *, or tags in quotes such as "7".`);
  return header.match(new RegExp(one, "g")) ?? [];
}
