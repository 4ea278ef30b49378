import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import { second_ms } from "../../core/time.ts";
import { defaultPaperSize, type PrintContext } from "../../documents/document.ts";
import type { StoredFile } from "../../files/file.ts";
import { printedImage } from "../../files/printed_image.ts";
import type { PlainWarehouse } from "../../inventory/warehouses/warehouse.ts";
import { listPlainWarehouses } from "../../inventory/warehouses/warehouses.sql.ts";
import { getBrandingWithLogo } from "../../merchants/branding/branding.sql.ts";
import { pickListDocument } from "../../orders/fulfillment/pick_list.ts";
import { unpickable, wave_orders_max } from "../../orders/fulfillment/pick_walk.ts";
import { planNextWalk } from "../../orders/fulfillment/plan_pick_walk.ts";
import { isCancelled } from "../../orders/order.transitions.ts";
import { hinderedBy, type Order } from "../../orders/order.ts";
import { findOrders } from "../../orders/orders.sql.ts";
import type { Db, Store, Tx } from "../../storage/database.ts";
import type { FileContents } from "../../storage/file_contents.ts";
import { currentDrawing } from "../labels/draw_label.ts";
import type { ShippingLabel } from "../labels/label.ts";
import { type ChosenDocument, formatOf } from "../labels/label_documents.ts";
import { findLabels, listOrderLabels, readDocument } from "../labels/labels.sql.ts";
import { sendersOfOrders } from "../origins.sql.ts";
import { packingSlipDocument, packingSlipOf } from "../packing_slip.ts";
import { PrintLog } from "./print_log.ts";
import { type Printable, pagesOf, skipping } from "./printable.ts";
import type { PrintedDocument, PrintedItem, PrintSection, SkippedRow } from "./printed_document.ts";
import { deleteContent, insertChunk, lockClaim, renewClaim } from "./printed_documents.sql.ts";
import { openSheets, type SheetPart, type Sheets } from "./sheets.ts";

/** Where a document is drawn. */
export interface DrawingSite {
  readonly store: Store;
  readonly log: Log;
  readonly files: FileContents;
  /** Aborted when the service shuts down. */
  readonly ending: AbortSignal;
}

/** The claim was taken over by another server, or this one shuts down. */
export class Abandoned extends Error {}

/** Orders that are read in one view. */
const slice_orders = 10;
const progress_every_ms = second_ms;

/** A part that is ready to be drawn, and what to record of it. */
interface ReadyPage {
  readonly page: Printable;
  readonly part: SheetPart;
  /** The file of the logo on a slip. */
  readonly logo: StoredFile | null;
}

/** One document while it is drawn. */
export class DocumentDrawing {
  /** With its current claim. */
  document: PrintedDocument;
  readonly #site: DrawingSite;
  #done = 0;
  /** The number of stored chunks, and their bytes. */
  #chunks = 0;
  #size = 0;
  #reported_at: number;

  constructor(site: DrawingSite, document: PrintedDocument) {
    this.#site = site;
    this.document = document;
    this.#reported_at = site.store.clock.elapsed();
  }

