// Where a tab was on each screen, so that lists keep their place when the user returns. Lasts as long as the tab.
import { isTexts, keepInTab, keptInTab } from "./preferences.ts";

/** Where a tab is on a screen. */
export interface PlaceOnScreen {
  readonly scroll: number;
  /** The focused row; null if none. */
  readonly row: string | null;
}

/** Where a tab was on a screen when it left. */
interface KeptPlace extends PlaceOnScreen {
  /** Its query, such as `?status=pending&page=2`. */
  readonly search: string;
}

const isKeptPlace = (value: unknown): value is KeptPlace =>
  typeof value === "object" && value !== null && "search" in value && "scroll" in value && "row" in value;

/** Where the tab is now. */
export function placeOnScreen(): PlaceOnScreen {
  const row = document.activeElement?.closest<HTMLElement>("[data-id]")?.dataset["id"] ?? null;
  return { scroll: window.scrollY, row };
}

/** Keeps where the tab is on a screen that it leaves. */
export function keepPlace(path: string, search: string): void {
  keepInTab(`place.${path}`, { search, ...placeOnScreen() } satisfies KeptPlace);
}

/** The parameters in a fixed order, so that equal addresses are equal texts. */
function sorted(search: string): string {
  const params = new URLSearchParams(search);
  params.sort();
  return params.toString();
}

/** Where the tab was on a screen, if it had the same query; else null. */
export function keptPlace(path: string, search: string): KeptPlace | null {
  const kept = keptInTab(`place.${path}`);
  return isKeptPlace(kept) && sorted(kept.search) === sorted(search) ? kept : null;
}

/** The query of a screen when the tab left it, in the same environment and for the same merchant. */
export function keptQuery(path: string, isOfTab: (query: URLSearchParams) => boolean): Record<string, string> {
  const kept = keptInTab(`place.${path}`);
  const query = new URLSearchParams(isKeptPlace(kept) ? kept.search : "");
  return isOfTab(query) ? Object.fromEntries(query) : {};
}

/** Keeps the selected rows of a list. `of` says which rows the list shows. */
export function keepSelection(list: string, of: string, chosen: readonly string[]): void {
  keepInTab(`chosen.${list}`, [of, ...chosen]);
}

/** The rows that are selected in a list which shows the same rows. */
export function keptSelection(list: string, of: string): readonly string[] {
  const kept = keptInTab(`chosen.${list}`);
  return isTexts(kept) && kept[0] === of ? kept.slice(1) : [];
}

/** Removes rows from the kept selection of a list, such as orders that have shipped. */
export function unselect(list: string, done: readonly string[]): void {
  const kept = keptInTab(`chosen.${list}`);
  if (isTexts(kept)) keepInTab(`chosen.${list}`, [kept[0] ?? "", ...kept.slice(1).filter((id) => !done.includes(id))]);
}
