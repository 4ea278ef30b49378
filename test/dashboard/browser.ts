// The dashboard in a real browser, against a real service. Without a Chromium, its tests print how to get one.
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { findChromium, howToGetChromium } from "../../scripts/chromium.ts";
import { defaultProgram, type StartedService } from "../../scripts/service.ts";
import { ensureWeb } from "../../scripts/web.ts";
import { type Client, client, startFreshService } from "../flows/service.ts";
import { isLong } from "../volume.ts";
import { withDiary } from "./diary.ts";

const found = findChromium();
if (found === null) console.log(`SKIPPED the dashboard's screens: ${howToGetChromium}`);

interface HouseSettings {
  readonly env?: Readonly<Record<string, string>>;
  /** Leaves the example address of the first warehouse, with which no live label is sold. */
  readonly example_address?: boolean;
  /** Starts another service than a fresh one. */
  readonly start?: () => Promise<StartedService>;
}

/** Tests in a browser, on a house of their own that is open while they run. Tabs that a test opened close after it. */
export function describeInHouse(
  group: string | (HouseSettings & { readonly name: string }),
  body: (house: House) => void,
): void {
  const { name, ...settings } = typeof group === "string" ? { name: group } : group;
  (found === null ? describe.skip : describe)(name, () => {
    const house = {} as House;
    beforeAll(async () => void Object.assign(house, await openHouse(settings)), 60_000);
    afterEach(closeTabs);
    afterAll(() => house.close());
    body(house);
  });
}

/** How long a page may take for one thing. Bun ends all children with a test that is too late, so it is much less. */
const timeout_ms = 15_000;

const flags = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
let launched: Promise<Browser> | undefined;

/** One browser for all test files of this process. */
function browser(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: found?.path ?? "",
    args: ["--no-sandbox", ...flags],
    env: { ...process.env, ...found?.env } as Record<string, string>,
  });
  return launched;
}

/** The window widths in which each screen is checked. */
export const sizes = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
  /** A handheld scanner. */
  scanner: { width: 480, height: 800 },
} as const;
export const schemes = ["light", "dark"] as const;

/** The first user, who has every permission. */
export const owner = { name: "Ada Owner", email: "ada@example.com", password: "correct horse battery staple" };

/** A service of its own with its first user, and tabs in which that user is signed in. */
export interface House {
  readonly url: string;
  readonly service: StartedService;
  /** The API with a full key of each environment. */
  readonly live: Client;
  readonly test: Client;
  /** The address of a screen, such as `/products`. */
  addressOf(path: string): string;
  /** Opens a screen, such as `/products`, in a tab where the owner is signed in. */
  open(path: string, settings?: TabSettings): Promise<Tab>;
  /** Stops the service and closes the tabs. Fails if one of them logged an error or contacted another host. */
  close(): Promise<void>;
}

interface TabSettings {
  readonly size?: keyof typeof sizes;
  readonly scheme?: (typeof schemes)[number];
  /** Without the session. */
  readonly signed_out?: boolean;
  /** Left open when the test that opened it ends. */
  readonly stays?: boolean;
}

/** A page whose errors are collected. */
export interface Tab {
  readonly page: Page;
  /** Accepts these statuses in the console from here on: the test causes such errors. */
  expectRefusals(...statuses: readonly number[]): void;
  /** Accepts failed requests from here on: the test stops the server. */
  expectFailures(): void;
  /** The errors so far. */
  readonly complaints: readonly string[];
  /** Closes it before its test ends. The next tab of its size opens in the same window. */
  close(): Promise<void>;
}

