import { dayText, localTime } from "../../kit/zone.ts";
import type { PaperSize } from "./paper.ts";

/** How a paper is printed: when and where, and on what. */
export interface Print {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The IANA zone in which times are told. */
  readonly timezone: string;
  readonly sheet: PaperSize;
}

/** A moment as a clock of the zone shows it, as in `2026-01-02 14:05`. */
export function localMoment(at: number, timezone: string): string {
  const { day, minute } = localTime(at, timezone);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${dayText(day)} ${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

/** The foot of a paper: what it is and when it was printed, so that the newer of two is known. */
export function footOf(title: string, name: string, { now, timezone }: Print): string {
  return `${title} ${name} · printed ${localMoment(now, timezone)} (${timezone})`;
}
