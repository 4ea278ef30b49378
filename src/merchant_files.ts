// `packhouse export --merchant`: all there is of one merchant as files, in the merchant's own scope and as its keys are
// shown it, so that leaving is easy.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { billableExport } from "./billing/routes.ts";
import { storageExport } from "./billing/storage/routes.ts";
import { type addressView, type Customer, customerView } from "./customers/customer.ts";
import { listCustomers, withAddresses } from "./customers/store.ts";
import type { Stores } from "./database/open.ts";
import type { Db, Store } from "./database/store.ts";
import { type CsvFile, csvPages, pagesOf } from "./http/csv.ts";
import { movementExport } from "./inventory/ledger/routes.ts";
import { lotView } from "./inventory/lots/lot.ts";
import { listLots, listLotUnits, lotPosition, zonesOf } from "./inventory/lots/store.ts";
import { type Receipt, receiptView } from "./inventory/receipts/receipt.ts";
import { listReceipts, receiptPosition, wholeReceipts } from "./inventory/receipts/store.ts";
import { exportWithoutBins } from "./inventory/sheets/routes.ts";
import { listTransfers, wholeTransfers } from "./inventory/transfers/store.ts";
import { transferView } from "./inventory/transfers/transfer.ts";
import { type AskerWithPeople, listPeople } from "./keys/actors/store.ts";
import type { Cell } from "./kit/csv.ts";
import type { Mode } from "./kit/mode.ts";
import type { Position, Window } from "./kit/page.ts";
import { progress, type Terminal } from "./kit/progress.ts";
import { openWhole } from "./kit/whole_file.ts";
import { merchantView } from "./merchants/merchant.ts";
import { getMerchant } from "./merchants/store.ts";
import { listOrders, orderPosition } from "./orders/list/store.ts";
import { orderView } from "./orders/order.ts";
import { orderExport } from "./orders/sheets/routes.ts";
import { wholeOrders } from "./orders/store.ts";
import { eventView } from "./outbox/routes.ts";
import { listEvents, type StoredEvent } from "./outbox/store.ts";
import { productView } from "./products/product.ts";
import { productExport } from "./products/sheets/routes.ts";
import { listProductsAfter } from "./products/store.ts";
import { type Return, returnView } from "./returns/return.ts";
import { listReturns, wholeReturns } from "./returns/store.ts";
import { labelExport } from "./shipping/labels/list/routes.ts";
import { trackedExport } from "./tracking/following/routes.ts";
import { parcelExport } from "./tracking/parcels/routes.ts";
import { trackingView } from "./tracking/record.ts";
import { listEvents as listScans } from "./tracking/store.ts";

/** Writes one file into a folder; answers its name and how many rows or records it holds. */
type Writing = (store: Store, folder: string) => Promise<Written>;
interface Written {
  readonly name: string;
  readonly count: number;
}

/**
 * Writes all there is of a merchant in one world into a folder, which is made where it is missing; answers what was
 * written, file by file. Refuses: resource_missing.
 */
export async function exportMerchant(
  stores: Stores,
  mode: Mode,
  name: string,
  folder: string,
  terminal: Terminal,
): Promise<readonly Written[]> {
  const merchant = await stores[mode].read((db) => getMerchant(db, name));
  // What a house of one merchant has is its own, but for what is nobody's, such as events of warehouses.
  const scope = { sees: merchant.id, makes: null };
  const own = stores[mode].scoped(scope);
  const people = await stores.live.scoped(scope).read(listPeople);
  const asker = { merchant_id: merchant.id, actor: { id: "" }, people };
  mkdirSync(folder, { recursive: true });
  const files = [records("merchant", once(merchant), (rows) => rows.map(merchantView)), ...filesFor(asker)];
  const bar = progress("Files", files.length, terminal);
  const written: Written[] = [];
  for (const write of files) {
    written.push(await write(own, folder));
    bar.step();
  }
  bar.done();
  return written;
}

