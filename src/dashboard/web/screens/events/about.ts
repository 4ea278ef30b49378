import type { ApiEvent } from "../../api/developer_types.ts";

/** The resource of an event: its name and the screen that shows it. */
export function aboutEvent({ type, data }: ApiEvent): { readonly name: string; readonly path: string } | null {
  const fields = (data ?? {}) as Readonly<Record<string, unknown>>;
  const text = (name: string) => (typeof fields[name] === "string" ? (fields[name] as string) : null);
  const [noun] = type.split(".");
  const id = text("id");
  const order_id = text("order_id");
  if (noun === "order" && id !== null) return { name: text("order_number") ?? id, path: `/orders/${id}` };
  const sku = text("sku");
  if (noun === "inventory" && sku !== null) return { name: sku, path: `/stock/${encodeURIComponent(sku)}` };
  if (noun === "return" && id !== null) return { name: id, path: `/returns/${id}` };
  const tracking_number = text("tracking_number");
  if (order_id !== null) return { name: tracking_number ?? id ?? order_id, path: `/orders/${order_id}` };
  return null;
}
