// Setting up: products, warehouses and their stock, and how stock is counted, moved and traced.
import type { Teller } from "./record_example.ts";

/** The catalog. */
export async function catalogue({ tell, act }: Teller): Promise<void> {
  // The first example of everything is one that a newcomer with an empty environment can create as well.
  const tea = await tell("createProduct", {
    body: {
      sku: "TEA-100",
      name: "Black tea, 100 bags",
      barcodes: [{ value: "4012345678901", type: "ean" }],
      packs: [{ level: "case", quantity: 12, barcode: "14012345678908" }],
      weight: 0.5,
      weight_unit: "lb",
      price: "6.00",
      currency: "USD",
      reorder_point: 20,
      metadata: { brand: "Meadow" },
    },
  });
  await act("createProduct", {
    body: {
      sku: "MILK-1L",
      name: "Whole milk, 1 l",
      barcodes: [{ value: "4006381333931", type: "ean" }],
      weight: 2.3,
      weight_unit: "lb",
      price: "2.50",
      currency: "USD",
      temperature_zone: "refrigerated",
      lot_tracking: true,
      expiration_tracking: true,
      min_shelf_life_days: 3,
      reorder_point: 20,
      metadata: { brand: "Meadow" },
    },
  });
  await act("createProduct", { body: { sku: "CUP", name: "Cup", weight: 0.8, weight_unit: "lb", price: "9.00" } });
  await act("createProduct", {
    body: {
      sku: "TEA-SET",
      name: "Tea set",
      type: "bundle",
      components: [
        { sku: "TEA-100", quantity: 1 },
        { sku: "CUP", quantity: 2 },
      ],
    },
  });
  const path = { id: tea.data.id };
  await tell("getProduct", { path });
  await tell("updateProduct", { path, body: { reorder_point: 25, description: "Strong." } });
  await tell("listProducts", { query: { q: "milk", limit: "10" } });
  await tell("importProducts", { body: "sku,name,weight,weight_unit,price\r\nSUGAR-1KG,Sugar 1 kg,2.2,lb,1.95\r\n" });
  await tell("exportProducts");
}

/** A file of products with the columns of a shop, which is mapped, checked and imported. */
export async function imports({ app, tell, act }: Teller): Promise<void> {
  const body = "Variant SKU,Title,Variant Price\r\nRIBBON,Ribbon,1.20\r\nBOX-S,Box,free\r\n";
  const query = { kind: "products", file_name: "shop.csv" };
  const made = await tell("createImport", { query, body });
  const path = { id: made.data.id };
  await tell("checkImport", { path, body: { map: "Variant SKU:sku,Title:name,Variant Price:price" } });
  await app.runJobs();
  await tell("listImportRows", { path, query: { change: "failed" } });
  await tell("exportRejectedRows", { path });
  await tell("runImport", { path });
  await app.runJobs();
  await tell("getImport", { path });
  const again = await act("createImport", { query: { kind: "customers" }, body: "mail\r\nada@example.com\r\n" });
  await tell("cancelImport", { path: { id: again.data.id } });
  await tell("listImports");
}

/** The warehouses, their receipts, and their stock levels. */
export async function inventory({ tell, act }: Teller): Promise<void> {
  const [first] = (await tell("listLocations")).data;
  const location: string = first.warehouse_id;
  const made = await tell("createLocation", {
    body: {
      name: "Harbour",
      address: {
        address_line1: "100 Commercial St",
        city: "Portland",
        state: "ME",
        postal_code: "04101",
        country: "US",
      },
      location_zones: [
        { zone_id: "A", temperature_zone: "ambient", bins: [{ code: "A-01", pick_order: 1 }] },
        {
          zone_id: "C",
          temperature_zone: "refrigerated",
          temperature_range: "2-8 C",
          bins: [{ code: "C-01", pick_order: 2 }],
        },
      ],
    },
  });
  await tell("updateLocation", { path: { id: made.data.warehouse_id }, body: { name: "Harbour house" } });
  const cold = { zone_id: "COLD", temperature_zone: "refrigerated", temperature_range: "2-8 C" };
  await act("updateLocation", { path: { id: location }, body: { location_zones: [cold] } });
  const shelf = { location, bin: "B-02-01" };
  await tell("addInventory", {
    body: { sku: "TEA-100", quantity: 200, ...shelf, reference: "PO-77", unit_cost: "3.10" },
  });
  await act("addInventory", { body: { sku: "CUP", quantity: 200, ...shelf } });
  await act("addInventory", {
    body: {
      sku: "MILK-1L",
      quantity: 120,
      location,
      bin: "C-01-01",
      lot_number: "L-2026-01",
      expiration_date: "2026-06-30",
      reference: "PO-77",
      unit_cost: "1.10",
    },
  });
  const path = { sku: "TEA-100" };
  await tell("adjustInventory", { path, body: { adjustment: -2, reason: "damaged", location, notes: "Wet boxes." } });
  await tell("getInventory", { path });
  await tell("listInventory", { query: { sku: "*-1*", limit: "2" } });
  await tell("explainInventory", { path });
  await tell("listBins", { query: { location, fill: "used" } });
  await tell("listStockItems", { query: { sku: "TEA-100" } });
  await tell("moveInventory", { body: { sku: "TEA-100", quantity: 3, location, condition: "quarantined" } });
  const back = { sku: "TEA-100", quantity: 3, location, bin: "QUARANTINE", to_bin: "B-02-01" };
  await act("moveInventory", { body: back });
  await tell("listMovements", { query: { sku: "TEA-100", type: "adjustment" } });
  await tell("exportMovements", { query: { sku: "MILK-1L" } });
  await tell("importInventory", { body: `sku,quantity,location,bin\r\nCUP,199,${location},B-02-01\r\n` });
  await tell("exportInventory");
  await lots({ tell, act });
  await transfers({ tell, act }, location, made.data.warehouse_id);
}