  /** Draws and stores the content. Returns what it printed. */
  async draw(): Promise<PrintLog> {
    const { id, format, created_at, sections } = this.document;
    const printed = new PrintLog();
    await this.#begin();
    const store = (chunk: Uint8Array) => this.#append(chunk);
    const { log } = this.#site;
    const sheets = await openSheets(format, `Packhouse ${wireId("document", id)}`, { now: created_at, log, store });
    let pages = 0;
    try {
      for (const section of sections) {
        if (section.includes("pick_list")) await this.#drawPickLists(sheets, printed);
        else await this.#drawPages(section, sheets, printed);
      }
      pages = await sheets.finish();
    } catch (error) {
      await sheets.drop();
      throw error;
    }
    this.document = { ...this.document, pages, size: this.#size };
    return printed;
  }

  async #drawPages(section: PrintSection, sheets: Sheets, printed: PrintLog): Promise<void> {
    const { items } = this.document;
    for (let at = 0; at < items.length; at += slice_orders) {
      const slice = items.slice(at, at + slice_orders);
      const { ready, skipped } = await this.#site.store.read((db) => readPages(db, this.document, slice, section));
      printed.skipped.push(...skipped);
      for (const { page, part, logo } of ready) {
        if (await isAdded(sheets, await withLogo(this.#site, part, logo))) printed.page(page);
        else if (page.kind === "label") {
          const message = "The label's file cannot be read. Print the label by itself.";
          printed.skipped.push(...skipping(page.order, [page.kind])("unreadable_document", message, page.label.id));
        }
      }
      await this.#progress(slice.length);
    }
  }

  async #drawPickLists(sheets: Sheets, printed: PrintLog): Promise<void> {
    const ids = [...new Set(this.document.items.map(({ order_id }) => order_id))];
    for (let at = 0; at < ids.length; at += wave_orders_max) {
      let open = await this.#pickable(ids.slice(at, at + wave_orders_max), printed);
      while (open.length > 0) {
        const { walk, count, print } = await this.#site.store.read(async (db) => {
          const next = await planNextWalk(db, open);
          const warehouse = next.walk?.legs[0]?.warehouse ?? (await listPlainWarehouses(db))[0];
          return { ...next, print: warehouse === undefined ? null : printOf(db, this.document, warehouse) };
        });
        if (walk !== null && print !== null) {
          await sheets.add({ type: "document", document: pickListDocument(walk, print, true) });
          for (const order of walk.orders) printed.pickList(order);
        } else {
          const message = "The pick list of the order alone has too many stops.";
          for (const order of open.slice(0, count)) {
            printed.skipped.push(...skipping(order, ["pick_list"])("too_long", message));
          }
        }
        open = open.slice(count);
        await this.#progress(count);
      }
    }
  }

  /** Reads orders, and records those with nothing to pick. */
  async #pickable(ids: readonly number[], printed: PrintLog): Promise<Order[]> {
    const open: Order[] = [];
    for (let at = 0; at < ids.length; at += slice_orders) {
      const slice = ids.slice(at, at + slice_orders);
      const found = new Map((await this.#site.store.read((db) => findOrders(db, slice))).map((one) => [one.id, one]));
      for (const order of slice.flatMap((id) => found.get(id) ?? [])) {
        const why = unpickable(order);
        if (why === null) open.push(order);
        else {
          const held = hinderedBy(order).length > 0 ? "on_hold" : "nothing_to_pick";
          const code = isCancelled(order.status) ? "cancelled" : held;
          printed.skipped.push(...skipping(order, ["pick_list"])(code, `The order ${why}.`));
        }
      }
      this.#refuseEnded();
    }
    this.#done += ids.length - open.length;
    return open;
  }

  /** Counts steps, and now and then reports them, which also renews the claim. */
  async #progress(steps: number): Promise<void> {
    this.#done += steps;
    this.#refuseEnded();
    const now = this.#site.store.clock.elapsed();
    if (now - this.#reported_at < progress_every_ms) return;
    this.#reported_at = now;
    this.document = await this.#claimed((tx) => renewClaim(tx, this.document, this.#done));
  }

  #refuseEnded(): void {
    if (this.#site.ending.aborted) throw new Abandoned();
  }

  async #claimed<Done>(work: (tx: Tx) => Promise<Done>): Promise<Done> {
    return this.#site.store.write(async (tx) => {
      if (!(await lockClaim(tx, this.document))) throw new Abandoned();
      return work(tx);
    });
  }

  /** Removes the content of an earlier try. */
  async #begin(): Promise<void> {
    this.#done = 0;
    this.#chunks = 0;
    this.#size = 0;
    this.document = await this.#claimed(async (tx) => {
      await deleteContent(tx, this.document.id);
      return renewClaim(tx, this.document, 0);
    });
  }

  async #append(chunk: Uint8Array): Promise<void> {
    await this.#claimed((tx) => insertChunk(tx, this.document.id, this.#chunks, chunk));
    this.#chunks += 1;
    this.#size += chunk.length;
    this.#refuseEnded();
  }
}

