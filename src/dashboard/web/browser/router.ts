import { batch, computed, signal } from "@preact/signals";
import { keepPlace, keptPlace, keptQuery, type PlaceOnScreen, placeOnScreen } from "./kept_places.ts";

/** The query parameter of the merchant that a tab shows. Links keep it. */
export const tab_merchant = "merchant";
/** The query parameter of the merchant that one page is about. Links do not keep it. */
export const page_merchant = "of";

function merchantInAddress(name: string): string | null {
  const found = new URLSearchParams(location.search).get(name);
  return found !== null && /^[A-Z0-9-]{2,12}$/.test(found) ? found : null;
}

/** The code of the merchant that this tab shows; null for all. */
export const merchantOfTab = signal(merchantInAddress(tab_merchant));

/** The code of the merchant that this page is about, for names that several merchants may use, such as a SKU. */
export const merchantOfPage = signal(merchantInAddress(page_merchant));

/** Updates the merchants after the address has changed. */
function readMerchantNames(): void {
  merchantOfTab.value = merchantInAddress(tab_merchant);
  merchantOfPage.value = merchantInAddress(page_merchant);
}

/** The environment that a tab shows. It is part of the address, so links keep it. */
export type TabEnvironment = "live" | "test";

const environmentInAddress = (): TabEnvironment =>
  new URLSearchParams(location.search).get("mode") === "test" ? "test" : "live";

/** The environment that this tab shows. */
export const tabEnvironment = signal<TabEnvironment>(environmentInAddress());

/** Updates the environment after the address has changed. */
function readEnvironment(): void {
  tabEnvironment.value = environmentInAddress();
}

/** The path of the dashboard. */
export const base = "/dashboard";

interface AddressOfScreen {
  /** The path below the dashboard: `/` or `/orders/ord_7`. */
  readonly path: string;
  readonly search: string;
}

const here = (): AddressOfScreen => {
  const below = location.pathname.startsWith(base) ? location.pathname.slice(base.length) : location.pathname;
  return { path: below.replace(/\/$/, "") || "/", search: location.search };
};

/** The address that this tab shows. */
export const place = signal<AddressOfScreen>(here());

/** The query parameters. */
export const query = computed(() => new URLSearchParams(place.value.search));

/** The address of a screen, for `href`. It keeps the tab's environment and merchant. */
export function to(path: string, params: Readonly<Record<string, string | null | undefined>> = {}): string {
  // The server treats a name with an extension as a file, so a dot in a SKU is encoded as %2E.
  const url = new URL(`${base}${path === "/" ? "" : path.replaceAll(".", "%2E")}`, location.origin);
  if (merchantOfTab.value !== null) url.searchParams.set(tab_merchant, merchantOfTab.value);
  if (tabEnvironment.value === "test") url.searchParams.set("mode", "test");
  for (const [name, value] of Object.entries(params)) if (value) url.searchParams.set(name, value);
  return `${url.pathname}${url.search}${url.hash}`;
}

/** The address of a screen as this tab left it, with its search, filters and page. */
export function backTo(path: string): string {
  const isOfTab = (kept: URLSearchParams) =>
    kept.get(tab_merchant) === merchantOfTab.value &&
    (kept.get("mode") === "test") === (tabEnvironment.value === "test");
  return to(path, keptQuery(path, isOfTab));
}

/** An entry of the history, and where the tab was when it left the entry. */
interface HistoryStep extends Partial<PlaceOnScreen> {
  readonly index: number;
}

let index = (history.state as HistoryStep | null)?.index ?? 0;
let scroll_wanted: number | null = null;

/** Whether the last navigation was by a link. The new screen's title then takes the focus. */
export const arrived = { by_link: false };

type Guard = (go: () => void) => boolean;
let active_guard: Guard | null = null;

/** Calls `guard` before a screen is left. It returns whether to stay, and may call `go` later to leave. */
export function guardLeaving(guard: Guard): () => void {
  active_guard = guard;
  return () => {
    if (active_guard === guard) active_guard = null;
  };
}

