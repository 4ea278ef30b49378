// Shared parts of the stock screens.
import { ofMerchant, ownerOf } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import type { WarehouseRecord } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import type { Option } from "../../components/fields.tsx";
import { now } from "../../components/now.ts";
import { dateIn } from "../../text/format.ts";

/** The page of a SKU, which several merchants may have: that of the merchant whose `owned` is. */
export const stockHref = (sku: string, owned: object = {}, params: Readonly<Record<string, string>> = {}) =>
  to(`/stock/${encodeURIComponent(sku)}`, { ...ofMerchant(ownerOf(owned)), ...params });

/** The choices of a table of words. */
export const optionsOf = (all: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries(all).map(([value, title]) => ({ value, title }));

/** The warehouses, as they are named and chosen. */
export function useWarehouses() {
  const { data: all = [], problem } = useQuery<readonly WarehouseRecord[]>("/inventory/locations");
  const nameOf = (id: string) => all.find(({ warehouse_id }) => warehouse_id === id)?.name ?? id;
  /** The time zone of a warehouse, or of the first one. */
  const zoneOf = (id?: string) => (all.find(({ warehouse_id }) => warehouse_id === id) ?? all[0])?.timezone ?? "UTC";
  const options = all.map(({ warehouse_id, name }) => ({ value: warehouse_id, title: name }));
  return { all, several: all.length > 1, nameOf, zoneOf, options, problem };
}

/** A whole number that was entered; null when it is none. */
export function enteredNumber(value: unknown): number | null {
  const text = String(value ?? "").trim();
  return /^-?\d+$/.test(text) ? Number(text) : null;
}

/** A text that was entered, or undefined so that the API is told nothing. */
export const enteredText = (value: unknown): string | undefined => String(value ?? "").trim() || undefined;

const day_ms = 86_400_000;

/** The date `days` after today in a zone, as the API takes it. */
export const dayFromNow = (days: number, zone: string) =>
  new Date(Date.parse(dateIn(now.value, zone)) + days * day_ms).toISOString().slice(0, 10);

/** Days from today in a zone until a date: 0 on the day itself, below zero when it is past. */
export const daysUntil = (expiry: string, zone: string) =>
  (Date.parse(expiry.slice(0, 10)) - Date.parse(dateIn(now.value, zone))) / day_ms;