/** Returns a part with its logo, whose content is read outside of transactions. */
export async function withLogo(
  { files, store }: Pick<DrawingSite, "files" | "store">,
  part: SheetPart,
  logo: StoredFile | null,
): Promise<SheetPart> {
  if (part.type !== "document" || logo === null) return part;
  return { ...part, document: { ...part.document, logo: await printedImage(files, store.mode, logo) } };
}

/** Adds a part. Returns false if it is a carrier's file that cannot be read. */
async function isAdded(sheets: Sheets, part: SheetPart): Promise<boolean> {
  try {
    await sheets.add(part);
    return true;
  } catch (error) {
    if (error instanceof Fault || !("bytes" in part)) throw error;
    return false;
  }
}

/** Reads what is needed to draw the labels and slips of some orders. */
async function readPages(
  db: Db,
  document: PrintedDocument,
  items: readonly PrintedItem[],
  section: PrintSection,
): Promise<{ readonly ready: readonly ReadyPage[]; readonly skipped: readonly SkippedRow[] }> {
  const ids = [...new Set(items.map(({ order_id }) => order_id))];
  const orders = new Map((await findOrders(db, ids)).map((order) => [order.id, order]));
  const labels = Map.groupBy(await listOrderLabels(db, ids), ({ order_id }) => order_id);
  const named = items.flatMap(({ label_id }) => label_id ?? []);
  const requested = new Map((await findLabels(db, named)).map((label) => [label.id, label]));
  const senders = await sendersOfOrders(db, [...orders.values()]);
  const ready: ReadyPage[] = [];
  const skipped: SkippedRow[] = [];
  for (const { order_id, label_id } of items) {
    const order = orders.get(order_id);
    const sender = senders.get(order_id);
    if (order === undefined || sender === undefined) continue;
    const label = label_id === null ? null : (requested.get(label_id) ?? null);
    const request = { order, labels: labels.get(order_id) ?? [], requested: label };
    const chosen = pagesOf(request, section, document.format);
    skipped.push(...chosen.skipped);
    for (const page of chosen.pages) ready.push({ page, ...(await partOf(db, document, page, sender)) });
  }
  return { ready, skipped };
}

/** Reads what is needed to draw a page. `paper` is that of slips, by default that of the sender's country. */
export async function partOf(
  db: Db,
  document: Pick<PrintedDocument, "paper">,
  page: Printable,
  sender: PlainWarehouse,
): Promise<Omit<ReadyPage, "page">> {
  if (page.kind === "label") return { part: await labelPart(db, page.order, page.label, page.chosen), logo: null };
  const { order, shipment } = page;
  const slip = packingSlipOf(order, sender, shipment === null ? undefined : wireId("shipment", shipment.id));
  const choices = { prices: false, notes: false, prints: (shipment ?? order).slip_prints };
  const { branding, logo } = await getBrandingWithLogo(db, order.merchant_id);
  const print = printOf(db, document, sender);
  return { part: { type: "document", document: packingSlipDocument(slip, choices, print, branding) }, logo };
}

async function labelPart(db: Db, order: Order, label: ShippingLabel, chosen: ChosenDocument): Promise<SheetPart> {
  if ("drawing" in chosen) return { type: "drawing", drawing: currentDrawing(db, order, label, chosen.drawing) };
  return { type: formatOf(chosen.stored.content_type), bytes: await readDocument(db, chosen.stored) };
}

function printOf(
  { now }: Db,
  { paper }: Pick<PrintedDocument, "paper">,
  { address, timezone }: PlainWarehouse,
): PrintContext {
  return { now, timezone, sheet: paper ?? defaultPaperSize(address.country) };
}
