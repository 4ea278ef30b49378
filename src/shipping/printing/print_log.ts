import type { OrderPrint } from "../../orders/orders.sql.ts";
import type { Printable } from "./printable.ts";
import type { PrintedRow, PrintKind, SkippedRow } from "./printed_document.ts";
import { printKinds } from "./printed_document.ts";

/** The number of earlier prints of a label, slip or pick list. The mark of a slip or pick list says it. */
export interface PrintMark {
  readonly id: number;
  readonly prints: number;
}

interface OrderLog {
  readonly order_id: number;
  readonly order_number: string;
  readonly documents: Set<PrintKind>;
  readonly label_ids: number[];
  slip: OrderPrint["slip"];
  reprint: number;
}

type NamedOrder = Printable["order"];

/** Records what is printed, order by order. */
export class PrintLog {
  readonly #orders = new Map<number, OrderLog>();
  readonly skipped: SkippedRow[] = [];
  /** The printed labels, and the parcels of those that are not for returns. */
  readonly labels: PrintMark[] = [];
  readonly labeled_parcels: number[] = [];
  readonly parcel_slips: PrintMark[] = [];
  readonly order_slips: PrintMark[] = [];
  readonly pick_lists: PrintMark[] = [];
  /** The customer's address when each order was first read. An erasure changes it. */
  readonly emails = new Map<number, string>();

  /** Records that a label or a packing slip was drawn. */
  page(page: Printable): void {
    if (page.kind === "label") {
      const { id, shipment_id, prints } = page.label;
      const log = this.#note(page.order, "label", prints);
      if (log.label_ids.includes(id)) return;
      log.label_ids.push(id);
      this.labels.push({ id, prints });
      if (shipment_id !== null) this.labeled_parcels.push(shipment_id);
      return;
    }
    const { order, shipment } = page;
    const mark = { id: shipment?.id ?? order.id, prints: (shipment ?? order).slip_prints };
    const log = this.#note(order, "packing_slip", mark.prints);
    if (shipment === null) {
      log.slip = "order";
      this.order_slips.push(mark);
    } else {
      log.slip ??= "parcel";
      this.parcel_slips.push(mark);
    }
  }

  /** Records that an order is on a pick list. */
  pickList(order: NamedOrder): void {
    this.#note(order, "pick_list", order.pick_list_prints);
    this.pick_lists.push({ id: order.id, prints: order.pick_list_prints });
  }

  #note({ id, order_number, customer_email }: NamedOrder, kind: PrintKind, prints: number): OrderLog {
    const none = (): OrderLog => {
      return { order_id: id, order_number, documents: new Set(), label_ids: [], slip: null, reprint: 0 };
    };
    const log = this.#orders.getOrInsertComputed(id, none);
    this.emails.getOrInsert(id, customer_email);
    log.documents.add(kind);
    log.reprint = Math.max(log.reprint, prints);
    return log;
  }

  /** The printed orders, in the order of the request. */
  rows(order_ids: readonly number[]): PrintedRow[] {
    const logs = [...new Set(order_ids)].flatMap((id) => this.#orders.get(id) ?? []);
    return logs.map(({ order_id, order_number, documents, label_ids, reprint }) => {
      const kinds = printKinds.filter((kind) => documents.has(kind));
      return { order_id, order_number, documents: kinds, label_ids, reprint };
    });
  }

  /** What the orders and their histories record. */
  prints(actor: OrderPrint["entry"]["actor"]): OrderPrint[] {
    return [...this.#orders.values()].map(({ order_id, documents, slip, reprint }) => {
      const words = printKinds.filter((kind) => documents.has(kind)).map((kind) => kind.replace("_", " "));
      const note = reprint === 0 ? words.join(", ") : `${words.join(", ")}; reprint ${reprint}`;
      const entry = { event: "print", actor, note };
      return { order_id, pick_list: documents.has("pick_list"), slip, entry };
    });
  }
}
