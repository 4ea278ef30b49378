// Every list is compared with Array.filter for random queries, by page and by cursor. A difference prints its seed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { seed, volume } from "../volume.ts";
import {
  after,
  asRegExp,
  before,
  byId,
  bytes,
  contains,
  exact,
  type Filter,
  fields,
  known,
  type List,
  named,
  newest,
  single,
  timeFilters,
} from "./list_model.ts";
import { type Found, makeRecords, type Records } from "./records.ts";
import { isFound, searches } from "./search_model.ts";
import { workLists } from "./work_lists.ts";

const queries = Number(process.env["QUERIES"] ?? volume(60, 300));

let records: Records;
beforeAll(async () => {
  records = await makeRecords(seed);
}, 60_000);
afterAll(() => records.app.close());

/** Parts of names and SKUs, and signs that mean something in a pattern. */
const pieces = ["milk", "MILK", "%", "_", "[", "\\", "tea", "a-", "-1", "nothing"];

/** A filter by a condition: true for records that meet it, false for all others. */
const flag = (meets: (one: Found) => boolean): List["filters"][string] => {
  return { values: () => ["true", "false"], passes: (one, value) => String(meets(one)) === value };
};

const products: List = {
  path: "/products",
  name: "products",
  key: "id",
  filters: {
    sku: single(exact("sku", ["nothing"])),
    barcode: {
      values: (all) => all.flatMap((one) => one.barcodes.map((code: Found) => code.value)),
      passes: (one, value) => one.barcodes.some((code: Found) => code.value === value),
    },
    q: contains([...pieces, "*", "e"], ({ sku, name }) => [sku, name]),
    status: exact("status"),
  },
  sorts: { "-created_at": newest("id"), created_at: byId("id") },
};

const levels: List = {
  path: "/inventory",
  name: "levels",
  key: "sku",
  // A combination of these would have to hold for the same units, which a response does not show.
  exclusive: ["location", "bin", "lot_number"],
  filters: {
    sku: {
      values: (all) => [...fields("sku")(all), "A-*", "a-*", "*milk*", "*-1*", "*[x]?*", "*%*", "*_*", "*\\*", "*"],
      passes: ({ sku }, value) => asRegExp(value).test(sku),
    },
    location: {
      several: true,
      values: () => [...records.warehouses, "whs_77"],
      passes: ({ locations }, value) => locations.some((place: Found) => place.warehouse_id === value),
    },
    low_stock: flag(({ available, reorder_point }) => available < reorder_point),
    q: contains(pieces, ({ sku, name }) => [sku, name]),
    status: exact("status"),
    bin: {
      values: () => ["BIN-1", "BIN-2", "BIN-9"],
      passes: ({ locations }, value) => locations.some((place: Found) => place.location === value),
    },
    updated_after: after("last_updated"),
    updated_before: before("last_updated"),
    lot_number: {
      values: () => ["L-1", "L-2", "L-9"],
      passes: ({ lots }, value) => lots.some((lot: Found) => lot.lot_number === value),
    },
  },
  sorts: {
    sku: (a, b) => bytes(a.sku, b.sku),
    "-sku": (a, b) => bytes(b.sku, a.sku),
    name: (a, b) => bytes(a.name, b.name) || a.made - b.made,
    "-name": (a, b) => bytes(b.name, a.name) || b.made - a.made,
    available: (a, b) => a.available - b.available || a.made - b.made,
    "-available": (a, b) => b.available - a.available || b.made - a.made,
  },
};

const movements: List = {
  path: "/inventory/movements",
  name: "movements",
  key: "id",
  file: ["/inventory/movements/export.csv", "movements.csv", "id,created_at,sku,type,"],
  filters: {
    sku: single(exact("sku")),
    type: exact("type"),
    location: {
      several: true,
      values: () => [...records.warehouses, "whs_77"],
      passes: (one, value) => one.warehouse_id === value,
    },
    bin: {
      values: fields("bin"),
      passes: ({ from_location, to_location }, value) => from_location === value || to_location === value,
    },
    lot_number: { values: () => ["L-1", "L-2", "L-9"], passes: (one, value) => one.lot_number === value },
    reason: single(exact("reason")),
    reference: {
      values: (all) => all.flatMap((one) => one.reference?.id ?? []),
      passes: (one, value) => one.reference?.id === value,
    },
  },
  sorts: { none: newest("id") },
};

