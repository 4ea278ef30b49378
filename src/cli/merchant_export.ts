// `packhouse export --merchant`: writes all records of one merchant as files, in the form that its own keys see, so
// that a merchant can leave easily.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { billableExport } from "../billing/billable_events.routes.ts";
import { storageExport } from "../billing/storage_days.routes.ts";
import { iso } from "../core/clock.ts";
import type { CsvCell } from "../core/csv.ts";
import type { Environment } from "../core/environment.ts";
import { openAtomicFile, writeAtomically } from "../core/files.ts";
import { wireId } from "../core/ids.ts";
import { progressBar, type Terminal } from "../core/progress.ts";
import type { PageWindow } from "../core/schema.ts";
import { type addressView, type Customer, customerView } from "../customers/customer.ts";
import { customerList, withAddresses } from "../customers/customers.sql.ts";
import { eventView } from "../events/events.routes.ts";
import { listEvents, type StoredEvent } from "../events/events.sql.ts";
import { fileExtensions, type StoredFile } from "../files/file.ts";
import { fileList } from "../files/files.sql.ts";
import { type CsvFile, csvPages, pagesOf } from "../http/csv_response.ts";
import { listUserIds, type ViewerWithUsers, withActorsFor } from "../identity/actors.sql.ts";
import { movementExport } from "../inventory/ledger/movements.routes.ts";
import { type Receipt, receiptView } from "../inventory/receiving/receipt.ts";
import { receiptList, wholeReceipts } from "../inventory/receiving/receipts.sql.ts";
import { transferView } from "../inventory/receiving/transfer.ts";
import { transferList, wholeTransfers } from "../inventory/receiving/transfers.sql.ts";
import { lotView, type NamedLot } from "../inventory/stock/lot.ts";
import { listLotUnits, lotList, zonesOf } from "../inventory/stock/lots.sql.ts";
import { exportWithoutBins } from "../inventory/stock/stock_csv.routes.ts";
import { getBranding } from "../merchants/branding/branding.sql.ts";
import { brandingView } from "../merchants/branding/branding.ts";
import { merchantView } from "../merchants/merchant.ts";
import { getMerchant } from "../merchants/merchants.sql.ts";
import { noteView } from "../orders/changes/staff_notes.routes.ts";
import { nextSharedNotes } from "../orders/changes/staff_notes.sql.ts";
import { orderExport } from "../orders/csv/order_csv.routes.ts";
import type { StoredOrderRow } from "../orders/lifecycle/order_lookup.sql.ts";
import { orderView } from "../orders/order.ts";
import { wholeOrders } from "../orders/orders.sql.ts";
import { listOrders, orderPosition } from "../orders/search/order_list.sql.ts";
import { productView } from "../products/product.ts";
import { productExport } from "../products/product_csv.routes.ts";
import { listProductsAfter } from "../products/products.sql.ts";
import { type Return, returnView } from "../returns/return.ts";
import { returnList, withItemsAndRefunds } from "../returns/returns.sql.ts";
import { labelExport } from "../shipping/labels/label_list.routes.ts";
import type { Db, Store } from "../storage/database.ts";
import { type FileContents, files_folder } from "../storage/file_contents.ts";
import type { Stores } from "../storage/open_stores.ts";
import { parcelExport } from "../tracking/parcels.routes.ts";
import { trackedExport } from "../tracking/tracking.routes.ts";
import { listEvents as listScans } from "../tracking/tracking.sql.ts";
import { trackingView } from "../tracking/tracking_record.ts";

/** Writes one file to a folder and returns its name and number of rows or records. */
type WriteExportFile = (store: Store, folder: string) => Promise<WrittenExportFile>;
interface WrittenExportFile {
  readonly name: string;
  readonly count: number;
}

/**
 * Writes all records of a merchant in one environment to a folder, which is created if missing. `name` is its code or
 * id. Returns the files that were written. Refuses: resource_missing.
 */