function follow(): void {
  batch(() => {
    place.value = here();
    readEnvironment();
    readMerchantNames();
  });
}

/** Navigates to an address made by `to`. */
export function navigate(href: string, { replace = false, force = false } = {}): void {
  const url = new URL(href, location.href);
  const leaves = url.pathname !== location.pathname || url.searchParams.get(tab_merchant) !== merchantOfTab.peek();
  if (leaves && !force && active_guard?.(() => navigate(href, { replace, force: true }))) return;
  if (leaves) keepHere();
  if (!replace) {
    history.replaceState({ index, ...placeOnScreen() } satisfies HistoryStep, "");
    index += 1;
  }
  history[replace ? "replaceState" : "pushState"]({ index } satisfies HistoryStep, "", url);
  if (leaves) {
    arrived.by_link = true;
    scroll_wanted = 0;
  }
  follow();
}

/** Changes query parameters of this screen; null removes a parameter. */
export function setQuery(changes: Readonly<Record<string, string | null>>, { replace = true } = {}): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  if (url.href !== location.href) navigate(url.href, { replace });
}

/** Keeps the place on the screen that is shown. */
function keepHere(): void {
  const { path, search } = place.peek();
  keepPlace(path, search);
}

/** Where the user was on this entry of the history, or else when they last left the screen with the same query. */
export function placeBefore(): PlaceOnScreen | null {
  const { scroll, row = null } = (history.state ?? {}) as Partial<HistoryStep>;
  const { path, search } = place.peek();
  return scroll === undefined ? keptPlace(path, search) : { scroll, row };
}

/** Scrolls to where the user was, once the screen is long enough. */
export function scrollBackTo(scroll: number): void {
  scroll_wanted = scroll;
  settleScroll();
}

function onPop(): void {
  const state = history.state as HistoryStep | null;
  const step = (state?.index ?? 0) - index;
  if (step !== 0 && here().path !== place.peek().path && active_guard?.(() => goUnasked(step))) {
    returning = true;
    history.go(-step);
    return;
  }
  if (here().path !== place.peek().path) keepHere();
  index = state?.index ?? 0;
  scroll_wanted = state?.scroll ?? 0;
  arrived.by_link = false;
  follow();
}

let returning = false;

function goUnasked(step: number): void {
  active_guard = null;
  history.go(step);
}

function onClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = (event.target as Element | null)?.closest?.("a");
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.pathname !== base && !link.pathname.startsWith(`${base}/`)) return;
  event.preventDefault();
  navigate(link.href);
}

/** Restores a screen's scroll position once it is long enough. A new screen starts at its top. */
function settleScroll(): void {
  const wanted = scroll_wanted;
  if (wanted === null) return;
  const reachable = document.documentElement.scrollHeight - window.innerHeight;
  if (wanted > reachable + 4) return;
  scroll_wanted = null;
  window.scrollTo(0, wanted);
}

/** Handles links and the back and forward buttons of the browser. */
export function startRouter(): void {
  history.scrollRestoration = "manual";
  if (history.state === null) history.replaceState({ index } satisfies HistoryStep, "");
  window.addEventListener("popstate", () => {
    if (returning) returning = false;
    else onPop();
  });
  window.addEventListener("pagehide", () => {
    keepHere();
    history.replaceState({ index, ...placeOnScreen() } satisfies HistoryStep, "");
  });
  document.addEventListener("click", onClick);
  // Later content, such as the rows of a list, makes the page long enough to scroll.
  new ResizeObserver(settleScroll).observe(document.body);
  for (const touched of ["wheel", "touchstart", "keydown"]) {
    window.addEventListener(touched, () => queueMicrotask(() => (scroll_wanted = null)), { passive: true });
  }
}

/** The parameters of a path by a pattern such as `/orders/:id`, or null if it does not match. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const [wanted, parts] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = parts[at] ?? "";
    if (part.startsWith(":")) params[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return null;
  }
  return params;
}
