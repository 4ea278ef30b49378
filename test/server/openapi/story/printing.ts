// Setting up a packing table with its printers and cartons, and printing on it.
import type { Teller } from "./record_example.ts";

/** Printers, a station, cartons and print jobs, which are cancelled: the printers do not exist. */
export async function printing({ tell, act }: Teller): Promise<void> {
  const [{ id: order_id }] = (await act("listOrders", { query: { order_number: "SO-1001" } })).data;
  const [{ warehouse_id }] = (await act("listLocations")).data;
  const body = { warehouse_id, name: "Zebra 1", kind: "zpl_tcp", host: "192.168.1.40" };
  const zebra = await tell("createPrinter", { body });
  const laser = { warehouse_id, name: "Laser", kind: "ipp", host: "laser.local", media: "a4" };
  const { data: office } = await act("createPrinter", { body: laser });
  const { data: spare } = await act("createPrinter", { body: { ...laser, name: "Spare" } });
  const printer = { id: zebra.data.id };
  await tell("listPrinters");
  await tell("getPrinter", { path: printer });
  await tell("updatePrinter", { path: printer, body: { dpi: 300 } });
  await tell("deletePrinter", { path: { id: spare.id } });

  const printers = { label_printer_id: printer.id, document_printer_id: office.id };
  const table = await tell("createStation", { body: { warehouse_id, name: "Table 1", ...printers } });
  const station = { id: table.data.id };
  const { data: old } = await act("createStation", { body: { warehouse_id, name: "Table 9" } });
  await tell("listStations");
  await tell("getStation", { path: station });
  await tell("updateStation", { path: station, body: { name: "Packing table 1" } });
  await tell("deleteStation", { path: { id: old.id } });

  const size = { length: 12, width: 9, height: 4, weight: 0.4, max_weight: 30, cost: "0.62" };
  const box = await tell("createCarton", { body: { code: "S", name: "Small box", ...size } });
  const carton = { id: box.data.id };
  const { data: unused } = await act("createCarton", { body: { code: "XL", ...size } });
  await tell("listCartons");
  await tell("getCarton", { path: carton });
  await tell("updateCarton", { path: carton, body: { cost: "0.65" } });
  await tell("deleteCarton", { path: { id: unused.id } });

  const test = await tell("testPrinter", { path: printer });
  await act("cancelPrintJob", { path: { id: test.data.id } });
  const slip = { station_id: station.id, kind: "packing_slip", order_id };
  const queued = await tell("createPrintJob", { body: slip });
  const job = { id: queued.data.id };
  await tell("listPrintJobs", { query: { status: "queued" } });
  await tell("getPrintJob", { path: job });
  await tell("getPrintJobDocument", { path: job });
  await tell("cancelPrintJob", { path: job });
  const again = await tell("reprintJob", { path: job });
  await act("cancelPrintJob", { path: { id: again.data.id } });
}