/** Starts a service with its first user. The database is empty except for what the first start creates. */
async function openHouse({ env = {}, example_address = false, start }: HouseSettings): Promise<House> {
  if (defaultProgram.length > 1) await ensureWeb();
  const service = await (start === undefined ? startFreshService({ env }) : start());
  const keys = service.first_keys;
  const cookies = await setUp(service);
  if (!example_address) await settle(service.url, keys.live);
  const windows: Window[] = [];
  const tabs: Tab[] = [];
  const addressOf = (path: string) => `${service.url}/dashboard${path === "/" ? "" : path}`;
  const open = async (path: string, settings: TabSettings = {}): Promise<Tab> => {
    const { size = "desktop", scheme = "light", signed_out = false, stays = false } = settings;
    const free = windows.find((window) => window.size === size && !window.is_taken && !window.page.isClosed());
    const window = free ?? (await newWindow(size));
    if (free === undefined) windows.push(window);
    window.is_taken = true;
    const { page } = window;
    await page.context().clearCookies();
    if (!signed_out) await page.context().addCookies(cookies);
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    const tab = await watched(window, service.url);
    tabs.push(tab);
    if (!stays) open_tabs.add(tab);
    await page.goto(addressOf(path));
    return tab;
  };
  const close = async () => {
    for (const { page } of windows) await page.context().close();
    await service.remove();
    expect(tabs.flatMap(({ complaints }) => complaints)).toEqual([]);
  };
  return {
    url: service.url,
    service,
    live: client(service.url, keys.live),
    test: client(service.url, keys.test),
    addressOf,
    open,
    close,
  };
}

/** A window with its own cookies and cache. The tabs of a service open in it one after another. */
interface Window {
  readonly page: Page;
  readonly size: keyof typeof sizes;
  is_taken: boolean;
}

async function newWindow(size: keyof typeof sizes): Promise<Window> {
  const context = await (await browser()).newContext({
    viewport: sizes[size],
    hasTouch: size !== "desktop",
    locale: "en-US",
    timezoneId: "America/New_York",
  });
  context.setDefaultTimeout(timeout_ms);
  return { page: await context.newPage(), size, is_taken: false };
}

/** The tabs that are closed when the test ends. */
const open_tabs = new Set<Tab>();

/** Closes the tabs of a test. Their windows stay: most of the time of a new one goes into loading the front end. */
async function closeTabs(): Promise<void> {
  for (const tab of open_tabs) await tab.close();
}

/** Sets the address of the first warehouse, without which no live label is sold. */
async function settle(url: string, key: string): Promise<void> {
  const ask = client(url, key);
  const [{ warehouse_id }] = (await ask.must("GET", "/inventory/locations")).data;
  const place = { city: "Columbus", state: "OH", postal_code: "43215", country: "US" };
  const address = { ...place, address_line1: "1200 Depot Street" };
  await ask.must("PATCH", `/inventory/locations/${warehouse_id}`, { address });
}

/** Creates the first user with the link that the first start printed. Returns the session's cookies. */
async function setUp({ url, output }: StartedService) {
  const token = /\/dashboard\/setup#(\S+)/.exec(output)?.[1];
  if (token === undefined) throw new Error(`The first start printed no link: ${output}`);
  const answer = await fetch(`${url}/dashboard/api/setup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, ...owner }),
  });
  if (!answer.ok) throw new Error(`The first user could not be made: ${await answer.text()}`);
  return answer.headers.getSetCookie().map((cookie) => {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    return { name, value, url };
  });
}

/** Collects the errors of a window's page until the tab is closed. Then the window is as new. */
async function watched(window: Window, url: string): Promise<Tab> {
  const { page } = window;
  const complaints: string[] = [];
  const expected = new Set<string>();
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    const status = /status of (\d{3})/.exec(message.text())?.[1];
    if (status !== undefined && expected.has(status)) return;
    if (expected.has("failure") && message.text().includes("net::ERR_")) return;
    complaints.push(`${page.url()}: ${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.stack ?? error.message}`));
  page.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith(`${url}/`) && !/^(?:data|blob|chrome|chrome-extension):/.test(asked))
      complaints.push(`asked ${asked}`);
  });
  const expectRefusals = (...statuses: readonly number[]) => {
    for (const status of statuses) expected.add(String(status));
  };
  const diary = await withDiary(page);
  const tab: Tab = {
    page: diary.page,
    complaints,
    expectRefusals,
    expectFailures: () => void expected.add("failure"),
    close: async () => {
      open_tabs.delete(tab);
      if (page.isClosed()) return;
      // After the page has kept its place for a return.
      await page.evaluate("addEventListener('pagehide', () => sessionStorage.clear())");
      await page.goto("about:blank");
      await diary.session.send("Storage.clearDataForOrigin", { origin: url, storageTypes: "local_storage" });
      await diary.session.detach();
      page.removeAllListeners();
      await page.unrouteAll();
      page.setDefaultTimeout(timeout_ms);
      await page.setViewportSize(sizes[window.size]);
      window.is_taken = false;
    },
  };
  return tab;
}

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What axe-core finds wrong with a page as it is now, one line each. */
export async function violations(page: Page): Promise<string[]> {
  // The page's policy allows no script of others, and no text to become one: this goes by the debugger.
  const session = await page.context().newCDPSession(page);
  const evaluate = async (expression: string) => {
    const answer = await session.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (answer.exceptionDetails) throw new Error(JSON.stringify(answer.exceptionDetails));
    return answer.result.value;
  };
  if ((await evaluate("typeof axe")) === "undefined") await evaluate(`${axe.source}; undefined`);
  const settings = { runOnly: rules, resultTypes: ["violations"] };
  const results = JSON.parse(await evaluate(`axe.run(document, ${JSON.stringify(settings)}).then(JSON.stringify)`));
  await session.detach();
  const found = results as {
    violations: { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} (${failureSummary.slice(0, 200)})`),
  );
}

