// The merchants that share the sample warehouse: a grocer and two small ones. All are invented.
import type { CreateMerchant } from "../../merchants/merchant.schema.ts";
import type { ColdZone, SampleArticle } from "./catalogue.ts";

/** A merchant of the sample warehouse. */
export type SampleMerchant = CreateMerchant;

/** A small merchant with its products, which have their own bins in one zone. */
export interface SmallMerchant {
  readonly merchant: SampleMerchant;
  /** The first three letters of its order numbers. */
  readonly prefix: string;
  readonly first_number: number;
  readonly zone: ColdZone;
  readonly articles: readonly SampleArticle[];
  /** The SKU that has not been delivered yet, so that its orders wait for stock. */
  readonly awaited: string;
}

type SampleMerchantRow = readonly [
  sku: string,
  name: string,
  description: string,
  weight_grams: number,
  size_cm: readonly [length: number, width: number, height: number],
  price_cents: number,
  case_units: number,
  shelf_life_days: number,
  barcode: string,
];

// The paper cups have the same GTIN as the grocer's, and the mugs have the same SKU as the bookshop's.
// biome-ignore format: a table
const coffees: readonly SampleMerchantRow[] = [
  ["BLEND-250", "House blend, 250 g", "Whole beans of Brazil and Ethiopia.",
    270, [9, 6, 20], 1150, 12, 270, "2000000050010"],
  ["BLEND-1000", "House blend, 1 kg", "Whole beans of Brazil and Ethiopia.",
    1040, [13, 8, 32], 3890, 6, 270, "2000000050089"],
  ["SIDAMO-250", "Sidamo, 250 g", "Washed Ethiopian beans, light roast.",
    270, [9, 6, 20], 1490, 12, 270, "2000000050157"],
  ["DECAF-250", "Decaf, 250 g", "Colombian beans, decaffeinated with water.",
    270, [9, 6, 20], 1290, 12, 270, "2000000050225"],
  ["ESPRESSO-500", "Espresso, 500 g", "A dark roast for machines.",
    530, [11, 7, 26], 2090, 8, 270, "2000000050294"],
  ["FILTER-100", "Paper filters, 100 pieces", "For cones of size 02, unbleached.",
    180, [18, 12, 6], 690, 24, 0, "2000000050362"],
  ["CUPS-500", "Paper cups, 500 pieces", "Double-walled cups of 12 oz, compostable.",
    4300, [46, 37, 30], 4790, 1, 0, "2000000013787"],
  ["MUG-01", "Mug, blue door", "Stoneware, 350 ml, with the door of the roastery.",
    410, [13, 10, 10], 1600, 6, 0, "2000000050430"],
  ["GEISHA-250", "Geisha, new harvest, 250 g", "Panama, announced for this month.",
    270, [9, 6, 20], 4200, 6, 270, "2000000050508"],
];

// The house blend is the roaster's product and has the same GTIN.
// biome-ignore format: a table
const books: readonly SampleMerchantRow[] = [
  ["BK-1001", "The Lighthouse Keeper's Ledger", "A novel, paperback.",
    380, [20, 13, 3], 1699, 20, 0, "2000000050577"],
  ["BK-1002", "Bread in Four Hours", "Recipes, hardcover.",
    910, [25, 20, 3], 2999, 12, 0, "2000000050645"],
  ["BK-1003", "A Short History of Maps", "Illustrated, hardcover.",
    1240, [28, 22, 3], 3950, 10, 0, "2000000050713"],
  ["BK-1004", "Birds of the Great Lakes", "A field guide, paperback.",
    520, [19, 12, 3], 2250, 16, 0, "2000000050782"],
  ["BK-1005", "Letters from the Night Train", "Short stories, paperback.",
    290, [20, 13, 2], 1450, 24, 0, "2000000050850"],
  ["BK-1006", "The Small Garden Year", "A calendar of work, hardcover.",
    760, [24, 17, 3], 2600, 12, 0, "2000000050928"],
  ["BLEND-250", "House blend of Blue Door, 250 g", "For a long evening with a book.",
    270, [9, 6, 20], 1250, 12, 0, "2000000050010"],
  ["MUG-01", "Mug, one more chapter", "Porcelain, 300 ml.",
    380, [12, 9, 10], 1800, 6, 0, "2000000050997"],
  ["BK-1007", "The Lighthouse Keeper's Debt", "The second volume, announced for this month.",
    390, [20, 13, 3], 1799, 20, 0, "2000000051062"],
];

