// The stock of a mock store, the same for all platforms: a checkout takes units, and each API shows it in its own form.

/** A product or variant that a store sells. Variants that share a number have the same `numbers`. */
export interface ShelfItem {
  /** The variant's id. A product without variants has its product's. */
  readonly id: number;
  readonly product_id: number;
  readonly sku: string;
  readonly barcode: string | null;
  readonly name: string;
  /** Whether it has a number of its own, shares that of its product, or is not counted. */
  readonly counts: "own" | "product" | "none";
  readonly is_bundle: boolean;
  /** The number at each location where it is stocked. */
  readonly numbers: Map<number, number>;
  /** Locations where it was stocked once. */
  readonly inactive: Set<number>;
}

type NewItem = Pick<ShelfItem, "sku"> & Partial<Omit<ShelfItem, "sku" | "inactive">> & { readonly units?: number };

/** The shelves of one store. */
export interface Shelf {
  readonly items: Map<number, ShelfItem>;
  readonly locations: { readonly id: number; readonly name: string; readonly is_active: boolean }[];
  /** Adds a product, with units at the first location. */
  stock(item: NewItem): ShelfItem;
  /** The units of a SKU at a location. */
  units(sku: string, location?: number): number;
  /** Sets the units of a SKU, as a person does at the store. */
  count(sku: string, units: number, location?: number): void;
  /** Takes the units of an order's lines, as a checkout does. */
  sell(lines: readonly { readonly sku: string | null; readonly quantity: number }[], location?: number): void;
  bySku(sku: string | null): ShelfItem | undefined;
}

/** Creates empty shelves at one location. */
export function openShelf(): Shelf {
  const items = new Map<number, ShelfItem>();
  const bySku = (sku: string | null) => [...items.values()].find((item) => item.sku === sku);
  const found = (sku: string) => {
    const item = bySku(sku);
    if (item === undefined) throw new Error(`the store does not sell ${sku}`);
    return item;
  };
  return {
    items,
    locations: [{ id: 1, name: "Shed 1", is_active: true }],
    bySku,
    stock({ sku, units = 0, ...more }) {
      const id = more.id ?? 70_001 + items.size;
      const about = { id, product_id: id, barcode: null, name: `The ${sku}`, counts: "own", is_bundle: false } as const;
      const item: ShelfItem = { numbers: new Map([[1, units]]), inactive: new Set(), ...about, sku, ...more };
      items.set(id, item);
      return item;
    },
    units: (sku, location = 1) => found(sku).numbers.get(location) ?? 0,
    count(sku, units, location = 1) {
      found(sku).numbers.set(location, units);
    },
    sell(lines, location = 1) {
      for (const { sku, quantity } of lines) {
        const numbers = bySku(sku)?.numbers;
        if (numbers?.has(location)) numbers.set(location, (numbers.get(location) ?? 0) - quantity);
      }
    },
  };
}
