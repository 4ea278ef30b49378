// What only a few operations need: files of a merchant, imports of files, and an entry in the request log.
import type { Answered, TestApp } from "../../../build/service.ts";
import { pngOf } from "../../../files/images.ts";
import { storeBlock } from "../../../http/request_log/logged_requests.ts";

type Ask = (method: string, path: string, body?: string | Uint8Array) => Promise<Answered["body"]>;

/** Logos: one to read, one to delete, and one to show to buyers. */
export async function filesToUse(ask: Ask, turn: number, merchant: string) {
  const logo = (color: number) => ask("POST", "/files?kind=logo", pngOf(8 + turn, 8, color));
  const [shown, gone, next] = [await logo(1), await logo(2), await logo(3)];
  return {
    getFile: { path: { id: shown.id } },
    deleteFile: { path: { id: gone.id } },
    uploadFile: { query: { kind: "logo" } },
    getFileContent: {
      path: { id: shown.id },
      query: Object.fromEntries(new URL(shown.url, "http://localhost").searchParams),
    },
    updateBranding: { path: { id: merchant }, body: { logo_file_id: next.id, accent_color: "#0b5c4a" } },
    getBranding: { path: { id: merchant } },
  };
}

const checked_imports = 40;

/** Imports of products: some that jobs have checked, which can run, and each turn one whose columns are not mapped. */
export async function importsToRun(app: TestApp, ask: Ask) {
  const uploaded = (text: string) => ask("POST", "/imports?kind=products", text);
  const checked: { readonly id: string }[] = [];
  for (let at = 1; at <= checked_imports; at += 1) checked.push(await uploaded(`sku,name\nIMPORTED-${at},Imported\n`));
  await app.runJobs();
  return async (turn: number) => ({
    runImport: { path: { id: checked[turn % checked.length]?.id ?? "" } },
    // Mappings are remembered by the names of the columns.
    checkImport: {
      path: { id: (await uploaded(`code ${turn},title\nMAPPED-${turn},Mapped\n`)).id as string },
      body: { map: `code ${turn}:sku,title:name` },
    },
  });
}

/** An entry in the request log, which requests that bypass the port do not create. */
export async function loggedRequest(app: TestApp, ask: Ask) {
  const asked = { method: "GET", route: "/orders", path: "/orders", query: "", status: 200, code: null };
  const from = { actor_id: null, ip: null, request_id: "supplied", took_ms: 1, bytes_in: null, bytes_out: null };
  await app.service.stores.live.write((tx) => storeBlock(tx, [{ at: tx.now, ...asked, ...from }]));
  const [request] = await ask("GET", "/requests?limit=1");
  return { getRequest: { path: { id: request.id } } };
}

/** Printers that nothing is sent to while the clocks stand still, a station, cartons, and jobs in each state. */
export async function printing(
  ask: (method: string, path: string, body?: Readonly<Record<string, unknown>>) => Promise<Answered["body"]>,
  { sku, location, buyer }: { readonly sku: string; readonly location: string; readonly buyer: object },
  mark: string,
) {
  const printer = (name: string, fields: object = {}) => ({
    warehouse_id: location,
    name: mark + name,
    kind: "ipp",
    host: "127.0.0.1",
    port: 9,
    media: "a4",
    ...fields,
  });
  const made = async (path: string, body: Readonly<Record<string, unknown>>) => {
    const { id } = await ask("POST", path, body);
    return { id: id as string };
  };
  const [laser, spare] = [await made("/printers", printer("Laser")), await made("/printers", printer("Spare"))];
  const table = (name: string) => ({ warehouse_id: location, name: mark + name, document_printer_id: laser.id });
  const carton = (code: string) => ({ code: `${mark}${sku}-${code}`, length: 8, width: 6, height: 4 });
  const order = await ask("POST", "/orders", {
    ...buyer,
    order_number: `${sku} printed`,
    line_items: [{ sku, quantity: 1, unit_price: 1 }],
  });
  const job = { printer_id: laser.id, kind: "packing_slip", order_id: order.id as string };
  const ended = await made("/print_jobs", job);
  await ask("POST", `/print_jobs/${ended.id}/cancel`, {});
  const [waiting, station, kept] = [
    await made("/print_jobs", job),
    await made("/stations", table("Table")),
    await made("/cartons", carton("S")),
  ];
  return {
    createPrinter: { body: printer("New", { kind: "zpl_tcp", media: "4x6" }) },
    getPrinter: { path: laser },
    updatePrinter: { path: laser },
    testPrinter: { path: laser },
    deletePrinter: { path: spare },
    createStation: { body: table("New") },
    getStation: { path: station },
    updateStation: { path: station },
    deleteStation: { path: await made("/stations", table("Old")) },
    createCarton: { body: carton("NEW") },
    getCarton: { path: kept },
    updateCarton: { path: kept },
    deleteCarton: { path: await made("/cartons", carton("OLD")) },
    createPrintJob: { body: job },
    getPrintJob: { path: waiting },
    cancelPrintJob: { path: waiting },
    reprintJob: { path: ended },
    getPrintJobDocument: { path: waiting },
  };
}
