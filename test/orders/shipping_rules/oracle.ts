// A second opinion on shipping rules, written from their description. It shares no code with the implementation: it
// works on requests and responses, with plain numbers.

/** A rule as the API shows it, as far as it matters here. */
export interface OracleRule {
  readonly id: string;
  readonly revision: number;
  readonly position: number;
  readonly merchant_id: string | null;
  readonly active: boolean;
  readonly conditions: Readonly<Record<string, unknown>>;
  readonly actions: Readonly<Record<string, unknown>>;
}

/** The facts of an order in whole grams and in units of its currency. */
export interface OracleOrder {
  readonly merchant_id: string;
  readonly method: string | null;
  readonly country: string;
  readonly zone: string | null;
  /** Null when unknown. */
  readonly grams: number | null;
  readonly value: number;
  readonly currency: string;
  readonly skus: readonly string[];
  readonly units: number;
  readonly platform: string;
  readonly tags: readonly string[];
  readonly cold: boolean;
}

const grams: Readonly<Record<string, number>> = { g: 1, kg: 1000, lb: 453.59237, oz: 28.349523125 };

const like = (text: string, pattern: string) =>
  new RegExp(
    `^${pattern
      .split("*")
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
      .join("[^]*")}$`,
    "i",
  ).test(text);

function holds(name: string, wanted: unknown, all: OracleRule["conditions"], order: OracleOrder): boolean {
  const words = wanted as readonly string[];
  if (name === "shipping_methods") return words.filter((word) => like(order.method ?? "", word)).length > 0;
  if (name === "countries") return words.indexOf(order.country) >= 0;
  if (name === "zones") return order.zone !== null && words.indexOf(order.zone) >= 0;
  if (name === "skus") return order.skus.filter((sku) => words.filter((word) => like(sku, word)).length > 0).length > 0;
  if (name === "platforms") return words.indexOf(order.platform) >= 0;
  if (name === "tags") return order.tags.some((tag) => words.some((word) => word.toUpperCase() === tag.toUpperCase()));
  if (name === "one_unit") return (order.units === 1) === wanted;
  if (name === "requires_cold_storage") return order.cold === wanted;
  const limit = Number(wanted);
  const scale = grams[String(all["weight_unit"] ?? "lb")] ?? 0;
  if (name === "weight_min") return order.grams !== null && order.grams >= limit * scale;
  if (name === "weight_max") return order.grams !== null && order.grams <= limit * scale;
  const same = order.currency === (all["currency"] ?? "USD");
  if (name === "value_min") return same && order.value >= limit;
  if (name === "value_max") return same && order.value <= limit;
  return true;
}

/** The decisions about an order, by field: the value, the rule's id and its revision. */
export function decide(
  rules: readonly OracleRule[],
  order: OracleOrder,
): Record<string, readonly [unknown, string, number]> {
  const own = rules.filter((rule) => rule.active && rule.merchant_id === order.merchant_id);
  const general = rules.filter((rule) => rule.active && rule.merchant_id === null);
  const byPlace = (a: OracleRule, b: OracleRule) =>
    a.position === b.position ? Number(a.id.slice(4)) - Number(b.id.slice(4)) : a.position - b.position;
  const decided: Record<string, readonly [unknown, string, number]> = {};
  for (const { id, revision, conditions, actions } of [...own.sort(byPlace), ...general.sort(byPlace)]) {
    const fits = Object.entries(conditions).every(
      ([name, wanted]) => wanted == null || holds(name, wanted, conditions, order),
    );
    if (!fits) continue;
    const { carrier, service, choose, days_max, price_max, insure_above } = actions;
    const currency = actions["currency"] ?? "USD";
    const found: Record<string, unknown> = {};
    if (carrier != null) found["service"] = `${carrier}/${service}`;
    if (choose != null) found["service"] = [choose, days_max ?? null, price_max ?? null].join("/");
    if (insure_above != null && order.currency === currency) found["insurance"] = order.value > Number(insure_above);
    for (const name of ["warehouse_id", "priority", "packing_note"]) {
      if (actions[name] != null) found[name] = actions[name];
    }
    if (actions["hold"] != null) found["hold"] = (actions["hold"] as { reason: string }).reason;
    if (actions["carton"] != null) found["carton"] = (actions["carton"] as { length: number }).length;
    for (const [field, value] of Object.entries(found)) {
      if (!(field in decided)) decided[field] = [value, id, revision];
    }
  }
  return decided;
}
