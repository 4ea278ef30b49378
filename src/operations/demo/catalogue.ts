import type { TemperatureZone } from "../../products/product.ts";

/** A product of the sample business. */
export interface SampleArticle {
  readonly sku: string;
  readonly name: string;
  readonly description: string;
  readonly temperature_zone: TemperatureZone;
  readonly weight_grams: number;
  /** Outer size in centimeters. */
  readonly dimensions_cm: { readonly length: number; readonly width: number; readonly height: number };
  readonly price_cents: number;
  /** Units in a supplier's case. Only whole cases are delivered. */
  readonly case_units: number;
  /** Days from delivery until expiry; null if it does not expire. */
  readonly shelf_life_days: number | null;
  /** Minimum days before expiry that a lot must have when it ships; 0 if it does not expire. */
  readonly min_shelf_life_days: number;
  /** Products that expire have lot and expiry tracking, others have neither. */
  readonly lot_tracking: boolean;
  readonly expiration_tracking: boolean;
  readonly reorder_point: number;
  /** A GTIN-13 or GTIN-12 that starts with 2, which GS1 reserves for internal use. */
  readonly barcode: string;
  /** Where the product is stored. */
  readonly bin: string;
}

type ArticleRow = readonly [
  sku: string,
  name: string,
  description: string,
  zone: TemperatureZone,
  weight_grams: number,
  size_cm: readonly [length: number, width: number, height: number],
  price_cents: number,
  case_units: number,
  shelf_life_days: number,
  reorder_point: number,
  barcode: string,
];