const now = () => new Date(records.app.clocks.live.now()).toISOString();
const inHouse = ["pending", "processing", "fulfilled"];
const isDue = ({ status, held_from, ship_by }: Found, moment: string) =>
  inHouse.includes(held_from ?? status) && ship_by !== null && ship_by < moment;
const parcelsOf = (one: Found): Found[] => one.shipments.filter(({ status }: Found) => status !== "voided");
const has = (name: string, value: string) => (one: Found) => one[name] === value;

/** The labels of an order's parcels that are not voided. */
const labelsOf = ({ id }: Found): Found[] =>
  records.labels.filter((label) => label.order_id === id && label.status === "completed" && label.return_id === null);

const orders: List = {
  path: "/orders",
  name: "orders",
  key: "id",
  filters: {
    q: { values: searches, passes: (order, q) => isFound(order, q, records.customers) },
    status: exact("status"),
    customer_id: {
      several: true,
      values: (all) => all.map((one) => one.customer_id),
      passes: (one, value) => one.customer_id === value,
    },
    order_number: single(exact("order_number", ["nothing"])),
    hold_reason: {
      several: true,
      values: () => ["manual", "short_pick", "other"],
      passes: (one, value) => one.holds.some((hold: Found) => hold.reason === value),
    },
    short: flag((one) => !one.allocation.complete),
    late: flag((one) => isDue(one, now())),
    ship_by_before: {
      values: (all) => [now(), ...all.flatMap((one) => one.ship_by ?? [])],
      passes: (one, value) => isDue(one, value),
    },
    sku: {
      values: (all) => ["nothing", ...all.flatMap((one) => one.line_items.map((line: Found) => line.sku))],
      passes: (one, value) => one.line_items.some((line: Found) => line.sku === value),
    },
    carrier: {
      several: true,
      values: () => ["local", "ups"],
      passes: (one, value) => parcelsOf(one).some(has("carrier", value)),
    },
    service: {
      several: true,
      values: () => ["standard", "express"],
      passes: (one, value) => parcelsOf(one).some(has("service", value)),
    },
    labeled: flag((one) => labelsOf(one).length > 0),
    printed: flag((one) => labelsOf(one).length > 0 && labelsOf(one).every(({ printed_at }) => printed_at !== null)),
    platform: {
      several: true,
      values: () => ["api", "shopify"],
      passes: (one, value) => one.source.platform === value,
    },
    warehouse_id: {
      several: true,
      values: () => [...records.warehouses, "whs_77"],
      passes: (one, value) => one.warehouse_id === value,
    },
    shipped_after: {
      values: (all) => all.flatMap((one) => one.shipped_at ?? []),
      passes: ({ shipped_at }, value) => shipped_at !== null && shipped_at >= value,
    },
    shipped_before: {
      values: (all) => all.flatMap((one) => one.shipped_at ?? []),
      passes: ({ shipped_at }, value) => shipped_at !== null && shipped_at < value,
    },
  },
  sorts: {
    "-created_at": newest("id"),
    created_at: byId("id"),
    "-updated_at": (a, b) => bytes(b.updated_at, a.updated_at) || newest("id")(a, b),
    updated_at: (a, b) => bytes(a.updated_at, b.updated_at) || byId("id")(a, b),
    priority: (a, b) => b.priority - a.priority || byId("id")(a, b),
  },
};

