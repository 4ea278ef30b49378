import { signal } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { get } from "../api/client.ts";
import { ownerOf } from "../api/merchants.ts";
import type { SearchHit, SearchResults } from "../api/types.ts";
import { navigate, to } from "../browser/router.ts";
import { MerchantMark } from "../components/badge.tsx";
import { Icon, type IconName } from "../components/icon.tsx";
import { groupOf, listed, maySee } from "../components/screen.ts";
import { searchTexts } from "../text/order_list.ts";
import { shellTexts } from "../text/shell.ts";
import { stateWords } from "../text/states.ts";

/** An entry of the palette. */
interface PaletteOffer {
  readonly title: string;
  readonly note?: string;
  /** More words that find it in a search, besides its title and note. */
  readonly keywords?: readonly string[];
  readonly icon: IconName;
  /** The record that it leads to, if it belongs to one of several merchants. */
  readonly owned?: object;
  readonly group: string;
  /** Whether its number or code equals the typed text. */
  readonly exact?: boolean;
  readonly run: () => void;
}

/** Searches for the typed text. Called for each change; `signal` aborts an outdated search. */
type Finder = (typed: string, signal: AbortSignal) => Promise<readonly PaletteOffer[]>;

const shown = signal(false);
const finders: Finder[] = [];

/** The command palette. */
export const palette = {
  open: () => {
    shown.value = true;
  },
  /** Adds a source of results. */
  addFinder: (finder: Finder) => {
    finders.push(finder);
  },
};

const screenOffers = (): PaletteOffer[] =>
  listed.screens
    .filter((screen) => screen.listed !== "" && maySee(screen))
    .map((screen) => {
      const { path, title, section, key, keywords = [] } = screen;
      const { title: within, icon = "page" } = listed.sections.find(({ id }) => id === section) ?? {};
      const above = [within === title ? undefined : within, groupOf(screen)?.title];
      const note = [...above, key && `g ${key}`].filter(Boolean).join(" · ");
      return { title, note, keywords, icon, group: shellTexts.screens, run: () => navigate(to(path)) };
    });

/** How well an entry matches all typed words: the earlier they occur, the better. */
function rank({ title, note = "", keywords = [] }: PaletteOffer, typed: string): number {
  const text = [title, note, ...keywords].join(" ").toLowerCase();
  let sum = 0;
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = text.indexOf(word);
    if (at < 0) return -1;
    sum += at === 0 || text[at - 1] === " " ? 0 : 10;
    sum += at / 100;
  }
  return sum;
}

const matching = (offers: readonly PaletteOffer[], typed: string) =>
  offers
    .map((offer) => ({ offer, order: rank(offer, typed) }))
    .filter(({ order }) => order >= 0)
    .sort((one, other) => one.order - other.order)
    .map(({ offer }) => offer);

const ask = async (typed: string, signal: AbortSignal): Promise<readonly PaletteOffer[]> => {
  const all = await Promise.all(finders.map((finder) => finder(typed.trim(), signal).catch(() => [])));
  return all.flat();
};

/** The results of the finders and the text they belong to; `now` searches without a pause. */
function useFound(typed: string) {
  const [found, setFound] = useState<{ readonly of: string; readonly offers: readonly PaletteOffer[] }>({
    of: "",
    offers: [],
  });
  const now = async (signal = new AbortController().signal) => {
    const offers = typed.trim().length < found_from ? [] : await ask(typed, signal);
    if (!signal.aborted) setFound({ of: typed, offers });
    return offers;
  };
  useEffect(() => {
    const aborting = new AbortController();
    const timer = setTimeout(() => void now(aborting.signal), 120);
    return () => {
      clearTimeout(timer);
      aborting.abort();
    };
  }, [typed]);
  return { ...found, now };
}

const found_from = 2;

/** The dialog of the palette. */
export function Palette() {
  return shown.value ? <OpenPalette /> : null;
}