export async function exportMerchant(
  { stores, contents }: { readonly stores: Stores; readonly contents: FileContents },
  mode: Environment,
  name: string,
  folder: string,
  terminal: Terminal,
): Promise<readonly WrittenExportFile[]> {
  const merchant = await stores[mode].read((db) => getMerchant(db, name));
  // With a single merchant, everything is its own except records without an owner, such as events of warehouses.
  const scope = { visible: merchant.id, owner: null };
  const own = stores[mode].scoped(scope);
  const people = await stores.live.scoped(scope).read(listUserIds);
  const viewer = { merchant_id: merchant.id, actor: { id: "" }, people };
  mkdirSync(folder, { recursive: true });
  const files = [
    records("merchant", once(merchant), (rows) => rows.map(merchantView)),
    records(
      "branding",
      async (db) => ({ rows: [await getBranding(db, merchant.id)], next: null }),
      (rows) => rows.map((branding) => brandingView(branding, null)),
    ),
    records("files", filePages, (rows) => rows.map(exportedFile)),
    contentFiles(contents),
    ...filesFor(viewer),
  ];
  const bar = progressBar("Files", files.length, terminal);
  const written: WrittenExportFile[] = [];
  for (const write of files) {
    written.push(await write(own, folder));
    bar.step();
  }
  bar.done();
  return written;
}

function filesFor(viewer: ViewerWithUsers): readonly WriteExportFile[] {
  return [
    table(productExport),
    records("products", pagesOf(listProductsAfter), (rows) => rows.map(productView)),
    table(customerSheet),
    records("customers", customerSheet.records, (rows) => rows.map(customerView)),
    ...both(exportWithoutBins, "stock"),
    records(
      "lots",
      pagesOf((db, last: NamedLot | null, limit) => lotList.after(db, {}, last, limit)),
      async (rows, db) => {
        const units = await listLotUnits(
          db,
          rows.map(({ id }) => id),
        );
        const of = Map.groupBy(units, ({ lot_id }) => lot_id);
        return Promise.all(
          rows.map(async (lot) => {
            const own = of.get(lot.id) ?? [];
            return lotView(lot, own, { zones: await zonesOf(db, own), now: db.now }, false);
          }),
        );
      },
    ),
    ...both(movementExport({}, viewer)),
    table(orderExport({}, "created_at")),
    records(
      "orders",
      pagesOf((db, last: StoredOrderRow | null, limit) => {
        const after = last === null ? null : orderPosition(last, "created_at");
        return listOrders(db, {}, { limit, offset: 0, after }, "created_at");
      }),
      async (rows, db) => (await wholeOrders(db, rows)).map((order) => orderView(order, db.now)),
    ),
    records("staff_notes", pagesOf(nextSharedNotes), async (rows, db) =>
      (await withActorsFor(db, viewer, rows)).map(noteView),
    ),
    ...both(parcelExport({})),
    ...both(labelExport(viewer, {})),
    table(trackedExport({})),
    records("tracking", trackedExport({}).page, async (rows, db) => {
      const scans = await listScans(
        db,
        rows.map(({ record }) => record.id),
      );
      return rows.map((tracked) => {
        const events = scans.filter(({ record_id }) => record_id === tracked.record.id);
        return trackingView({ ...tracked, events });
      });
    }),
    table(returnSheet),
    records("returns", returnSheet.records, (rows) => rows.map(returnView)),
    table(receiptSheet),
    records("receipts", receiptSheet.records, (rows) => rows.map(receiptView)),
    records("transfers", completed(transferList, wholeTransfers), (rows) =>
      rows.map((transfer) => transferView(transfer, false)),
    ),
    records("events", eventPages, (rows) => rows.map((event) => eventView(event, false))),
    ...both(billableExport({}, viewer)),
    ...both(storageExport({}, viewer)),
  ];
}

const filePages = pagesOf((db, last: StoredFile | null, limit) => fileList.after(db, {}, last, limit));

/** A file in the export, with the place of its content in it. */
function exportedFile(file: StoredFile) {
  const { id, kind, content_type, size_bytes, sha256, name, width, height, created_at } = file;
  const place = join(files_folder, contentName(file));
  const facts = { kind, content_type, size_bytes, sha256, name, width, height };
  return { id: wireId("file", id), ...facts, content: place, created_at: iso(created_at) };
}

const contentName = ({ id, content_type }: StoredFile) => `${wireId("file", id)}.${fileExtensions[content_type]}`;