// The most popular first. A shelf life of 0 means that the product does not expire.
// biome-ignore format: two lines per product read as a table.
const rows: readonly ArticleRow[] = [
  ["CHL-101", "Whole milk, 2 L", "Pasteurised whole milk in a screw-cap jug.",
    "refrigerated", 2100, [11, 11, 26], 449, 6, 21, 80, "2000000010007"],
  ["CHL-102", "Free-range eggs, dozen", "Twelve large eggs in a moulded-pulp box.",
    "refrigerated", 720, [30, 11, 7], 529, 12, 28, 70, "2000000010076"],
  ["DRY-101", "Bread flour, 5 kg", "Strong white flour for bread and pizza doughs.",
    "ambient", 5080, [32, 20, 12], 899, 4, 270, 40, "2000000010144"],
  ["CHL-103", "Salted butter, 500 g", "Cultured butter, wrapped in foil.",
    "refrigerated", 515, [13, 9, 7], 629, 16, 90, 60, "2000000010212"],
  ["FRZ-101", "Thin-cut fries, 2.5 kg", "Pre-fried potato fries, ready for the fryer.",
    "frozen", 2560, [38, 28, 8], 749, 4, 540, 60, "2000000010281"],
  ["CHL-104", "Shredded mozzarella, 1 kg", "Low-moisture mozzarella, shredded for pizza.",
    "refrigerated", 1020, [28, 20, 6], 1149, 10, 75, 50, "200000040352"],
  ["DRY-102", "Extra virgin olive oil, 3 L", "First cold pressing, in a tin with a pouring lip.",
    "ambient", 3150, [17, 12, 23], 3899, 4, 540, 25, "2000000010427"],
  ["CHL-105", "Unsalted butter, 500 g", "Sweet cream butter for baking.",
    "refrigerated", 515, [13, 9, 7], 619, 16, 90, 50, "2000000010496"],
  ["DRY-103", "Crushed tomatoes, 2.5 kg", "Vine-ripened tomatoes in a catering can.",
    "ambient", 2790, [16, 16, 18], 679, 6, 900, 40, "2000000010564"],
  ["CHL-106", "Heavy cream, 1 L", "Whipping cream with 36 % fat.",
    "refrigerated", 1060, [9, 6, 24], 579, 12, 28, 60, "2000000010632"],
  ["FRZ-102", "Garden peas, 1 kg", "Blanched and quick-frozen within hours of picking.",
    "frozen", 1020, [26, 18, 6], 429, 10, 540, 40, "2000000010700"],
  ["DRY-104", "Granulated sugar, 5 kg", "Fine white cane sugar.",
    "ambient", 5060, [30, 18, 12], 849, 4, 0, 30, "200000040772"],
  ["CHL-107", "Sliced cheddar, 1 kg", "Mild cheddar in interleaved slices.",
    "refrigerated", 1030, [20, 12, 8], 1249, 10, 100, 40, "2000000010847"],
  ["FRZ-103", "Chicken breast fillets, 2 kg", "Skinless fillets, individually frozen.",
    "frozen", 2060, [34, 24, 7], 2199, 5, 365, 40, "2000000010915"],
  ["DRY-105", "Espresso beans, 1 kg", "Medium roast for espresso, in a valve bag.",
    "ambient", 1030, [26, 14, 9], 2149, 8, 365, 30, "2000000010984"],
  ["CHL-108", "Greek yogurt, 2 kg", "Strained plain yogurt in a pail with a lid.",
    "refrigerated", 2090, [18, 18, 15], 1099, 4, 35, 30, "2000000011059"],
  ["DRY-106", "Long-grain rice, 5 kg", "Parboiled rice that stays separate.",
    "ambient", 5050, [36, 24, 9], 1049, 4, 720, 30, "2000000011127"],
  ["FRZ-104", "Mixed berries, 1.5 kg", "Strawberries, raspberries and blueberries.",
    "frozen", 1530, [28, 20, 8], 1399, 6, 540, 30, "200000041199"],
  ["CHL-109", "Smoked bacon, 1 kg", "Dry-cured streaky bacon, vacuum-packed slices.",
    "refrigerated", 1020, [28, 20, 4], 1499, 10, 60, 40, "2000000011264"],
  ["DRY-107", "Sea salt, 1 kg", "Fine sea salt for kitchen and table.",
    "ambient", 1010, [18, 10, 7], 249, 12, 0, 20, "2000000011332"],
  ["CHL-110", "Cream cheese, 1.5 kg", "Soft cheese for spreading and baking.",
    "refrigerated", 1560, [20, 14, 8], 1299, 6, 90, 25, "2000000011400"],
  ["FRZ-105", "Vanilla ice cream, 5 L", "Dairy ice cream in a scooping tub.",
    "frozen", 2750, [26, 19, 17], 1899, 2, 540, 20, "2000000011479"],
  ["DRY-108", "Penne pasta, 3 kg", "Bronze-cut durum wheat pasta.",
    "ambient", 3050, [34, 24, 12], 799, 4, 900, 30, "2000000011547"],
  ["CHL-111", "Baby spinach, 1 kg", "Washed leaves, ready to use.",
    "refrigerated", 1040, [38, 28, 10], 849, 4, 14, 25, "200000041618"],
  ["DRY-109", "Black tea, 100 bags", "Strong breakfast blend in string-and-tag bags.",
    "ambient", 260, [16, 12, 9], 749, 12, 720, 20, "2000000011684"],
  ["FRZ-106", "Puff pastry sheets, 2 kg", "All-butter pastry, twenty sheets.",
    "frozen", 2080, [40, 26, 6], 1799, 5, 365, 20, "2000000011752"],
  ["CHL-112", "Cooked ham, 2 kg", "Whole boneless ham, cooked in its own juices.",
    "refrigerated", 2050, [24, 14, 12], 2099, 4, 45, 25, "2000000011820"],
  ["DRY-110", "Chickpeas, 2.5 kg", "Cooked chickpeas in brine, catering can.",
    "ambient", 2780, [16, 16, 18], 549, 6, 900, 25, "2000000011899"],
  ["CHL-113", "Parmesan wheel quarter, 4 kg", "Matured for twenty-four months, vacuum-packed.",
    "refrigerated", 4080, [28, 22, 14], 6899, 1, 240, 10, "2000000011967"],
  ["FRZ-107", "Cod loins, 2 kg", "Skinless loins, individually frozen.",
    "frozen", 2060, [36, 26, 6], 3299, 5, 365, 20, "200000042035"],
  ["DRY-111", "Dark chocolate chips, 2 kg", "Couverture with 58 % cocoa, in baking drops.",
    "ambient", 2030, [28, 20, 8], 2399, 5, 540, 20, "2000000012100"],
  ["CHL-114", "Fresh mozzarella balls, 1 kg", "Packed in brine, forty balls of 25 g.",
    "refrigerated", 1650, [18, 18, 12], 1199, 6, 24, 20, "2000000012179"],
  ["DRY-112", "Honey, 1.3 kg", "Clear blossom honey in a squeeze bottle.",
    "ambient", 1360, [11, 11, 20], 1349, 6, 0, 20, "2000000012247"],
  ["FRZ-108", "Croissants, 60 pieces", "Ready-to-bake butter croissants.",
    "frozen", 4900, [40, 30, 22], 3699, 1, 270, 15, "2000000012315"],
  ["CHL-115", "Orange juice, 2 L", "Squeezed, never from concentrate.",
    "refrigerated", 2110, [11, 11, 26], 799, 6, 24, 30, "2000000012384"],
  ["DRY-113", "Apple cider vinegar, 5 L", "Unfiltered, with 5 % acidity.",
    "ambient", 5180, [19, 15, 30], 1199, 2, 0, 12, "200000042455"],
  ["CHL-116", "Hummus, 1.5 kg", "Chickpea purée with tahini and lemon.",
    "refrigerated", 1560, [18, 18, 9], 999, 6, 40, 20, "2000000012520"],
  ["FRZ-109", "Sweetcorn, 2.5 kg", "Loose kernels of super-sweet corn.",
    "frozen", 2540, [34, 26, 8], 699, 4, 540, 20, "2000000012599"],
  ["DRY-114", "Peanut butter, 2.5 kg", "Smooth, without added sugar.",
    "ambient", 2640, [18, 18, 16], 1499, 4, 365, 15, "2000000012667"],
  ["CHL-117", "Smoked salmon, 1 kg", "Sliced side of cold-smoked salmon.",
    "refrigerated", 1060, [52, 18, 3], 4299, 5, 35, 15, "2000000012735"],
  ["DRY-115", "Oat drink, 1 L", "Barista oat drink in a carton.",
    "ambient", 1060, [9, 6, 20], 329, 12, 270, 40, "2000000012803"],
  ["FRZ-110", "Beef patties, 48 pieces", "Quarter-pound patties of pure beef.",
    "frozen", 5520, [38, 28, 16], 5699, 1, 270, 15, "200000042875"],
  ["CHL-118", "Tofu, firm, 1 kg", "Organic soya, packed in water.",
    "refrigerated", 1250, [16, 12, 9], 649, 8, 45, 20, "2000000012940"],
  ["DRY-116", "Rolled oats, 3 kg", "Whole-grain oats for porridge and granola.",
    "ambient", 3040, [32, 20, 12], 699, 4, 365, 20, "2000000013015"],
  ["CHL-119", "Sour cream, 2 kg", "Cultured cream with 18 % fat.",
    "refrigerated", 2090, [18, 18, 15], 949, 4, 35, 20, "2000000013084"],
  ["FRZ-111", "Prawns, peeled, 1 kg", "Tail-on prawns, individually frozen.",
    "frozen", 1040, [28, 20, 6], 2499, 10, 365, 20, "2000000013152"],
  ["DRY-117", "Basmati rice, 5 kg", "Aged for a year before milling.",
    "ambient", 5050, [36, 24, 9], 1749, 4, 720, 15, "2000000013220"],
  ["CHL-120", "Egg whites, 1 L", "Pasteurised liquid egg whites.",
    "refrigerated", 1060, [9, 6, 24], 699, 12, 42, 20, "200000043292"],
  ["DRY-118", "Maple syrup, 1 L", "Dark, with a robust taste.",
    "ambient", 1380, [10, 10, 24], 2699, 6, 0, 12, "2000000013367"],
  ["FRZ-112", "Waffles, 96 pieces", "Round waffles, pre-baked.",
    "frozen", 4300, [40, 30, 20], 2999, 1, 270, 10, "2000000013435"],
  ["CHL-121", "Feta, 2 kg", "Made of sheep's and goat's milk, in brine.",
    "refrigerated", 2900, [22, 18, 12], 2199, 4, 150, 15, "2000000013503"],
  ["DRY-119", "Tomato ketchup, 4 kg", "Catering bottle with a pump thread.",
    "ambient", 4120, [18, 14, 28], 1199, 2, 365, 12, "2000000013572"],
  ["CHL-122", "Kimchi, 2 kg", "Fermented cabbage with chili and radish.",
    "refrigerated", 2100, [18, 18, 14], 1599, 4, 120, 10, "2000000013640"],
  ["FRZ-113", "Pizza dough balls, 40 pieces", "Balls of 250 g, matured for two days.",
    "frozen", 10200, [40, 30, 18], 3199, 1, 180, 12, "200000043711"],
  ["DRY-120", "Paper cups, 500 pieces", "Double-walled cups of 12 oz, compostable.",
    "ambient", 4300, [46, 37, 30], 4599, 1, 0, 10, "2000000013787"],
  ["CHL-123", "Chicken stock, 5 L", "Slowly simmered, gelled when cold.",
    "refrigerated", 5150, [24, 19, 16], 1999, 2, 40, 10, "2000000013855"],
  ["DRY-121", "Kitchen foil, 150 m", "Heavy-duty foil in a cutter box.",
    "ambient", 1750, [47, 7, 7], 1399, 6, 0, 10, "2000000013923"],
  ["FRZ-114", "Edamame pods, 1 kg", "Salted soybeans in their pods.",
    "frozen", 1020, [26, 18, 6], 599, 10, 540, 15, "2000000013992"],
  ["CHL-124", "Vegan shredded cheese, 1 kg", "Made of coconut oil, melts well.",
    "refrigerated", 1020, [28, 20, 6], 1349, 10, 120, 12, "2000000014067"],
  ["DRY-122", "Vanilla extract, 500 ml", "Pure extract of two-fold strength.",
    "ambient", 620, [8, 8, 17], 5999, 6, 0, 6, "200000044138"],
  ["FRZ-115", "Lemon sorbet, 5 L", "Water ice of pressed lemons.",
    "frozen", 3300, [26, 19, 17], 2199, 2, 540, 10, "2000000014203"],
  ["CHL-125", "Pesto, 1 kg", "Basil, hard cheese, pine nuts and olive oil.",
    "refrigerated", 1060, [12, 12, 11], 1699, 6, 60, 12, "2000000014272"],
];

