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