const reservations: List = {
  path: "/inventory/reservations",
  name: "reservations",
  key: "reservation_id",
  filters: {
    status: exact("status"),
    order_id: exact("order_id", ["nothing"]),
    sku: {
      values: (all) => [...new Set(all.flatMap((one) => one.asked))] as string[],
      passes: (one, value) => one.asked.includes(value),
    },
  },
  sorts: { none: newest("reservation_id") },
};

const digitsOf = (phone: string) => phone.replace(/[ \-().+/]/g, "");

const customers: List = {
  path: "/customers",
  name: "customers",
  key: "id",
  filters: {
    email: {
      values: (all) => all.map((one) => one.email.toUpperCase()),
      passes: (one, value) => one.email.toLowerCase() === value.toLowerCase(),
    },
    q: {
      values: () => [
        ...["van der Berg", "Schmidt", "de la Cruz", "BERG-OLSEN", "Renamed-Once", "buyer1", "%", "_", "\\"],
        ...["no one", "503", "+1 (503) 555-01", "5035550", "03", "(503) 555 0199"],
      ],
      passes: ({ email, first_name, last_name, company, phone }, value) => {
        const texts = [email, `${first_name ?? ""} ${last_name ?? ""}`, company, phone];
        const digits = digitsOf(value);
        const isNumber = /^\d{3,}$/.test(digits) && digitsOf(phone ?? "").includes(digits);
        return isNumber || texts.some((text) => (text ?? "").toLowerCase().includes(value.toLowerCase()));
      },
    },
  },
  sorts: { none: newest("id") },
};

const numberOfOrder = ({ order_id }: Found) => records.orders.find(({ id }) => id === order_id)?.order_number ?? null;
/** A search for parts of tracking numbers, however they are written, or of other texts. */
function numbered(
  number: (one: Found) => string | null,
  texts: (one: Found) => readonly (string | null)[] = () => [],
): Filter {
  const pieces = ["N-", "web-2026", "Straße", "1z 999", "94-", "SIM", "us", "far1", "buyer1", "%", "_", "-", "nothing"];
  const others = contains(pieces, texts);
  return {
    values: others.values,
    passes: (one, value) => {
      const typed = value.toUpperCase().replace(/[ -]/g, "") || value;
      return (number(one) ?? "").includes(typed) || others.passes(one, value);
    },
  };
}

/** An order is named by its id or its number. */
const ofOrder: Filter = {
  several: true,
  values: (all) => {
    const ordered = new Set(all.map(({ order_id }) => order_id));
    const named = records.orders.filter(({ id }) => ordered.has(id));
    return ["nothing", ...named.flatMap(({ id, order_number }) => [id, order_number])];
  },
  passes: ({ order_id }, value) =>
    order_id === value || records.orders.some(({ id, order_number }) => id === order_id && order_number === value),
};

const returns: List = {
  path: "/returns",
  name: "returns",
  key: "id",
  filters: {
    q: numbered(
      ({ return_shipping }) => return_shipping.tracking_number,
      (one) => [one.customer_email, numberOfOrder(one)],
    ),
    status: exact("status"),
    order_id: ofOrder,
  },
  sorts: { none: newest("id") },
};

const plain = (text: string | null) => (text ?? "").toUpperCase().replace(/[^0-9A-Z]/g, "");
const number_of: Filter = {
  several: true,
  values: (all) => [
    "nothing",
    ...known("tracking_number")(all).flatMap((one) => [one, one.toLowerCase().replace(/.{4}/g, "$& ")]),
  ],
  passes: (one, value) => plain(one.tracking_number) === plain(value),
};

const labels: List = {
  path: "/shipping/labels",
  name: "labels",
  key: "label_id",
  file: ["/shipping/labels/export.csv", "labels.csv", "label_id,"],
  filters: {
    order_id: ofOrder,
    shipment_id: named("shipment_id", ["shp_9"]),
    return_id: named("return_id", ["ret_9"]),
    manifest_id: named("manifest_id", ["man_9"]),
    q: numbered(
      ({ tracking_number }) => tracking_number,
      (one) => [numberOfOrder(one)],
    ),
    on_manifest: flag(({ manifest_id }) => manifest_id !== null),
    status: exact("status"),
    carrier: exact("carrier", ["nobody"]),
    service: exact("service"),
    tracking_number: number_of,
  },
  sorts: { none: newest("label_id") },
};

