// Shared parts of the stock screens.
import { day_ms } from "../../../../core/time.ts";
import { ofMerchant, ownerOf } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import type { WarehouseRecord } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import type { FormField } from "../../components/fields.tsx";
import { choice, type ListFilter } from "../../components/list_page.tsx";
import { now } from "../../components/now.ts";
import type { TableColumn } from "../../components/table.tsx";
import { dateIn } from "../../text/format.ts";

/** The address of a SKU's page. `owned` is a record of the merchant, since several merchants may use the same SKU. */
export const stockHref = (sku: string, owned: object = {}, params: Readonly<Record<string, string>> = {}) =>
  to(`/stock/${encodeURIComponent(sku)}`, { ...ofMerchant(ownerOf(owned)), ...params });

/** The warehouses, with their names and options, and the filter, column and field for one of several. */
export function useWarehouses() {
  const { data: all = [], problem } = useQuery<readonly WarehouseRecord[]>("/inventory/locations");
  const nameOf = (id: string) => all.find(({ warehouse_id }) => warehouse_id === id)?.name ?? id;
  /** The time zone of a warehouse, or of the first one. */
  const zoneOf = (id?: string) => (all.find(({ warehouse_id }) => warehouse_id === id) ?? all[0])?.timezone ?? "UTC";
  const options = all.map(({ warehouse_id, name }) => ({ value: warehouse_id, title: name }));
  const several = all.length > 1;
  const filter = (title: string, param = "location"): ListFilter => ({
    ...choice(param, title, options),
    when: several,
  });
  const column = (title: string): TableColumn<{ readonly location: string }> => ({
    id: "location",
    title,
    when: several,
    cell: ({ location }) => nameOf(location),
  });
  const field = (label: string): FormField => {
    return { kind: "select", name: "location", label, required: true, options, empty: "", when: () => several };
  };
  return { all, several, nameOf, zoneOf, options, filter, column, field, problem };
}

/** The entered whole number; null for other text. */
export function enteredNumber(value: unknown): number | null {
  const text = String(value ?? "").trim();
  return /^-?\d+$/.test(text) ? Number(text) : null;
}

/** The entered text; undefined if empty, so that the field is omitted. */
export const enteredText = (value: unknown): string | undefined => String(value ?? "").trim() || undefined;

/** The date `days` after today in a time zone, in the API's format. */
export const dayFromNow = (days: number, zone: string) =>
  new Date(Date.parse(dateIn(now.value, zone)) + days * day_ms).toISOString().slice(0, 10);

/** The days from today in a time zone until a date: 0 on the day itself, negative after it. */
export const daysUntil = (expiry: string, zone: string) =>
  (Date.parse(expiry.slice(0, 10)) - Date.parse(dateIn(now.value, zone))) / day_ms;
