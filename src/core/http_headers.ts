import { second_ms } from "./time.ts";

/** A media type or range of an `Accept` header and its quality, from 0 to 1. */
interface AcceptedRange {
  readonly type: string;
  readonly quality: number;
}

/** Reads an `Accept` header; without one, all types are equal. An invalid quality counts as 0. */
export function readAccept(accept: string | null): AcceptedRange[] {
  return (accept ?? "*/*").split(",").map(readAcceptedRange);
}

function readAcceptedRange(text: string): AcceptedRange {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
  return { type, quality: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality) ? Number(quality) : 0 };
}

/** The quality of a media type, from the most specific range that covers it. */
export function acceptQuality(
  type: string,
  accepted: readonly AcceptedRange[],
): { quality: number; exactness: number } {
  const covering = [type, `${type.split("/")[0]}/*`, "*/*"];
  for (const [at, name] of covering.entries()) {
    const found = accepted.find((range) => range.type === name);
    if (found !== undefined) return { quality: found.quality, exactness: covering.length - at };
  }
  return { quality: 0, exactness: 0 };
}

/**
 * Reads a Retry-After header as milliseconds from now: whole seconds, or a date in the current HTTP format (`Sun, 06
 * Nov 1994 08:49:37 GMT`). Null for anything else. A past date means 0.
 */
export function readRetryAfter(value: string | undefined, real_now: number): number | null {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * second_ms;
  const at = Date.parse(text);
  if (Number.isNaN(at) || new Date(at).toUTCString() !== text) return null;
  return Math.max(0, at - real_now);
}
