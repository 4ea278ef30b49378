// The application identifiers of the GS1 General Specifications, and the format of the value of each.

/** A part of a value: its characters, its length, and what else it must be. */
interface ValuePart {
  readonly characters: "digits" | "text" | "reference" | "url";
  readonly length_min: number;
  readonly length_max: number;
  readonly rule: "check_digit" | "date" | "date_or_month" | "time" | null;
}

/** An application identifier. */
export interface ApplicationIdentifier {
  readonly ai: string;
  readonly title: string;
  readonly parts: readonly ValuePart[];
  /** The length of the value; null if it varies, so that a separator ends it. */
  readonly length: number | null;
  /** The number of decimals of the last part; null if it is no decimal number. */
  readonly decimals: number | null;
}

/**
 * One row per identifier; `n` stands for the number of decimals, from 0. Parts of a format: `n` digits, `x` text, `y`
 * reference, `z` URL-safe text; a length, or `..` and the longest; then `c` for a check digit at the end, `d` a date,
 * `D` a date whose day may be 00 (the last of the month), `t` a time; `?` for an optional part.
 */
// biome-ignore format: a table is read by its columns.
const rows: readonly (readonly [ai: string, format: string, title: string])[] = [
  ["00", "n18c", "SSCC"],                     ["01", "n14c", "GTIN"],
  ["02", "n14c", "Content"],                  ["03", "n14c", "Made-to-order GTIN"],
  ["10", "x..20", "Batch or lot"],            ["11", "n6D", "Production date"],
  ["12", "n6D", "Due date"],                  ["13", "n6D", "Packaging date"],
  ["15", "n6D", "Best before"],               ["16", "n6D", "Sell by"],
  ["17", "n6D", "Expiry"],                    ["20", "n2", "Variant"],
  ["21", "x..20", "Serial number"],           ["22", "x..20", "Consumer product variant"],
  ["235", "x..28", "Third-party serial"],     ["240", "x..30", "Additional id"],
  ["241", "x..30", "Customer part number"],   ["242", "n..6", "Made-to-order variant"],
  ["243", "x..20", "Packaging component"],    ["250", "x..30", "Secondary serial"],
  ["251", "x..30", "Reference to source"],    ["253", "n13c x..17?", "Document type"],
  ["254", "x..20", "Location extension"],     ["255", "n13c n..12?", "Coupon number"],
  ["30", "n..8", "Count of items"],           ["37", "n..8", "Count"],
  ["310n", "n6", "Net weight (kg)"],          ["311n", "n6", "Length (m)"],
  ["312n", "n6", "Width (m)"],                ["313n", "n6", "Height (m)"],
  ["314n", "n6", "Area (m²)"],                ["315n", "n6", "Net volume (l)"],
  ["316n", "n6", "Net volume (m³)"],          ["320n", "n6", "Net weight (lb)"],
  ["321n", "n6", "Length (in)"],              ["322n", "n6", "Length (ft)"],
  ["323n", "n6", "Length (yd)"],              ["324n", "n6", "Width (in)"],
  ["325n", "n6", "Width (ft)"],               ["326n", "n6", "Width (yd)"],
  ["327n", "n6", "Height (in)"],              ["328n", "n6", "Height (ft)"],
  ["329n", "n6", "Height (yd)"],              ["330n", "n6", "Gross weight (kg)"],
  ["331n", "n6", "Outer length (m)"],         ["332n", "n6", "Outer width (m)"],
  ["333n", "n6", "Outer height (m)"],         ["334n", "n6", "Outer area (m²)"],
  ["335n", "n6", "Outer volume (l)"],         ["336n", "n6", "Outer volume (m³)"],
  ["337n", "n6", "Mass per area (kg/m²)"],    ["340n", "n6", "Gross weight (lb)"],
  ["341n", "n6", "Outer length (in)"],        ["342n", "n6", "Outer length (ft)"],
  ["343n", "n6", "Outer length (yd)"],        ["344n", "n6", "Outer width (in)"],
  ["345n", "n6", "Outer width (ft)"],         ["346n", "n6", "Outer width (yd)"],
  ["347n", "n6", "Outer height (in)"],        ["348n", "n6", "Outer height (ft)"],
  ["349n", "n6", "Outer height (yd)"],        ["350n", "n6", "Area (in²)"],
  ["351n", "n6", "Area (ft²)"],               ["352n", "n6", "Area (yd²)"],
  ["353n", "n6", "Outer area (in²)"],         ["354n", "n6", "Outer area (ft²)"],
  ["355n", "n6", "Outer area (yd²)"],         ["356n", "n6", "Net weight (troy oz)"],
  ["357n", "n6", "Net weight or volume (oz)"], ["360n", "n6", "Net volume (qt)"],
  ["361n", "n6", "Net volume (gal)"],         ["362n", "n6", "Outer volume (qt)"],
  ["363n", "n6", "Outer volume (gal)"],       ["364n", "n6", "Net volume (in³)"],
  ["365n", "n6", "Net volume (ft³)"],         ["366n", "n6", "Net volume (yd³)"],
  ["367n", "n6", "Outer volume (in³)"],       ["368n", "n6", "Outer volume (ft³)"],
  ["369n", "n6", "Outer volume (yd³)"],
  ["390n", "n..15", "Amount"],                ["391n", "n3 n..15", "Amount with currency"],
  ["392n", "n..15", "Price"],                 ["393n", "n3 n..15", "Price with currency"],
  ["394n", "n4", "Percentage discount"],      ["395n", "n6", "Price per unit of measure"],
  ["400", "x..30", "Order number"],           ["401", "x..30", "Consignment number"],
  ["402", "n17c", "Shipment number"],         ["403", "x..30", "Routing code"],
  ["410", "n13c", "Ship to location"],        ["411", "n13c", "Bill to location"],
  ["412", "n13c", "Purchased from location"], ["413", "n13c", "Ship for location"],
  ["414", "n13c", "Location"],                ["415", "n13c", "Pay to location"],
  ["416", "n13c", "Production location"],     ["417", "n13c", "Party"],
  ["420", "x..20", "Ship to postal code"],    ["421", "n3 x..9", "Ship to country and postal code"],
  ["422", "n3", "Country of origin"],         ["423", "n3 n..12?", "Countries of initial processing"],
  ["424", "n3", "Country of processing"],     ["425", "n3 n..12?", "Countries of disassembly"],
  ["426", "n3", "Country of full processing"], ["427", "x..3", "Subdivision of origin"],
  ["4300", "x..35", "Ship to company"],       ["4301", "x..35", "Ship to contact"],
  ["4302", "x..70", "Ship to address line 1"], ["4303", "x..70", "Ship to address line 2"],
  ["4304", "x..70", "Ship to suburb"],        ["4305", "x..70", "Ship to locality"],
  ["4306", "x..70", "Ship to region"],        ["4307", "x2", "Ship to country"],
  ["4308", "x..30", "Ship to telephone"],     ["4309", "n10 n10", "Ship to coordinates"],
  ["4310", "x..35", "Return to company"],     ["4311", "x..35", "Return to contact"],
  ["4312", "x..70", "Return to address line 1"], ["4313", "x..70", "Return to address line 2"],
  ["4314", "x..70", "Return to suburb"],      ["4315", "x..70", "Return to locality"],
  ["4316", "x..70", "Return to region"],      ["4317", "x2", "Return to country"],
  ["4318", "x..20", "Return to postal code"], ["4319", "x..30", "Return to telephone"],
  ["4320", "x..35", "Service description"],   ["4321", "n1", "Dangerous goods"],
  ["4322", "n1", "Authority to leave"],       ["4323", "n1", "Signature required"],
  ["4324", "n6D n4t", "Not before"],          ["4325", "n6D n4t", "Not after"],
  ["4326", "n6d", "Release date"],            ["4330", "n6 x1?", "Maximum temperature (°F)"],
  ["4331", "n6 x1?", "Maximum temperature (°C)"], ["4332", "n6 x1?", "Minimum temperature (°F)"],
  ["4333", "n6 x1?", "Minimum temperature (°C)"],
  ["7001", "n13", "NATO stock number"],       ["7002", "x..30", "Meat cut"],
  ["7003", "n6d n4t", "Expiry date and time"], ["7004", "n..4", "Active potency"],
  ["7005", "x..12", "Catch area"],            ["7006", "n6d", "First freeze date"],
  ["7007", "n6d n6d?", "Harvest date"],       ["7008", "x..3", "Aquatic species"],
  ["7009", "x..10", "Fishing gear"],          ["7010", "x..2", "Production method"],
  ["7011", "n6d n4t?", "Test by date"],       ["7020", "x..20", "Refurbishment lot"],
  ["7021", "x..20", "Functional status"],     ["7022", "x..20", "Revision status"],
  ["7023", "x..30", "Assembly"],              ["7040", "n1 x3", "Unique identification code"],
  ["7041", "x..4", "Freight unit type"],
  ...range(7030, 7039, "n3 x..27", "Processor"), ...range(710, 716, "x..20", "Reimbursement number"),
  ...range(7230, 7239, "x2 x..28", "Certification"),
  ["7240", "x..20", "Protocol"],              ["7241", "n2", "Media type"],
  ["7242", "x..25", "Version control number"], ["7250", "n8", "Date of birth"],
  ["7251", "n8 n4t", "Date and time of birth"], ["7252", "n1", "Sex"],
  ["7253", "x..40", "Family name"],           ["7254", "x..40", "Given name"],
  ["7255", "x..10", "Name suffix"],           ["7256", "x..90", "Full name"],
  ["7257", "x..70", "Address of person"],     ["7258", "x3", "Birth sequence"],
  ["7259", "x..40", "Baby"],
  ["8001", "n4 n5 n3 n1 n1", "Roll dimensions"], ["8002", "x..20", "Mobile telephone id"],
  ["8003", "n1 n13c x..16?", "Returnable asset"], ["8004", "x..30", "Individual asset"],
  ["8005", "n6", "Price per unit"],           ["8006", "n14c n4", "Piece of trade item"],
  ["8007", "x..34", "IBAN"],                  ["8008", "n6d n2 n..4?", "Production time"],
  ["8009", "x..50", "Sensor"],                ["8010", "y..30", "Component or part"],
  ["8011", "n..12", "Component serial number"], ["8012", "x..20", "Software version"],
  ["8013", "x..25", "Model number"],          ["8014", "x..25", "Device registration"],
  ["8017", "n18c", "Service provider"],       ["8018", "n18c", "Service recipient"],
  ["8019", "n..10", "Service instance"],      ["8020", "x..25", "Payment slip"],
  ["8026", "n14c n4", "Content pieces"],      ["8030", "z..90", "Digital signature"],
  ["8110", "x..70", "Coupon"],                ["8111", "n4", "Loyalty points"],
  ["8112", "x..70", "Paperless coupon"],      ["8200", "x..70", "Product URL"],
  ["90", "x..30", "Internal"],                ...range(91, 99, "x..90", "Internal"),
];

