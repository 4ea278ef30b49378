import { signal } from "@preact/signals";

/** The current time in milliseconds, updated every half minute so that texts like "3 minutes ago" stay true. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 30_000);

/** Today's date by the device's clock, such as `2026-01-02`. */
export function today(): string {
  const at = new Date();
  const two = (value: number) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** How far this device's clock is ahead of a time of now (ms), in minutes. */
export const minutesAhead = (at: number): number => Math.round((Date.now() - at) / 60_000);
