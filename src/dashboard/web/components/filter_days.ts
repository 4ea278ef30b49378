// Days that links and saved views name by a word, so that they stay true.
import type { Params } from "../api/client.ts";
import { now } from "./now.ts";

const days: ReadonlyMap<unknown, number> = new Map([
  ["today", 0],
  ["tomorrow", 1],
]);

/** Whether a filter's value is such a word. */
export const isDayWord = (value: unknown) => days.has(value);

/** The start of the day that a word names, by the clock and time zone of this device. Other values stay as they are. */
export function timeOf(value: string): string {
  const later = days.get(value);
  if (later === undefined) return value;
  const day = new Date(now.value);
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() + later);
  return day.toISOString();
}

/** The parameters of a request, with times in place of such words in filters by time. */
export function withTimes<Given extends Params>(params: Given): Given {
  const isWord = ([name, value]: [string, unknown]) => /_(?:after|before)$/.test(name) && isDayWord(value);
  const times = Object.entries(params).filter(isWord);
  return { ...params, ...Object.fromEntries(times.map(([name, word]) => [name, timeOf(String(word))])) };
}