const parcels: List = {
  path: "/shipments",
  name: "parcels",
  key: "id",
  file: [
    "/shipments/export.csv",
    "shipments.csv",
    "shipment_id,created_at,status,order_id,order_number,customer_name,carrier,",
  ],
  filters: {
    order_id: ofOrder,
    status: exact("status"),
    carrier: named("carrier"),
    service: named("service"),
    tracking_number: number_of,
    tracking_status: named("tracking_status"),
    q: numbered(
      ({ tracking_number }) => tracking_number,
      (one) => [numberOfOrder(one)],
    ),
    shipped_after: {
      values: known("shipped_at"),
      passes: (one, value) => one.shipped_at !== null && one.shipped_at >= value,
    },
    shipped_before: {
      values: known("shipped_at"),
      passes: (one, value) => one.shipped_at !== null && one.shipped_at < value,
    },
  },
  sorts: { none: newest("id") },
};

const tracked: List = {
  path: "/tracking",
  name: "tracked",
  key: "tracking_number",
  file: ["/tracking/export.csv", "tracking.csv", "tracking_number,status,status_detail,carrier,"],
  filters: {
    status: exact("status"),
    carrier: exact("carrier", ["nobody"]),
    order_id: ofOrder,
    q: numbered(({ tracking_number }) => tracking_number),
    followed: flag(({ shipment_id }) => shipment_id === null),
  },
  sorts: { none: (a, b) => a.at - b.at },
};

const manifests: List = {
  path: "/shipping/manifests",
  name: "manifests",
  key: "manifest_id",
  filters: {
    carrier: exact("carrier", ["nobody"]),
    warehouse_id: exact("warehouse_id", ["whs_77"]),
    date: exact("date", ["2020-02-02"]),
  },
  sorts: { none: newest("manifest_id") },
};

/** A query: for each filter null or numbers that select its values, and how to sort and page. */
const picks = fc.array(fc.nat({ max: 999 }), { minLength: 1, maxLength: 3 });
const queryOf = ({ filters, sorts }: List) =>
  fc.record({
    filters: fc.record(
      Object.fromEntries(Object.keys(filters).map((name) => [name, fc.option(picks, { nil: null, freq: 2 })])),
    ),
    keep: fc.integer({ min: 0, max: 3 }),
    sort: fc.option(fc.constantFrom(...Object.keys(sorts)), { nil: null }),
    limit: fc.integer({ min: 1, max: 40 }),
  });

describe("lists return what Array.filter does", () => {
  const shipping = [labels, parcels, tracked, manifests];
  const stock = [products, levels, movements, reservations, ...workLists];
  test.each([...stock, orders, customers, returns, ...shipping])(
    "$path",
    async (declared) => {
      const all = records[declared.name];
      const list = { ...declared, filters: { ...declared.filters, ...timeFilters(all) } };
      expect(all.length).toBeGreaterThan(10);
      const matched: number[] = [];
      await fc.assert(
        fc.asyncProperty(queryOf(list), async ({ filters, keep, sort, limit }) => {
          const given = Object.entries(filters)
            .flatMap(([name, picked]) => (picked === null ? [] : [[name, picked] as const]))
            .filter(([name], at, all) => !all.slice(0, at).some(([other]) => excludes(list, name, other)))
            .slice(0, keep)
            .map(([name, picked]) => [name, pickedValues(list.filters[name] as Filter, all, picked)] as const);
          const passes = (one: Found, name: string, values: readonly string[]) =>
            values.some((value) => list.filters[name]?.passes(one, value));
          const order = sort === null || sort === "none" ? Object.values(list.sorts)[0] : list.sorts[sort];
          const expected = all
            .filter((one) => given.every(([name, values]) => passes(one, name, values)))
            .sort(order)
            .map((one) => one[list.key] as string);
          matched.push(expected.length);
          const sent = given.map(([name, values]) => [name, values.join(",")] as const);
          const query = new URLSearchParams(Object.fromEntries(sent));
          if (sort !== null && sort !== "none") query.set("sort", sort);
          query.set("limit", String(limit));
          await comparePages(list, query, limit, expected);
          await compareCursors(list, query, expected);
          if (list.file !== undefined) await compareFile(list.file, sent, expected);
        }),
        { seed, numRuns: queries },
      );
      // The queries were meaningful: some found few records, some many.
      expect(new Set(matched).size).toBeGreaterThan(Object.keys(list.filters).length === 1 ? 2 : 3);
    },
    120_000,
  );
});