/** The contents of the merchant's files, in a folder of their own. */
function contentFiles(contents: FileContents): WriteExportFile {
  return async (store, folder) => {
    mkdirSync(join(folder, files_folder), { recursive: true });
    let count = 0;
    for (let last: StoredFile | null = null; ; ) {
      const page: { readonly rows: readonly StoredFile[]; readonly next: StoredFile | null } = await store.read((db) =>
        filePages(db, last, page_size),
      );
      for (const file of page.rows) {
        const bytes = await contents.read(store.mode, file.key);
        if (bytes === null) continue;
        writeAtomically(join(folder, files_folder, contentName(file)), bytes);
        count += 1;
      }
      if (page.next === null) return { name: `${files_folder}/`, count };
      last = page.next;
    }
  };
}

type ExportPage<Row, After> = CsvFile<Row, After>["page"];

/** The pages of a whole list, newest first, with what belongs to its records. */
function completed<Listed, Row extends { readonly created_at: number; readonly id: number }>(
  list: { readonly rows: (db: Db, values: object, window: PageStart) => Promise<readonly Listed[]> },
  complete: (db: Db, records: readonly Listed[]) => Promise<Row[]>,
): ExportPage<Row, Row> {
  return pagesOf(async (db, last, limit) => {
    const after = last === null ? null : ([last.created_at, last.id] as const);
    return complete(db, await list.rows(db, {}, { limit, after }));
  });
}
type PageStart = Pick<PageWindow, "limit" | "after">;

function once<Row>(row: Row): ExportPage<Row, Row> {
  return async () => ({ rows: [row], next: null });
}

const eventPages: ExportPage<StoredEvent, StoredEvent> = pagesOf((db, last, limit) =>
  listEvents(db, {}, { limit, offset: 0, after: last?.position ?? null, newest_first: false }),
);

/** A table as a CSV file. */
function table<Row, After>(file: CsvFile<Row, After>, name = file.name): WriteExportFile {
  return async (store, folder) => {
    let count = 0;
    const cells = (row: Row) => {
      count += 1;
      return file.cells(row);
    };
    const pages = csvPages(store, { ...file, cells });
    await writeFile(join(folder, name), pages);
    return { name, count };
  };
}

/** A table both as CSV and as JSON, with one object for each row. */
function both<Row, After>(
  file: CsvFile<Row, After>,
  base_name = file.name.replace(/\.csv$/, ""),
): readonly WriteExportFile[] {
  const named = (row: Row) => Object.fromEntries(file.cells(row).map((cell, at) => [file.columns[at], cell]));
  return [table(file, `${base_name}.csv`), records(base_name, file.page, (rows) => rows.map(named))];
}

/** A file of records as the API shows them: a JSON array with one record on each line. */
function records<Row, After>(
  base_name: string,
  page: ExportPage<Row, After>,
  views: (rows: readonly Row[], db: Db) => readonly object[] | Promise<readonly object[]>,
): WriteExportFile {
  const name = `${base_name}.json`;
  return async (store, folder) => {
    let count = 0;
    async function* text(): AsyncGenerator<string> {
      let after: After | null = null;
      yield "[";
      do {
        const last: After | null = after;
        const { shown, next } = await store.read(async (db) => {
          const { rows, next } = await page(db, last, page_size);
          return { shown: await views(rows, db), next };
        });
        for (const record of shown) yield `${count++ === 0 ? "\n" : ",\n"}${JSON.stringify(record)}`;
        after = next;
      } while (after !== null);
      yield "\n]\n";
    }
    await writeFile(join(folder, name), text());
    return { name, count };
  };
}

const page_size = 200;

async function writeFile(path: string, text: AsyncIterable<string>): Promise<void> {
  const file = openAtomicFile(path);
  try {
    for await (const piece of text) file.write(piece);
    file.keep();
  } finally {
    file.drop();
  }
}

/** A table with several rows for each record. */
interface MultiRowSheet<Row, Line> extends CsvFile<Line, Row> {
  readonly records: ExportPage<Row, Row>;
}

type LineColumns<Line> = Readonly<Record<string, (line: Line) => CsvCell>>;

function sheet<Row, Line>(
  name: string,
  pages: ExportPage<Row, Row>,
  linesOf: (row: Row) => readonly Line[],
  columns: LineColumns<Line>,
): MultiRowSheet<Row, Line> {
  return {
    name,
    columns: Object.keys(columns),
    records: pages,
    page: async (db, after, limit) => {
      const { rows, next } = await pages(db, after, limit);
      return { rows: rows.flatMap(linesOf), next };
    },
    cells: (line) => Object.values(columns).map((cell) => cell(line)),
  };
}

