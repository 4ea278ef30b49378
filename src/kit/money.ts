const decimal = /^(0|[1-9][0-9]{0,12})(\.[0-9]{1,2})?$/;

/**
 * Reads an amount of money from its decimal text: `12`, `12.5`, `"12.50"` become 1200, 1250, 1250 cents.
 * Null for anything else: a sign, a third decimal, an exponent, more than thirteen digits before the point.
 */
export function readCents(amount: string | number): number | null {
  const text = String(amount);
  if (!decimal.test(text)) return null;
  const [whole = "0", part = ""] = text.split(".");
  return Number(whole) * 100 + Number(part.padEnd(2, "0"));
}

/**
 * Reads an amount that others wrote, to the nearest cent: a half cent counts. `12`, `12.345`, `"7.58000"` become 1200,
 * 1235, 758. Null for anything else: a sign, an exponent, more than ten digits before the point or twenty behind it.
 */
export function readNearestCents(amount: unknown): number | null {
  const text = typeof amount === "number" || typeof amount === "string" ? String(amount) : "";
  const [, whole, part = ""] = /^(\d{1,10})(?:\.(\d{1,20}))?$/.exec(text) ?? [];
  if (whole === undefined) return null;
  return Number(whole) * 100 + Number(part.slice(0, 2).padEnd(2, "0")) + (Number(part[2] ?? "0") >= 5 ? 1 : 0);
}

/** Cents as a message writes them: always two decimals. */
export function moneyText(cents: number): string {
  return money(cents).toFixed(2);
}

/**
 * The share of an amount for some of its units, in whole cents, rounded half up. The cost of a part is the difference
 * of two such shares, so that all parts add up to the amount, in whatever order they come.
 */
export function shareOf(total_cents: number, units: number, all: number): number {
  // Whole cents of each unit first: the rest times the units is then small enough to be exact.
  const each = Math.floor(total_cents / all);
  const rest = total_cents - each * all;
  return each * units + Math.floor((2 * rest * units + all) / (2 * all));
}

/** Cents as the wire writes them: a decimal number with at most two decimals. */
export function money(cents: number): number {
  return cents / 100;
}
