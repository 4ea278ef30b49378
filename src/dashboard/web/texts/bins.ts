import { count, plural, share } from "./format.ts";

const units = (value: number) => plural(value, "unit", "units");

/** The words of the map of bins and the page of one. */
export const binTexts = {
  title: "Bins",
  warehouse: "Warehouse",
  search: "Find a bin, a SKU or a lot",
  found: (bins: number) => plural(bins, "bin matches", "bins match"),
  andMore: (bins: number) => `and ${count(bins)} more, marked on the map`,
  foundMore: "The first 100 results are shown. Refine the search to see others.",
  zones: { ambient: "Ambient", refrigerated: "Refrigerated", frozen: "Frozen" },
  zoneFill: (used: number, capacity: number | null) =>
    capacity === null ? units(used) : `${count(used)} of ${units(capacity)} · ${share(used / Math.max(capacity, 1))}`,
  bins: (value: number) => plural(value, "bin", "bins"),
  empty: "Empty",
  some: "Partly full",
  half: "Half full",
  much: "Nearly full",
  full: "Full",
  unknown: "Used, no capacity set",
  legend: "How full",
  fillOf: (used: number, capacity: number | null) =>
    used === 0
      ? "empty"
      : capacity === null
        ? units(used)
        : `${count(used)} of ${units(capacity)}, ${share(used / Math.max(capacity, 1))} full`,
  map: (warehouse: string) => `Map of ${warehouse}`,
  mapHelp: "Arrow keys move between bins; Enter shows the contents of one.",
  contents: "Contents",
  nothingIn: "The bin is empty.",
  open: "Open the bin",
  choose: "Choose a bin to see its contents.",
  one: (code: string) => `Bin ${code}`,
  unknownBin: "No such bin",
  zone: "Zone",
  noCapacity: "no capacity set",
  ofCapacity: (capacity: number) => `of ${units(capacity)}`,
  units: "units",
  used: "Used",
  free: "Free",
  pickOrder: "Position on the pick path",
  kind: "Kind",
  kinds: {
    storage: "Storage",
    staging: "Staging",
    returns: "Returns",
    putback: "Put-back",
    quarantine: "Quarantine",
    damage: "Damage",
  },
  skus: "SKUs",
  count: "Count this bin",
  ledger: "Ledger",
  emptyTitle: "No bins yet",
  emptyText: "A warehouse has zones, and a zone has bins. Set them up in the settings, under Warehouses.",
  emptyAct: "Set up warehouses",
  more: (shown: number) => `The first ${shown} are shown. Open the bin to see all.`,
} as const;