type ExportedCustomer = ReturnType<typeof customerView>;
type ExportedAddress = ReturnType<typeof addressView>;

/** One row for each address, and one row for a customer without addresses. */
const customerSheet = sheet<
  Customer,
  { readonly customer: ExportedCustomer; readonly address: ExportedAddress | undefined }
>(
  "customers.csv",
  completed(customerList, withAddresses),
  (row) => {
    const customer = customerView(row);
    const all = customer.shipping_addresses;
    return all.length === 0 ? [{ customer, address: undefined }] : all.map((address) => ({ customer, address }));
  },
  {
    customer_id: ({ customer }) => customer.id,
    email: ({ customer }) => customer.email,
    first_name: ({ customer }) => customer.first_name,
    last_name: ({ customer }) => customer.last_name,
    company: ({ customer }) => customer.company,
    phone: ({ customer }) => customer.phone,
    created_at: ({ customer }) => customer.created_at,
    address_id: ({ address }) => address?.id ?? null,
    recipient: ({ address }) => address?.name ?? null,
    recipient_company: ({ address }) => address?.company ?? null,
    address_line1: ({ address }) => address?.address_line1 ?? null,
    address_line2: ({ address }) => address?.address_line2 ?? null,
    city: ({ address }) => address?.city ?? null,
    state: ({ address }) => address?.state ?? null,
    postal_code: ({ address }) => address?.postal_code ?? null,
    country: ({ address }) => address?.country ?? null,
    recipient_phone: ({ address }) => address?.phone ?? null,
    is_default: ({ address }) => address?.is_default ?? null,
  },
);

type ExportedReturn = ReturnType<typeof returnView>;

/** One row for each item. */
const returnSheet = sheet<Return, { readonly of: ExportedReturn; readonly item: ExportedReturn["items"][number] }>(
  "returns.csv",
  completed(returnList, withItemsAndRefunds),
  (row) => {
    const of = returnView(row);
    return of.items.map((item) => ({ of, item }));
  },
  {
    return_id: ({ of }) => of.id,
    order_id: ({ of }) => of.order_id,
    status: ({ of }) => of.status,
    reason: ({ of }) => of.reason,
    sku: ({ item }) => item.sku,
    quantity: ({ item }) => item.quantity,
    quantity_received: ({ item }) => item.quantity_received,
    condition: ({ item }) => item.condition,
    notes: ({ item }) => item.notes,
    refund_status: ({ of }) => of.refund_status,
    refund_amount: ({ of }) => of.refund_amount,
    currency: ({ of }) => of.currency,
    customer_email: ({ of }) => of.customer_email,
    created_at: ({ of }) => of.created_at,
    received_at: ({ of }) => of.received_at,
    inspected_at: ({ of }) => of.inspected_at,
    completed_at: ({ of }) => of.completed_at,
  },
);

type ExportedReceipt = ReturnType<typeof receiptView>;

/** One row for each line. */
const receiptSheet = sheet<Receipt, { readonly of: ExportedReceipt; readonly line: ExportedReceipt["items"][number] }>(
  "receipts.csv",
  completed(receiptList, wholeReceipts),
  (row) => {
    const of = receiptView(row);
    return of.items.map((line) => ({ of, line }));
  },
  {
    receipt_id: ({ of }) => of.id,
    status: ({ of }) => of.status,
    reference: ({ of }) => of.reference,
    supplier: ({ of }) => of.supplier,
    purchase_order_number: ({ of }) => of.purchase_order_number,
    carrier: ({ of }) => of.carrier,
    tracking_number: ({ of }) => of.tracking_number,
    freight_cost: ({ of }) => of.freight_cost,
    freight_currency: ({ of }) => of.currency,
    location: ({ of }) => of.location,
    expected_at: ({ of }) => of.expected_at,
    sku: ({ line }) => line.sku,
    lot_number: ({ line }) => line.lot_number,
    expiration_date: ({ line }) => line.expiration_date,
    quantity: ({ line }) => line.quantity,
    quantity_received: ({ line }) => line.quantity_received,
    quantity_set_aside: ({ line }) => line.quantity_set_aside,
    quantity_outstanding: ({ line }) => line.quantity_outstanding,
    created_at: ({ of }) => of.created_at,
    closed_at: ({ of }) => of.closed_at,
  },
);
