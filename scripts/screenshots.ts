// `bun scripts/screenshots.ts [FOLDER]`: takes the README's pictures, of the sample business in a service of its own.
// With a FOLDER it takes every screen into that instead, in light and dark, on a desktop and on a phone.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { findChromium, howToGetChromium } from "./chromium.ts";
import { root } from "./install.ts";
import { type StartedService, startService } from "./service.ts";
import { ensureWeb } from "./web.ts";

const pictures = join(root, "scripts/screenshots");
const owner = { name: "Robin Owner", email: "robin@example.com", password: "a long password for a picture" };
const settle_ms = 1500;

/** The pictures in the README. */
const shown = [
  { name: "today", path: "/", scheme: "light" },
  { name: "orders", path: "/orders", scheme: "light" },
  { name: "order", path: "/orders/:order", scheme: "dark" },
  { name: "stock", path: "/stock/:sku", scheme: "light" },
] as const;

const paths = [
  ...[
    "/",
    "/orders",
    "/orders/board",
    "/orders/new",
    "/orders/:order",
    "/stock",
    "/stock/:sku",
    "/stock/import",
    "/bins",
  ],
  ...[
    "/lots",
    "/counts",
    "/receipts",
    "/transfers",
    "/putbacks",
    "/products",
    "/products/new",
    "/customers",
    "/returns",
  ],
  ...["/shipping", "/shipping/manifests", "/shipping/rates", "/shipping/rate_cards", "/shipping/zones"],
  ...["/shipping/carriers", "/shipping/holidays", "/reports", "/reports/orders", "/reports/sales", "/settings/keys"],
  ...["/settings/webhooks", "/settings/requests", "/settings/events", "/settings/platforms", "/settings/metrics"],
  ...["/settings/reference", "/settings/house", "/settings/users", "/settings/audit", "/settings/profile"],
  ...["/settings/merchants", "/settings/merchants/MAIN", "/billing", "/billing/storage"],
  ...["/settings", "/settings/privacy", "/settings/retention", "/settings/backups", "/settings/servers"],
  ...["warehouse", "merchants", "shipping", "developers", "system"].map((group) => `/settings/groups/${group}`),
  "/settings/mail",
];
const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;
const schemes = ["light", "dark"] as const;

const found = findChromium();
if (found === null) {
  console.error(`No browser found: ${howToGetChromium}`);
  process.exit(1);
}
await ensureWeb();
const service = await startService();
const browser = await chromium.launch({
  executablePath: found.path,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  env: { ...process.env, ...found.env } as Record<string, string>,
});
try {
  const [folder] = process.argv.slice(2);
  await fill(service);
  const cookies = await signIn(service);
  const ids = await example(service);
  const context = async (size: keyof typeof sizes) => {
    const made = await browser.newContext({ viewport: sizes[size], locale: "en-US", timezoneId: "America/New_York" });
    await made.addCookies(cookies);
    return made;
  };
  if (folder === undefined) await takeShown(await context("desktop"), ids);
  else for (const size of ["desktop", "phone"] as const) await takeAll(await context(size), ids, folder, size);
} finally {
  await browser.close();
  await service.remove();
}

async function takeShown(context: BrowserContext, ids: Ids): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  for (const { name, path, scheme } of shown) {
    const page = await open(context, path, ids, scheme);
    await page.screenshot({ path: join(pictures, `${name}.png`) });
    console.log(`scripts/screenshots/${name}.png`);
    await page.close();
  }
}

async function takeAll(context: BrowserContext, ids: Ids, folder: string, size: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const path of paths) {
    const page = await open(context, path, ids, "light");
    for (const scheme of schemes) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      const name = path.replaceAll(/[/:]+/g, "-").replace(/^-$/, "-today").slice(1);
      const file = join(folder, `${name}-${size}-${scheme}.png`);
      await page.screenshot({ path: file, fullPage: true });
      console.log(file);
    }
    await page.close();
  }
}

interface Ids {
  readonly order: string;
  readonly sku: string;
}

async function open(context: BrowserContext, path: string, ids: Ids, scheme: "light" | "dark"): Promise<Page> {
  const page = await context.newPage();
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
  const below = path.replace(":order", ids.order).replace(":sku", encodeURIComponent(ids.sku));
  await page.goto(`${service.url}/dashboard${below === "/" ? "" : below}`);
  await page.waitForSelector("h1");
  await page.waitForTimeout(settle_ms);
  return page;
}

/** Loads the sample business while the server runs. */
async function fill({ data }: StartedService): Promise<void> {
  const program = [process.execPath, join(root, "src/main.ts")];
  const demo = Bun.spawn([...program, "demo", "--mode", "live", "--data", data], {
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await demo.exited) !== 0) throw new Error("the sample business could not be loaded");
}

/** Creates the first user with the link that the first start printed. */
async function signIn({ url, output: said }: StartedService) {
  const token = /\/dashboard\/setup#(\S+)/.exec(said)?.[1];
  const answer = await fetch(`${url}/dashboard/api/setup`, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ token, ...owner }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.headers.getSetCookie().map((cookie) => {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    return { name, value, url };
  });
}

/** An order in progress, and a SKU of it. */
async function example(from: StartedService): Promise<Ids> {
  const key = await from.makeKey("live", "read");
  const get = async (path: string) => {
    const answer = await fetch(`${from.url}/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
    return ((await answer.json()) as { data: readonly { id: string; line_items: readonly { sku: string }[] }[] }).data;
  };
  const orders = await get("/orders?status=shipped&limit=50");
  const order = orders.find(({ line_items }) => line_items.length > 1) ?? orders[0];
  if (order === undefined) throw new Error("the sample business has no shipped order");
  return { order: order.id, sku: order.line_items[0]?.sku ?? "" };
}
