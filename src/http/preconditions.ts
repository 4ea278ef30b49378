// Conditional requests: what a client has seen of a resource is named by its version, as a strong entity tag.
import { Fault } from "../kit/fault.ts";
import type { Call } from "./call.ts";

/** The entity tag of a resource as an answer shows it: `"7"` for its version 7; null for what has no version. */
export function entityTag(data: unknown): string | null {
  const version = typeof data === "object" && data !== null && "version" in data ? data.version : null;
  return typeof version === "number" ? `"${version}"` : null;
}

/**
 * Lets a command begin only when the resource is still as the request's `If-Match` says; without that header always.
 * `version` reads it under lock, and refuses when there is no such resource. A weak tag never matches.
 * Refuses: precondition_failed (with the tag that would match), malformed_header.
 */
export async function requireMatch(call: Call, version: () => Promise<number>): Promise<void> {
  const header = call.request.headers.get("if-match");
  if (header === null) return;
  const tags = tagsOf("If-Match", header);
  const etag = `"${await version()}"`;
  if (tags === "*" || tags.includes(etag)) return;
  throw new Fault("precondition_failed", `It has changed: its ETag is ${etag} now. Read it again.`, { etag });
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