function range(first: number, last: number, format: string, title: string) {
  return Array.from({ length: last - first + 1 }, (_, at) => [String(first + at), format, title] as const);
}

const characters_of = { n: "digits", x: "text", y: "reference", z: "url" } as const;
const rule_of = { c: "check_digit", d: "date", D: "date_or_month", t: "time" } as const;

function partOf(text: string): ValuePart {
  const [, kind, varies, length, rule, optional] = /^([nxyz])(\.\.)?(\d+)([cdDt])?(\?)?$/.exec(text) ?? [];
  return {
    characters: characters_of[kind as keyof typeof characters_of],
    length_min: optional ? 0 : varies ? 1 : Number(length),
    length_max: Number(length),
    rule: rule === undefined ? null : rule_of[rule as keyof typeof rule_of],
  };
}

/** The numbers of decimals that a fourth digit may name: a discount has up to 3, an amount up to 9, others up to 5. */
const decimals_max = (family: string): number => (family === "394" ? 3 : /^39[0-3]$/.test(family) ? 9 : 5);

/** All application identifiers by their digits. */
export const applicationIdentifiers: ReadonlyMap<string, ApplicationIdentifier> = new Map(
  rows.flatMap(([name, format, title]) => {
    const parts = format.split(" ").map(partOf);
    const isFixed = parts.every(({ length_min, length_max }) => length_min === length_max);
    const length = isFixed ? parts.reduce((sum, part) => sum + part.length_max, 0) : null;
    const identifierOf = (ai: string, decimals: number | null) => [ai, { ai, title, parts, length, decimals }] as const;
    if (!name.endsWith("n")) return [identifierOf(name, null)];
    const family = name.slice(0, -1);
    return Array.from({ length: decimals_max(family) + 1 }, (_, n) => identifierOf(`${family}${n}`, n));
  }),
);

// Identifiers of the same first digits have the same length, also those that are not listed yet.
const identifier_lengths: readonly (readonly [first: RegExp, length: number])[] = [
  [/^(?:0\d|1\d|2[0-2]|30|37|9\d)/, 2],
  [/^(?:2[3-5]|4[0-2]|71)/, 3],
  [/^(?:3[1-69]|43|7[02]|8[0-2])/, 4],
];

/** The application identifier at the beginning of a text, known or not; null if it begins with none. */
export function identifierAt(text: string): string | null {
  const [, length] = identifier_lengths.find(([first]) => first.test(text)) ?? [];
  const ai = length === undefined ? "" : text.slice(0, length);
  return length !== undefined && /^\d+$/.test(ai) && ai.length === length ? ai : null;
}

/** The length of the value of an identifier that needs no separator, also of those that are not listed yet. */
export function predefinedLength(ai: string): number | null {
  if (ai === "00") return 18;
  if (/^0[1-3]/.test(ai)) return 14;
  if (ai === "04") return 16;
  if (/^1[1-9]/.test(ai)) return 6;
  if (ai === "20") return 2;
  if (/^3[1-6]/.test(ai)) return 6;
  return /^41/.test(ai) ? 13 : null;
}