type Telling = Pick<Teller, "tell" | "act">;

async function lots({ tell, act }: Telling): Promise<void> {
  const [lot] = (await tell("listLots", { query: { sku: "MILK-1L" } })).data;
  const path = { id: lot.id };
  await tell("getLot", { path });
  await tell("correctLot", { path, body: { expiration_date: "2026-07-31", notes: "Misread." } });
  await tell("setLotStatus", { path, body: { status: "quarantined", reason: "Cold chain broken?" } });
  await act("setLotStatus", { path, body: { status: "available", reason: "Tested: good." } });
}

/** Deliveries, transfers and counts. */
async function transfers({ tell, act }: Telling, from_location: string, to_location: string): Promise<void> {
  const receipt = {
    reference: "IN-78",
    supplier: "Leaf & Co",
    purchase_order_number: "PO-78",
    location: from_location,
    items: [{ sku: "TEA-100", quantity: 50, unit_cost: "3.10" }],
  };
  const expected = { path: { id: (await tell("createReceipt", { body: receipt })).data.id } };
  const freight = { carrier: "Estes", tracking_number: "PRO-1234567", freight_cost: "86.00" };
  await tell("updateReceipt", { ...expected, body: freight });
  await tell("scanReceipt", { ...expected, body: { items: [{ sku: "TEA-100", quantity: 48, bin: "B-02-01" }] } });
  await tell("closeReceipt", { ...expected, body: {} });
  await tell("getReceipt", expected);
  await tell("listReceipts", { query: { status: "closed" } });
  const other = { path: { id: (await act("createReceipt", { body: receipt })).data.id } };
  await tell("cancelReceipt", { ...other, body: {} });

  const body = { from_location, to_location, reference: "MOVE-1", items: [{ sku: "CUP", quantity: 20 }] };
  const moving = { path: { id: (await tell("createTransfer", { body })).data.id } };
  await tell("shipTransfer", { ...moving, body: {} });
  await tell("receiveTransfer", { ...moving, body: { items: [{ sku: "CUP", quantity: 18, bin: "A-01" }] } });
  await tell("closeTransfer", { ...moving, body: { reason: "damaged", notes: "Two broke on the way." } });
  await tell("getTransfer", moving);
  await tell("listTransfers", { query: { sku: "CUP" } });
  const called = { path: { id: (await act("createTransfer", { body })).data.id } };
  await tell("cancelTransfer", { ...called, body: {} });

  await tell("lookUpScan", { query: { code: "(02)04012345678901(37)12" } });

  const opened = await tell("openCount", {
    body: { location: from_location, skus: ["TEA-100"], notes: "Every Friday." },
  });
  const counting = { path: { id: opened.data.id } };
  const lines = [{ sku: "TEA-100", bin: "B-02-01", quantity: 245 }];
  await tell("recordCount", { ...counting, body: { items: lines } });
  await tell("reviewCount", { ...counting, body: {} });
  await tell("getCount", counting);
  await tell("postCount", { ...counting, body: {} });
  await tell("listCounts", { query: { status: "posted" } });
  const dropped = {
    path: { id: (await act("openCount", { body: { location: from_location, skus: ["CUP"] } })).data.id },
  };
  await tell("cancelCount", { ...dropped, body: {} });
}