const excludes = ({ exclusive = [] }: List, name: string, other: string) =>
  exclusive.includes(name) && exclusive.includes(other);

function pickedValues(filter: Filter, all: readonly Found[], picks: readonly number[]): string[] {
  const values = filter.values(all);
  const taken = filter.several ? picks : picks.slice(0, 1);
  return taken.map((pick) => values[pick % values.length] ?? "");
}

async function ask({ path }: List, query: URLSearchParams, key: string) {
  const { status, body } = await records.app.get(`${path}?${query}`);
  expect([`${path}?${query}`, status]).toEqual([`${path}?${query}`, 200]);
  const pagination = (body.meta ?? body).pagination;
  return { ids: body.data.map((one: Found) => one[key]) as string[], pagination };
}

/** Every page, and the one after the last. */
async function comparePages(list: List, query: URLSearchParams, limit: number, expected: readonly string[]) {
  const total = expected.length;
  const total_pages = Math.ceil(total / limit);
  for (const page of [1, 2, total_pages, total_pages + 1].filter(
    (one, at, all) => one > 0 && all.indexOf(one) === at,
  )) {
    const asked = new URLSearchParams([...query, ["page", String(page)]]);
    const { ids, pagination } = await ask(list, asked, list.key);
    const told = { page, limit, total, total_pages, has_more: page < total_pages };
    expect({ asked: `${asked}`, ids, told: pagination }).toEqual({
      asked: `${asked}`,
      ids: expected.slice((page - 1) * limit, page * limit),
      told: { ...told, next_cursor: told.has_more ? expect.any(String) : null },
    });
  }
}

/** Following the cursors returns each record once, in the same order. */
async function compareCursors(list: List, query: URLSearchParams, expected: readonly string[]) {
  const found: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const asked: URLSearchParams = cursor === "" ? query : new URLSearchParams([...query, ["cursor", cursor]]);
    const { ids, pagination } = await ask(list, asked, list.key);
    found.push(...ids);
    cursor = pagination.next_cursor;
    // With a small limit, the first pages are enough.
    if (found.length >= 12 * Number(query.get("limit"))) break;
  }
  expect({ asked: `${query}`, found }).toEqual({ asked: `${query}`, found: expected.slice(0, found.length) });
  if (found.length < 12 * Number(query.get("limit"))) expect(found.length).toBe(expected.length);
}

/** The CSV file has a row for each record that passes the filters, in the order of the list. */
async function compareFile(
  [path, name, head]: NonNullable<List["file"]>,
  filters: (readonly [string, string])[],
  ids: readonly string[],
) {
  const query = new URLSearchParams(Object.fromEntries(filters));
  const { status, body, headers } = await records.app.get(`${path}?${query}`);
  expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8; header=present"]);
  expect(headers.get("content-disposition")).toBe(`attachment; filename="${name}"`);
  expect(body.slice(0, head.length)).toBe(head);
  const rows = parse(body, { from_line: 2, record_delimiter: "\r\n" }) as string[][];
  expect({ path, filters, found: rows.map(([id]) => id) }).toEqual({ path, filters, found: [...ids] });
}
