// Runs the compiled binary as a new user would: in an empty folder, with an empty environment.
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { binary } from "./build.ts";
import { readUntil } from "./service.ts";
import { asker, printsSscc, printsWithoutFonts, settle, shipsByCarrier, shipsByItself } from "./smoke_shipping.ts";

const patience_ms = 60_000;
const gs1_prefix = "0614141";
// Everything that was started ends with this program.
const over = new AbortController();

function run(folder: string, words: readonly string[], env: Record<string, string> = {}, program = binary) {
  return Bun.spawn([program, ...words], {
    ...{ cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] },
    ...{ signal: over.signal, killSignal: "SIGKILL" },
  });
}

async function tellsItsVersion(folder: string): Promise<void> {
  const asked = run(folder, ["version"]);
  const [output, code] = await Promise.all([new Response(asked.stdout).text(), asked.exited]);
  if (code !== 0 || !output.includes(manifest.version)) throw new Error(`version ended with ${code}: ${output}`);
}

// One name for each font that the binary carries packed, and for the two that have most European letters.
const names = ["বাংলা", "हिन्दी", "አማርኛ", "ગુજરાતી", "ਪੰਜਾਬੀ", "ಕನ್ನಡ", "ខ្មែរ", "മലയാളം", "မြန်မာ", "සිංහල", "தமிழ்"];
const more_names = ["తెలుగు", "ภาษาไทย", "中文", "日本の", "한국어", "🎁", "العربية", "Łódź"];

/**
 * Takes an order for products with these names, and prints its pick list and a label. Every font must be present and
 * readable.
 */
async function printsNames(api: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${api}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(`POST ${path} returned ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as {
      id: string;
      data: { id: string; documents: { url: string }[] };
      shipping_addresses: { id: string }[];
    };
  };
  await settle(asker(api, key));
  const goods = [...names, ...more_names].map((name, at) => ({ sku: `SMOKE-${at}`, name }));
  for (const { sku, name } of goods) await post("/products", { sku, name });
  for (const { sku } of goods) await post("/inventory", { sku, quantity: 1 });
  const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
  const buyer = { email: "jane@example.com", first_name: "Jane", last_name: "Doe", shipping_addresses: [address] };
  const { id: customer_id, shipping_addresses } = await post("/customers", buyer);
  const line_items = goods.map(({ sku }) => ({ sku, quantity: 1, unit_price: "1.00" }));
  const shipping_address_id = shipping_addresses[0]?.id;
  const { data } = await post("/orders", { order_number: "SMOKE", customer_id, shipping_address_id, line_items });
  const answer = await fetch(`${api}/orders/${data.id}/pick_list`, { headers });
  const bytes = await answer.bytes();
  if (answer.status !== 200 || !new TextDecoder().decode(bytes.slice(0, 5)).startsWith("%PDF-")) {
    throw new Error(`the pick list returned ${answer.status}: ${new TextDecoder().decode(bytes)}`);
  }
  const place = { street1: names.join(" "), street2: more_names.join(" "), city: "Paris", country: "FR" };
  const parcel = { carrier: "local", service: "standard", package: { weight: 1 } };
  const label = await post("/shipping/labels", { order_id: data.id, ...parcel, to_address: { name: "A", ...place } });
  for (const { url } of label.data.documents) {
    const document = await fetch(url);
    if (!document.ok) throw new Error(`${url} returned ${document.status}: ${await document.text()}`);
  }
}

/** The reference page and everything it loads. */
async function showsItsReference(address: string): Promise<void> {
  for (const path of [
    "/docs",
    "/docs/errors",
    "/docs/guides/conventions",
    "/llms.txt",
    "/docs/start.js",
    "/docs/scalar.js",
    "/openapi.json",
  ]) {
    const answer = await fetch(`${address}${path}`);
    const text = await answer.text();
    if (!answer.ok || text.length < 100) throw new Error(`${path} returned ${answer.status}: ${text.slice(0, 200)}`);
  }
}

/** Both path prefixes, and headers longer than those that Bun reads by default. */
async function readsItsRequests(address: string): Promise<void> {
  const asked = [
    { path: "/v1/orders", more: 0, code: "authentication_required" },
    { path: "/api/v1/orders", more: 0, code: "authentication_required" },
    { path: "/api/v1/orders/ord_1001", more: 0, code: "authentication_required" },
    { path: "/v1/orders", more: 40_000, code: "headers_too_large" },
  ];
  for (const { path, more, code } of asked) {
    const answer = await fetch(`${address}${path}`, { headers: { "x-more": "a".repeat(more) } });
    const text = await answer.text();
    if (!text.includes(`"${code}"`)) throw new Error(`${path} returned ${answer.status}: ${text.slice(0, 200)}`);
  }
}

/** The dashboard's page, and everything it loads first. */
async function showsItsDashboard(address: string): Promise<void> {
  const page = await fetch(`${address}/dashboard/orders`);
  const html = await page.text();
  const assets = [...html.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
  if (!page.ok || assets.length < 3)
    throw new Error(`/dashboard/orders returned ${page.status}: ${html.slice(0, 200)}`);
  for (const path of assets) {
    const answer = await fetch(`${address}${path}`, { headers: { "accept-encoding": "br" } });
    const text = await answer.text();
    if (!answer.ok || text.length < 100) throw new Error(`${path} returned ${answer.status}: ${text.slice(0, 200)}`);
    if (/\.(?:js|css)$/.test(path) && answer.headers.get("content-encoding") !== "br")
      throw new Error(`${path} is not packed`);
  }
}

/** Serves while `work` runs, which gets the address and the output up to it, and stops. */
async function serving(
  folder: string,
  env: Record<string, string>,
  work: (address: string, output: string) => Promise<void>,
  program = binary,
): Promise<void> {
  const service = run(folder, ["serve", "--port", "0"], env, program);
  const complaints = new Response(service.stderr).text();
  const late = setTimeout(() => service.kill("SIGKILL"), patience_ms);
  try {
    const output = await readUntil(service.stdout, /https?:\/\/[\d.]+:\d+\b[^\d]/);
    const address = /https?:\/\/[\d.]+:\d+/.exec(output)?.[0];
    if (!address) throw new Error(`serve printed no address: ${output}`);
    const authority = Bun.file(join(folder, "data/tls/authority.crt"));
    const health = await fetch(`${address}/health`, {
      tls: (await authority.exists()) ? { ca: await authority.text() } : {},
    });
    if (!health.ok) throw new Error(`/health returned ${health.status}: ${await health.text()}`);
    await work(address, output);
    service.kill("SIGTERM");
    const code = await service.exited;
    if (code !== 0) throw new Error(`serve ended with ${code} after SIGTERM`);
    if (/thread/.test(await complaints)) throw new Error("a thread was lost");
  } catch (error) {
    service.kill("SIGKILL");
    throw new Error(`${error instanceof Error ? error.message : error}\n${await complaints}`);
  } finally {
    clearTimeout(late);
  }
}

/** Loads the sample business into a folder of its own. */
async function playsItsDemo(folder: string): Promise<void> {
  await succeeds(folder, ["demo", "--data", "demo"]);
  await verifies(folder, "demo");
}

/** Checks that the data of a folder has no differences. */
async function verifies(folder: string, data: string): Promise<void> {
  const output = await succeeds(folder, ["verify", "--data", data]);
  if (!/^live: 0 differences$/m.test(output) || !/^test: 0 differences$/m.test(output)) throw new Error(output);
}

async function succeeds(folder: string, words: readonly string[]): Promise<string> {
  const done = run(folder, words);
  const [output, complaints] = await Promise.all([new Response(done.stdout).text(), new Response(done.stderr).text()]);
  const code = await done.exited;
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${output}${complaints}`);
  return output;
}

