// Shared parts of the stock screens.
import { ofMerchant, ownerOf } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import type { Warehouse } from "../../api/stock_types.ts";
import { to } from "../../browser/router.ts";
import type { Option } from "../../kit/fields.tsx";
import { now } from "../../kit/now.ts";

/** The page of a SKU, which several merchants may have: that of the merchant whose `owned` is. */
export const stockHref = (sku: string, owned: object = {}, params: Readonly<Record<string, string>> = {}) =>
  to(`/stock/${encodeURIComponent(sku)}`, { ...ofMerchant(ownerOf(owned)), ...params });

/** The choices of a table of words. */
export const optionsOf = (all: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries(all).map(([value, title]) => ({ value, title }));

/** The warehouses, as they are named and chosen. */
export function useWarehouses() {
  const { data: all = [], problem } = useQuery<readonly Warehouse[]>("/inventory/locations");
  const nameOf = (id: string) => all.find(({ warehouse_id }) => warehouse_id === id)?.name ?? id;
  const options = all.map(({ warehouse_id, name }) => ({ value: warehouse_id, title: name }));
  return { all, several: all.length > 1, nameOf, options, problem };
}

/** A whole number that was entered; null when it is none. */
export function entered(value: unknown): number | null {
  const text = String(value ?? "").trim();
  return /^-?\d+$/.test(text) ? Number(text) : null;
}

/** A text that was entered, or undefined so that the API is told nothing. */
export const said = (value: unknown): string | undefined => String(value ?? "").trim() || undefined;

const day_ms = 86_400_000;

/** The day so many days from now, as the API takes it. */
export const dayFromNow = (days: number) => new Date(now.value + days * day_ms).toISOString().slice(0, 10);

/** Whole days until a moment; below zero when it is past. */
export const daysUntil = (moment: string) => Math.ceil((new Date(moment).getTime() - now.value) / day_ms);