/** Where pictures are put when `PACKHOUSE_SCREENSHOTS` names a folder: people look at them. */
const pictures = process.env["PACKHOUSE_SCREENSHOTS"] ?? "";

interface Look {
  readonly size: keyof typeof sizes;
  readonly scheme: (typeof schemes)[number];
}

const office = ["desktop", "phone"] as const;
/** The sizes of the devices on the floor. */
export const handhelds = ["scanner", "phone"] as const;

/**
 * How a screen is looked at: in two sizes, in light and dark, when this is the long run or pictures are taken. The
 * short run takes one of the first size in light and the second in dark, by the name of the screen.
 */
function looksAt(name: string, of: typeof office | typeof handhelds = office): readonly Look[] {
  if (!isLong && pictures === "")
    return [Bun.hash(name) % 2n === 0n ? { size: of[0], scheme: "light" } : { size: of[1], scheme: "dark" }];
  return of.flatMap((size) => schemes.map((scheme) => ({ size, scheme })));
}

/**
 * Looks at a screen in the sizes and colours of this run: nothing is wider than the window, and in the long run
 * axe-core finds nothing.
 * `ready` is a selector of what is there once the screen is. Takes pictures where a folder for them is named.
 */
export async function lookAt(house: House, path: string, ready: string, name: string): Promise<void> {
  for (const size of ["desktop", "phone"] as const) {
    const looks = looksAt(name).filter((look) => look.size === size);
    if (looks.length === 0) continue;
    const tab = await house.open(path, { size });
    for (const look of looks) await lookAtIn(tab.page, ready, name, look);
    await tab.close();
  }
}

/** The same for what a page shows at the moment, which keeps its size. */
export async function lookAtPage(page: Page, ready: string, name: string, of?: typeof handhelds): Promise<void> {
  const before = page.viewportSize() ?? sizes.desktop;
  for (const look of looksAt(name, of)) {
    await page.setViewportSize(sizes[look.size]);
    await lookAtIn(page, ready, name, look);
  }
  await page.setViewportSize(before);
}

async function lookAtIn(page: Page, ready: string, name: string, { size, scheme }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
  await page.waitForSelector(ready);
  if (isLong) expect([name, size, scheme, await violations(page)]).toEqual([name, size, scheme, []]);
  const wide = await page.evaluate(
    "Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)",
  );
  expect([name, size, "wider by", wide]).toEqual([name, size, "wider by", 0]);
  if (pictures === "") return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}-${size}-${scheme}.png`), fullPage: true });
}
