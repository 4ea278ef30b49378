const second_ms = 1000;

/**
 * Reads a Retry-After header as milliseconds from now: whole seconds, or a date in the one form that HTTP still writes
 * (`Sun, 06 Nov 1994 08:49:37 GMT`). Null for anything else. A date that has passed means 0.
 */
export function readRetryAfter(value: string | undefined, real_now: number): number | null {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * second_ms;
  const at = Date.parse(text);
  if (Number.isNaN(at) || new Date(at).toUTCString() !== text) return null;
  return Math.max(0, at - real_now);
}