/** Serves for the first time without data, then again as a company with a GS1 prefix, and verifies the data. */
async function servesAndStops(folder: string): Promise<void> {
  let live = "";
  await serving(folder, {}, async (address, output) => {
    live = /ph_live_\w+/.exec(output)?.[0] ?? "";
    const test = /ph_test_\w+/.exec(output)?.[0] ?? "";
    await readsItsRequests(address);
    await showsItsReference(address);
    await showsItsDashboard(address);
    await printsNames(`${address}/v1`, live);
    await shipsByItself(`${address}/v1`, live);
    await shipsByCarrier(`${address}/v1`, test);
  });
  const env = { PACKHOUSE_GS1_PREFIX: gs1_prefix };
  await serving(folder, env, (address) => printsSscc(`${address}/v1`, live, gs1_prefix));
  // Creating certificates needs a library that is loaded only then.
  await serving(folder, { PACKHOUSE_TLS: "self" }, async (address) => {
    if (!address.startsWith("https:")) throw new Error(`--tls self serves at ${address}`);
  });
  await verifies(folder, "data");
}

/** Serves from a copy of the binary that has no font file next to it. */
async function servesWithoutFonts(folder: string): Promise<void> {
  await mkdir(folder);
  const alone = join(folder, basename(binary));
  await copyFile(binary, alone);
  const print = (address: string, output: string) =>
    printsWithoutFonts(`${address}/v1`, /ph_live_\w+/.exec(output)?.[0] ?? "");
  await serving(folder, {}, print, alone);
}

const folder = await mkdtemp(join(tmpdir(), "packhouse-smoke-"));
try {
  await tellsItsVersion(folder);
  await Promise.all([servesAndStops(folder), playsItsDemo(folder)]);
  await servesWithoutFonts(join(folder, "alone"));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  over.abort();
  await rm(folder, { recursive: true, force: true });
}
