import { signal } from "@preact/signals";

/** The time as this page shows it, in milliseconds, a step each half minute: what says "3 minutes ago" stays true. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 30_000);

/** The date of today by the person's own clock, `2026-01-02`. */
export function today(): string {
  const at = new Date();
  const two = (value: number) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