function articlesOf(rows: readonly SampleMerchantRow[], aisle: string): SampleArticle[] {
  return rows.map(
    ([sku, name, description, weight_grams, size, price_cents, case_units, shelf_life_days, barcode], at) => ({
      sku,
      name,
      description,
      temperature_zone: "ambient",
      weight_grams,
      dimensions_cm: { length: size[0], width: size[1], height: size[2] },
      price_cents,
      case_units,
      shelf_life_days: shelf_life_days === 0 ? null : shelf_life_days,
      min_shelf_life_days: shelf_life_days === 0 ? 0 : 30,
      lot_tracking: shelf_life_days > 0,
      expiration_tracking: shelf_life_days > 0,
      reorder_point: case_units,
      barcode,
      bin: `${aisle}-${String(at + 1).padStart(2, "0")}`,
    }),
  );
}

function zoneOf(zone_id: string, articles: readonly SampleArticle[]): ColdZone {
  const bins = articles.map(({ bin }) => bin);
  return { zone_id, temperature_zone: "ambient", temperature_range: null, capacity: 4_000, bins };
}

const roasted = articlesOf(coffees, "COFFEE");
const printed = articlesOf(books, "BOOK");

const grocer: SampleMerchant = {
  code: "MAIN",
  name: "Cold Harbor Grocers",
  legal_name: "Cold Harbor Grocers, Inc.",
  contact: { name: "Rosa Lindqvist", email: "operations@coldharbor.example", phone: "555-0110" },
  return_address: {
    name: "Cold Harbor Grocers",
    address_line1: "400 Dock Street",
    city: "Columbus",
    state: "OH",
    postal_code: "43215",
    country: "US",
  },
  color: "#1f6feb",
};

const roaster: SmallMerchant = {
  merchant: {
    code: "ROAST",
    name: "Blue Door Coffee",
    legal_name: "Blue Door Coffee Roasters LLC",
    ship_from_name: "Blue Door Coffee Roasters",
    contact: { name: "Tomás Reyes", email: "shipping@bluedoor.example", phone: "555-0121" },
    return_address: {
      name: "Blue Door Coffee Roasters, returns",
      address_line1: "18 Roastery Lane",
      city: "Cincinnati",
      state: "OH",
      postal_code: "45202",
      country: "US",
    },
    color: "#8a5a2b",
  },
  prefix: "BD-",
  first_number: 20_001,
  zone: zoneOf("COFFEE", roasted),
  articles: roasted,
  awaited: "GEISHA-250",
};

const bookShop: SmallMerchant = {
  merchant: {
    code: "BOOKS",
    name: "Lantern Books",
    legal_name: "Lantern Books Cooperative",
    contact: { name: "Mina Okafor", email: "orders@lanternbooks.example", phone: "555-0132" },
    return_address: {
      name: "Lantern Books",
      address_line1: "7 Library Square",
      city: "Dayton",
      state: "OH",
      postal_code: "45402",
      country: "US",
    },
    may_buy_labels: true,
    color: "#2e7d5b",
  },
  prefix: "LB-",
  first_number: 30_001,
  zone: zoneOf("BOOKS", printed),
  articles: printed,
  awaited: "BK-1007",
};

/** The sample merchants. The grocer is the first merchant of the installation and keeps its code. */
export const sampleMerchants = { grocer, neighbours: [roaster, bookShop] } as const;
