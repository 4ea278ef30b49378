// The global search of the palette.
import { get } from "../api/client.ts";
import type { FoundEverywhere, FoundHit } from "../api/types.ts";
import { navigate, to } from "../browser/router.ts";
import { stateWords } from "../kit/badge.tsx";
import type { IconName } from "../kit/icon.tsx";
import { searchTexts } from "../texts/order_list.ts";
import type { Finder } from "./palette.tsx";

const icons: Readonly<Record<FoundHit["type"], IconName>> = {
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

/** The screen that shows a hit: its own, or that of the record which it belongs to. */
function pathOf({ type, id, of }: FoundHit): string {
  switch (type) {
    case "parcel":
    case "label":
      return of === null ? "/orders" : `/${of.type}s/${of.id}`;
    case "bin":
      return `/bins/${of?.id ?? ""}/${encodeURIComponent(id)}`;
    default:
      return `/${type}s/${id}`;
  }
}

/** Finds records by what was typed or scanned. */
export const findEverywhere: Finder = async (typed, signal) => {
  const { data } = await get<FoundEverywhere>("/search", { params: { q: typed, limit: 4 }, signal });
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
