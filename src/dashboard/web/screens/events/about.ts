import type { ApiEvent } from "../../api/developer_types.ts";
import { to } from "../../browser/router.ts";
import { stockHref } from "../stock_parts/shared.ts";

/** The resource of an event: its name and the screen that shows it. */
export function aboutEvent(event: ApiEvent): { readonly name: string; readonly href: string } | null {
  const { type, data } = event;
  const fields = (data ?? {}) as Readonly<Record<string, unknown>>;
  const text = (name: string) => (typeof fields[name] === "string" ? (fields[name] as string) : null);
  const [noun] = type.split(".");
  const id = text("id");
  const order_id = text("order_id");
  if (noun === "order" && id !== null) return { name: text("order_number") ?? id, href: to(`/orders/${id}`) };
  const sku = text("sku");
  if (noun === "inventory" && sku !== null) return { name: sku, href: stockHref(sku, event) };
  if (noun === "return" && id !== null) return { name: id, href: to(`/returns/${id}`) };
  const tracking_number = text("tracking_number");
  if (order_id !== null) return { name: tracking_number ?? id ?? order_id, href: to(`/orders/${order_id}`) };
  return null;
}
