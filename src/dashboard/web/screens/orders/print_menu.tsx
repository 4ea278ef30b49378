import { post } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { Order, PrintedDocument } from "../../api/types.ts";
import { Menu } from "../../components/menu.tsx";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { dateTime } from "../../text/format.ts";
import { orderTexts as texts } from "../../text/order.ts";

type PrintKind = PrintedDocument["include"][number];

/** Prints documents of an order, which then count as printed, into a tab that the click has opened. */
async function print({ id }: Order, include: readonly PrintKind[]): Promise<void> {
  const tab = window.open("", "_blank");
  try {
    const body = { order_ids: [id], include, slips: "beside_labels" };
    const { data: file } = await post<PrintedDocument>("/documents", body);
    if (file.url !== null && tab !== null) tab.location.href = file.url;
    else tab?.close();
    const [skipped] = file.skipped;
    if (skipped !== undefined) showRefused(new Error(skipped.message));
    else showSuccess(texts.printDone);
    refresh(new Set(["orders", "shipping"]));
  } catch (error) {
    tab?.close();
    showRefused(error);
  }
}

/** The documents of an order to print, for those who pack; each with when it was first printed. */
export function PrintMenu({ order }: { readonly order: Order }) {
  // Nothing is printed of these.
  if (!may("orders.fulfill") || ["cancelled", "on_hold"].includes(order.status)) return null;
  const { label_at, slip_at, pick_list_at } = order.printed;
  const item = (title: string, at: string | null, include: readonly PrintKind[]) => ({
    title: at === null ? title : texts.printedBefore(title, dateTime(at)),
    run: () => void print(order, include),
  });
  const isLabeled = order.shipments.some((parcel) => parcel.status !== "voided" && parcel.tracking_number !== null);
  const items = [
    ...(isLabeled ? [item(texts.printLabels, label_at, ["label", "packing_slip"])] : []),
    item(texts.packingSlip, slip_at, ["packing_slip"]),
    ...(["pending", "processing"].includes(order.status) ? [item(texts.pickList, pick_list_at, ["pick_list"])] : []),
  ];
  return <Menu name={texts.print} says_itself label={texts.print} class="button" items={items} />;
}
