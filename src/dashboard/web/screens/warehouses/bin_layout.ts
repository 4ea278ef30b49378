import type { WarehouseRecord } from "../../api/types.ts";
import { binTexts as texts } from "../../text/warehouses.ts";

/** A bin as the list of warehouses shows it. */
export type MapBin = WarehouseRecord["location_zones"][number]["bins"][number];

/** How full a bin is, in five steps, or unknown. */
type Fill = "empty" | "some" | "half" | "much" | "full" | "unknown";

/** The steps from empty to full. */
export const fills: readonly Fill[] = ["empty", "some", "half", "much", "full", "unknown"];

/** The step of a bin. */
export function fillOf({ used, capacity }: Pick<MapBin, "used" | "capacity">): Fill {
  if (used === 0) return "empty";
  if (capacity === null) return "unknown";
  const part = used / Math.max(capacity, 1);
  if (part >= 1) return "full";
  if (part >= 0.75) return "much";
  return part >= 0.35 ? "half" : "some";
}

/** The word of a step. */
export const fillWord = (fill: Fill): string => texts[fill];

const order = new Intl.Collator("en", { numeric: true });

/** A bay: bins stacked on each other, whose codes differ only in the last part. */
interface Bay {
  readonly name: string;
  /** The highest bin first, as in the warehouse. */
  readonly bins: readonly MapBin[];
}

/** An aisle: bays side by side, whose codes begin alike. */
interface Aisle {
  readonly name: string;
  readonly bays: readonly Bay[];
}

const partsOf = (code: string) => code.split(/[-./ ]/);

/**
 * Arranges the bins of a zone by their codes: `A-01-3` is aisle `A`, bay `01`, level `3`; `A-01` is a bay with one bin.
 * Bins that are not for storage form a separate row.
 */
export function aislesOf(bins: readonly MapBin[]): readonly Aisle[] {
  const sorted = bins.toSorted((one, other) => order.compare(one.code, other.code));
  const aisles = Map.groupBy(sorted, ({ code, kind }) => (kind === "storage" ? (partsOf(code)[0] ?? code) : ""));
  return [...aisles].map(([name, own]) => ({ name, bays: name === "" ? apart(own) : baysOf(own) }));
}

const apart = (bins: readonly MapBin[]): readonly Bay[] => bins.map((bin) => ({ name: "", bins: [bin] }));

function baysOf(bins: readonly MapBin[]): readonly Bay[] {
  const bays = Map.groupBy(bins, ({ code }) => {
    const parts = partsOf(code);
    return parts.length < 3 ? parts.slice(1).join("-") : parts.slice(1, -1).join("-");
  });
  return [...bays].map(([name, own]) => ({ name, bins: own.toReversed() }));
}

/** The text in the cell of a bin: its level, or its whole code if it has none. */
export function cellName({ code, kind }: MapBin): string {
  const parts = partsOf(code);
  if (kind !== "storage" || parts.length === 1) return code;
  return parts.at(-1) ?? code;
}

/** The maximum number of bins per request. */
export const bins_max = 1000;

/** The codes in a text, separated by commas or lines, each once. `A-01..A-12` means twelve codes. */
export function codesIn(text: string): string[] {
  const parts = text
    .split(/[\n,;]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return [...new Set(parts.flatMap(spread))];
}

/** The codes of a range: the same letters and rising numbers. Other text is one code. */
function spread(part: string): string[] {
  const [, before = "", first = "", again = "", last = ""] = /^(.*?)(\d+)\s*\.\.\s*(.*?)(\d+)$/.exec(part) ?? [];
  const count = Number(last) - Number(first) + 1;
  if (first === "" || (again !== before && again !== "") || !(count >= 1 && count <= bins_max + 1)) return [part];
  return Array.from({ length: count }, (_, at) => before + String(Number(first) + at).padStart(first.length, "0"));
}