function filesFor(asker: AskerWithPeople): readonly Writing[] {
  return [
    table(productExport),
    records("products", pagesOf(listProductsAfter), (rows) => rows.map(productView)),
    table(customerSheet),
    records("customers", customerSheet.records, (rows) => rows.map(customerView)),
    ...both(exportWithoutBins, "stock"),
    records(
      "lots",
      paged(
        (db, window) => listLots(db, {}, window, "-created_at"),
        (lot) => lotPosition(lot, "-created_at"),
      ),
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
    ...both(movementExport({}, asker)),
    table(orderExport({}, "created_at")),
    records(
      "orders",
      paged(
        (db, window) => listOrders(db, {}, window, "created_at"),
        (order) => orderPosition(order, "created_at"),
      ),
      async (rows, db) => (await wholeOrders(db, rows)).map((order) => orderView(order, db.now)),
    ),
    ...both(parcelExport({})),
    ...both(labelExport(asker, {})),
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
    records(
      "transfers",
      paged(async (db, window) => wholeTransfers(db, await listTransfers(db, {}, window)), newest),
      (rows) => rows.map((transfer) => transferView(transfer, false)),
    ),
    records("events", eventPages, (rows) => rows.map((event) => eventView(event, false))),
    ...both(billableExport({}, asker)),
    ...both(storageExport({}, asker)),
  ];
}

type Page<Row, After> = CsvFile<Row, After>["page"];

/** The pages of a list. */
function paged<Row>(
  list: (db: Db, window: Window) => Promise<readonly Row[]>,
  placeOf: (row: Row) => Position,
): Page<Row, Row> {
  return pagesOf((db, last, limit) => list(db, { limit, offset: 0, after: last === null ? null : placeOf(last) }));
}

const newest = ({ created_at, id }: { readonly created_at: number; readonly id: number }): Position => [created_at, id];

function once<Row>(row: Row): Page<Row, Row> {
  return async () => ({ rows: [row], next: null });
}

const eventPages: Page<StoredEvent, StoredEvent> = pagesOf((db, last, limit) =>
  listEvents(db, {}, { limit, offset: 0, after: last?.position ?? null, newest_first: false }),
);

/** The file of a table, under its own name or another. */
function table<Row, After>(file: CsvFile<Row, After>, called = file.name): Writing {
  return async (store, folder) => {
    let count = 0;
    const cells = (row: Row) => {
      count += 1;
      return file.cells(row);
    };
    const pages = csvPages(store, { ...file, cells });
    await writeFile(join(folder, called), pages);
    return { name: called, count };
  };
}

/** A table as CSV and, of each row, as JSON. */
function both<Row, After>(file: CsvFile<Row, After>, called = file.name.replace(/\.csv$/, "")): readonly Writing[] {
  const named = (row: Row) => Object.fromEntries(file.cells(row).map((cell, at) => [file.columns[at], cell]));
  return [table(file, `${called}.csv`), records(called, file.page, (rows) => rows.map(named))];
}

/** A file of records as the API shows them: a JSON array with one record on each line. */
function records<Row, After>(
  called: string,
  page: Page<Row, After>,
  views: (rows: readonly Row[], db: Db) => readonly object[] | Promise<readonly object[]>,
): Writing {
  const name = `${called}.json`;
  return async (store, folder) => {
    let count = 0;
    async function* text(): AsyncGenerator<string> {
      let after: After | null = null;
      yield "[";
      do {
        const last: After | null = after;
        const { shown, next } = await store.read(async (db) => {
          const { rows, next } = await page(db, last, records_at_once);
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

const records_at_once = 200;

async function writeFile(path: string, text: AsyncIterable<string>): Promise<void> {
  const file = openWhole(path);
  try {
    for await (const piece of text) file.write(piece);
    file.keep();
  } finally {
    file.drop();
  }
}

/** A table with several rows for each record. */
interface Sheet<Row, Line> extends CsvFile<Line, Row> {
  readonly records: Page<Row, Row>;
}

type Columns<Line> = Readonly<Record<string, (line: Line) => Cell>>;

function sheet<Row, Line>(
  name: string,
  pages: Page<Row, Row>,
  linesOf: (row: Row) => readonly Line[],
  columns: Columns<Line>,
): Sheet<Row, Line> {
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

type CustomerView = ReturnType<typeof customerView>;
type AddressView = ReturnType<typeof addressView>;

/** A row for each address, and one for a customer without any. */
const customerSheet = sheet<Customer, { readonly customer: CustomerView; readonly at: AddressView | undefined }>(
  "customers.csv",
  paged(async (db, window) => withAddresses(db, await listCustomers(db, {}, window)), newest),
  (row) => {
    const customer = customerView(row);
    const all = customer.shipping_addresses;
    return all.length === 0 ? [{ customer, at: undefined }] : all.map((at) => ({ customer, at }));
  },
  {
    customer_id: ({ customer }) => customer.id,
    email: ({ customer }) => customer.email,
    first_name: ({ customer }) => customer.first_name,
    last_name: ({ customer }) => customer.last_name,
    company: ({ customer }) => customer.company,
    phone: ({ customer }) => customer.phone,
    created_at: ({ customer }) => customer.created_at,
    address_id: ({ at }) => at?.id ?? null,
    recipient: ({ at }) => at?.name ?? null,
    recipient_company: ({ at }) => at?.company ?? null,
    address_line1: ({ at }) => at?.address_line1 ?? null,
    address_line2: ({ at }) => at?.address_line2 ?? null,
    city: ({ at }) => at?.city ?? null,
    state: ({ at }) => at?.state ?? null,
    postal_code: ({ at }) => at?.postal_code ?? null,
    country: ({ at }) => at?.country ?? null,
    recipient_phone: ({ at }) => at?.phone ?? null,
    is_default: ({ at }) => at?.is_default ?? null,
  },
);

type ReturnView = ReturnType<typeof returnView>;

/** A row for each item. */
const returnSheet = sheet<Return, { readonly of: ReturnView; readonly item: ReturnView["items"][number] }>(
  "returns.csv",
  paged(async (db, window) => wholeReturns(db, await listReturns(db, {}, window)), newest),
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

type ReceiptView = ReturnType<typeof receiptView>;

/** A row for each line. */
const receiptSheet = sheet<Receipt, { readonly of: ReceiptView; readonly line: ReceiptView["lines"][number] }>(
  "receipts.csv",
  paged(
    async (db, window) => wholeReceipts(db, await listReceipts(db, {}, window, "-created_at")),
    (receipt) => receiptPosition(receipt, "-created_at"),
  ),
  (row) => {
    const of = receiptView(row);
    return of.lines.map((line) => ({ of, line }));
  },
  {
    receipt_id: ({ of }) => of.id,
    status: ({ of }) => of.status,
    reference: ({ of }) => of.reference,
    supplier: ({ of }) => of.supplier,
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
