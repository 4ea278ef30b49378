import { searchWords } from "../../customers/rules.ts";
import { readId } from "../../kit/ids.ts";
import { plainTrackingNumber } from "../shipments/tracking_number.ts";

/** One word of a search, in each form that something is compared with. */
export interface SearchWord {
  /** As the words of customers are kept: all letters small. */
  readonly name: string;
  /** As order numbers and SKUs are compared: A to Z small. */
  readonly code: string;
  /** As tracking numbers are kept. */
  readonly tracking: string;
  /** The order that it names as `ord_1042`, or null. */
  readonly order_id: number | null;
}

/** What is searched for: its words, and all of it as one tracking number that was typed in groups. */
export interface Search {
  readonly words: readonly SearchWord[];
  readonly tracking: string;
}

/** Reads what a user has typed into a search box; null when it is nothing but spaces. */
export function readSearch(q: string): Search | null {
  const words = searchWords(q).map((name, at) => {
    const code = codeOf(q.trim().split(/\s+/)[at] ?? name);
    const order_id = code.startsWith("ord_") ? readId("order", code) : null;
    return { name, code, tracking: plainTrackingNumber(code), order_id };
  });
  return words.length === 0 ? null : { words, tracking: words.map(({ tracking }) => tracking).join("") };
}

/** Only A to Z, as the databases do it: other letters count as they are written. */
const codeOf = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