/** A temperature zone of the sample warehouse, with its bins. */
export interface ColdZone {
  readonly zone_id: string;
  readonly temperature_zone: TemperatureZone;
  /** Null if the temperature is not controlled. */
  readonly temperature_range: string | null;
  readonly capacity: number;
  readonly bins: readonly string[];
}

const minShelfLifeDays = (shelf_life_days: number) =>
  shelf_life_days === 0 ? 0 : shelf_life_days <= 30 ? 5 : shelf_life_days <= 120 ? 10 : 21;

// Bins are assigned by the SKU's number, four to a bay: CHL-106 is in R-02-2.
const binOf = (sku: string, zone: TemperatureZone) => {
  const place = Number(sku.slice(-2)) - 1;
  return `${zone.slice(0, 1).toUpperCase()}-${String(Math.floor(place / 4) + 1).padStart(2, "0")}-${(place % 4) + 1}`;
};

/** The products of the sample business, a cold-chain grocer for kitchens, the most popular first. */
export const catalogue: readonly SampleArticle[] = rows.map(
  ([sku, name, description, zone, weight_grams, size, price_cents, case_units, shelf, reorder_point, barcode]) => ({
    sku,
    name,
    description,
    temperature_zone: zone,
    weight_grams,
    dimensions_cm: { length: size[0], width: size[1], height: size[2] },
    price_cents,
    case_units,
    shelf_life_days: shelf === 0 ? null : shelf,
    min_shelf_life_days: minShelfLifeDays(shelf),
    lot_tracking: shelf > 0,
    expiration_tracking: shelf > 0,
    reorder_point,
    barcode,
    bin: binOf(sku, zone),
  }),
);

const zone = (temperature_zone: TemperatureZone, temperature_range: string | null, capacity: number): ColdZone => ({
  zone_id: temperature_zone.toUpperCase(),
  temperature_zone,
  temperature_range,
  capacity,
  bins: catalogue.filter((article) => article.temperature_zone === temperature_zone).map((article) => article.bin),
});

/** The zones of the sample warehouse, with a bin for each product. */
export const coldZones: readonly ColdZone[] = [
  zone("ambient", null, 20_000),
  zone("refrigerated", "2-8°C", 12_000),
  zone("frozen", "-25 to -18°C", 8_000),
];