function OpenPalette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const found = useFound(typed);
  const known = matching(screenOffers(), typed);
  const offers = [...found.offers, ...known].slice(0, 50);
  const close = () => {
    shown.value = false;
  };
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => setAt(0), [typed]);
  useEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" }), [at]);
  const choose = (offer: PaletteOffer | undefined) => {
    if (offer === undefined) return;
    dialog.current?.close();
    offer.run();
  };
  // A scanner sends Enter before the results arrive, so a single exact hit is opened when it does. A user who types
  // fast means a screen or an action in the list, and never a result that was not shown yet.
  const enter = async () => {
    const isBehind = found.of !== typed && typed.trim().length >= found_from;
    const exact = (isBehind ? await found.now() : found.offers).filter((offer) => offer.exact);
    if (at === 0 && exact.length === 1) choose(exact[0]);
    else choose(isBehind ? known[0] : offers[at]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((offers.length + at + step) % Math.max(1, offers.length));
    else if (event.key === "Enter") void enter();
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label={shellTexts.palette} onClose={close} onClick={closeOutside}>
      <div class="palette-field">
        <Icon name="search" size={18} />
        <input
          type="text"
          role="combobox"
          aria-label={shellTexts.palette}
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={offers.length > 0 ? `${id}-${at}` : undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder={shellTexts.paletteHint}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <kbd>Esc</kbd>
      </div>
      <Offers id={id} offers={offers} at={at} onPoint={setAt} onChoose={choose} />
      {offers.length === 0 && <p class="palette-nothing">{shellTexts.paletteNothing}</p>}
    </dialog>
  );
}

function closeOutside(event: MouseEvent): void {
  if (event.target === event.currentTarget) (event.currentTarget as HTMLDialogElement).close();
}

interface OffersProps {
  readonly id: string;
  readonly offers: readonly PaletteOffer[];
  readonly at: number;
  readonly onPoint: (at: number) => void;
  readonly onChoose: (offer: PaletteOffer) => void;
}

function Offers({ id, offers, at, onPoint, onChoose }: OffersProps) {
  return (
    <div id={id} role="listbox" aria-label={shellTexts.palette} class="palette-list" tabIndex={-1}>
      {offers.map((offer, index) => (
        <div
          key={[offer.group, offer.title, offer.note, offer.owned && ownerOf(offer.owned)].join(" ")}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          class="palette-offer"
          onMouseMove={() => onPoint(index)}
          onClick={() => onChoose(offer)}
        >
          <Icon name={offer.icon} />
          <span>{offer.title}</span>
          {offer.owned && <MerchantMark of={ownerOf(offer.owned)} />}
          <small>{offer.note}</small>
        </div>
      ))}
    </div>
  );
}

const icons: Readonly<Record<SearchHit["type"], IconName>> = {
  order: "cart",
  parcel: "truck",
  label: "tag",
  return: "return",
  product: "tag",
  lot: "stack",
  bin: "box",
  customer: "customers",
  receipt: "receive",
  transfer: "truck",
  count: "clipboard",
};

/** The screen of a hit: its own, or that of its parent record. */
function pathOf({ type, id, parent }: SearchHit): string {
  switch (type) {
    case "parcel":
    case "label":
      return parent === null ? "/orders" : `/${parent.type}s/${parent.id}`;
    case "bin":
      return `/bins/${parent?.id ?? ""}/${encodeURIComponent(id)}`;
    default:
      return `/${type}s/${id}`;
  }
}

/** Finds records by typed or scanned text. */
export const findEverywhere: Finder = async (typed, signal) => {
  const { data } = await get<SearchResults>("/search", { params: { q: typed, limit: 4 }, signal });
  return data.results.map((hit) => ({
    title: hit.title,
    owned: hit,
    note: [searchTexts.types[hit.type], hit.subtitle, hit.state === null ? "" : stateWords(hit.state)]
      .filter((part) => part !== "")
      .join(" · "),
    icon: icons[hit.type],
    group: searchTexts.types[hit.type],
    exact: hit.match === "exact",
    run: () => navigate(to(pathOf(hit))),
  }));
};
