// Four tabs on handheld scanners work through waves of all modes. Tabs are closed in the middle of a scan and opened
// again, and the server is killed: no unit is picked, packed or labelled twice, and none is forgotten.
import { expect, test } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
import { seededRandom } from "../../../src/core/random.ts";
import { openLabelPrinter } from "../../floor/printing/fake_printers.ts";
import { openServers } from "../../flows/killable_servers.ts";
import { seed, volume } from "../../volume.ts";
import { describeInHouse, type House, owner } from "../browser.ts";
import { asked, equip, openFloor, releaseWave, wedge } from "./worker.ts";

class TabClosed extends Error {}

let servers: Awaited<ReturnType<typeof openServers>>;
const start = async () => {
  servers = await openServers();
  return { ...servers.first, url: servers.url, remove: servers.stop };
};
const kills = volume(1, 3);
const units = 50;

describeInHouse({ name: "four tabs on the floor", start }, (house) => {
  test(`work through four waves while they are closed and the server is killed (seed ${seed})`, async () => {
    const { must, codes, order } = await equip(house);
    const random = seededRandom(seed);
    const printer = await openLabelPrinter();
    await must("POST", "/totes/bulk", { prefix: "T-", first: 1, count: 40 });
    const { data: zebra } = await must("POST", "/printers", { name: "Zebra", kind: "zpl_tcp", ...printer.place });
    const { data: table } = await must("POST", "/stations", { name: "Table 1", label_printer_id: zebra.id });
    const skus = [...codes.keys()];
    const lines = new Map<string, ReadonlyMap<string, number>>();
    const place = async (quantities: readonly number[]) => {
      const own = new Map(quantities.map((quantity, at) => [skus[(lines.size + at) % skus.length] ?? "", quantity]));
      const { id } = await order(`TAB-${lines.size + 1}`, [...own]);
      lines.set(id, own);
      return id;
    };
    const waves = [
      await releaseWave(house, "cluster", [await place([2, 1]), await place([1, 2])]),
      await releaseWave(house, "batch", [await place([1, 1]), await place([2])]),
      await releaseWave(house, "single", [await place([1]), await place([1])]),
      await releaseWave(house, "order", [await place([2, 1, 1])]),
    ];
    const contexts = [];
    for (const cookies of [null, await worker(house, "Flo"), await worker(house, "Gil"), await worker(house, "Hal")]) {
      const { page } = await openFloor(house, "/floor/settings");
      await page.selectOption("select >> nth=1", table.id);
      const context = page.context();
      context.setDefaultTimeout(60_000);
      if (cookies !== null) await context.addCookies(cookies);
      await page.close();
      contexts.push(context);
    }
    const day = { house, codes, random, closed: 0, scans: 0, next_tote: 1 };
    const working = Promise.all(contexts.map((context) => work(context, day)));
    for (let killed = 0; killed < kills; killed += 1) {
      const until = ((killed + 1) * 30) / (kills + 1);
      while (day.scans < until) await Bun.sleep(50);
      await servers.kill();
    }
    await working;

    const { data: sessions } = await must("GET", "/packing_sessions?status=closed&limit=100");
    const scanned = sessions.map((one: Session) => [
      one.order_id,
      Object.fromEntries(one.lines.map(({ sku, scanned: count }) => [sku, count])),
    ]);
    const sent = [...lines].map(([id, own]) => [id, Object.fromEntries(own)]);
    expect(Object.fromEntries(scanned)).toEqual(Object.fromEntries(sent));
    expect(sessions).toHaveLength(lines.size);
    const { data: labels } = await must("GET", "/shipping/labels?status=completed&limit=100");
    expect(labels.map(({ order_id }: Session) => order_id).sort()).toEqual([...lines.keys()].sort());
    const { data: jobs } = await must("GET", "/print_jobs?limit=100");
    expect(jobs.map(({ order_id }: Session) => order_id).sort()).toEqual([...lines.keys()].sort());
    const { data: moved } = await must("GET", "/inventory/movements?limit=100");
    const picked = moved.filter(({ reason }: { reason: string }) => reason === "picked");
    for (const sku of skus) {
      const ordered = [...lines.values()].reduce((sum, own) => sum + (own.get(sku) ?? 0), 0);
      const entries = picked.filter((one: { sku: string }) => one.sku === sku);
      const sum = entries.reduce((all: number, { quantity }: { quantity: number }) => all + quantity, 0);
      expect([sku, sum]).toEqual([sku, ordered]);
      const { data: items } = await must("GET", `/inventory/items?sku=${sku}&limit=100`);
      const shelved = items.filter(({ kind }: { kind: string }) => kind === "storage");
      expect(shelved).toMatchObject([{ sku, quantity: units - ordered }]);
    }
    for (const wave of waves) expect((await must("GET", `/waves/${wave}`)).data.status).toBe("closed");
    expect((await servers.verify())?.output).toBe("live: 0 differences\ntest: 0 differences\n");
    console.log(`tabs: ${day.scans} scans, ${day.closed} tabs closed in the middle, ${kills} servers killed`);
  }, 600_000);
});

interface Session {
  readonly order_id: string;
  readonly lines: readonly { readonly sku: string; readonly scanned: number }[];
}

/** Creates a user who works on the floor. Returns the cookies of their session. */
async function worker(house: House, name: string) {
  const email = `${name.toLowerCase()}@example.com`;
  const { data } = await house.live.must("POST", "/invitations", { email, role: "floor" });
  const answer = await fetch(`${house.url}/dashboard/api/invitations/accept`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: data.link.split("#")[1], name, password: owner.password }),
  });
  expect(answer.status).toBe(201);
  return answer.headers.getSetCookie().map((cookie) => {
    const [, key = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    return { name: key, value, url: house.url };
  });
}

interface Day {
  readonly house: House;
  readonly codes: ReadonlyMap<string, string>;
  readonly random: ReturnType<typeof seededRandom>;
  closed: number;
  scans: number;
  next_tote: number;
}

/** Works in a tab, and in another one after each that was closed, until nothing is left to do. */
async function work(context: BrowserContext, day: Day): Promise<void> {
  for (let page = await context.newPage(); ; ) {
    try {
      if (!(await doNextTask(page, day))) return;
    } catch (error) {
      if (!(error instanceof TabClosed)) throw error;
      day.closed += 1;
      page = await context.newPage();
    }
  }
}

/** Opens the list of tasks, also while no server is ready. */
async function openTasks(page: Page, { house }: Day): Promise<void> {
  for (;;) {
    await page.goto(house.addressOf("/floor")).catch(() => null);
    if (await isShown(page, ".floor-act >> text=Get next task")) return;
  }
}

/** Does the next task. Returns false if there is none. */
async function doNextTask(page: Page, day: Day): Promise<boolean> {
  await openTasks(page, day);
  await page.click(".floor-act >> text=Get next task");
  const opened = ".floor-result:not([data-number='0']), .floor-step, .floor-of, .floor-done";
  // While no server is ready, a person opens the tasks again.
  if (!(await isShown(page, opened))) return true;
  if (/\/floor$/.test(page.url())) {
    const { data } = await day.house.live.must("GET", "/work").catch(() => ({ data: { tasks: [null] } }));
    return data.tasks.length > 0;
  }
  const isDone = async () => (await page.locator(".floor-done").count()) > 0;
  for (let idle = 0; idle < 50 && !(await isDone()); idle += 1) {
    const code = page.url().includes("/waves/") ? await wantedInWave(page, day) : await wantedInParcel(page, day);
    if (code === null) await Bun.sleep(100);
    else if (await scanOrClose(page, code, day)) idle = 0;
  }
  return true;
}

const isShown = (page: Page, selector: string) =>
  page.waitForSelector(selector, { timeout: 15_000 }).then(
    () => true,
    () => false,
  );

async function wantedInWave(page: Page, day: Day): Promise<string | null> {
  if ((await page.locator(".floor-step").count()) === 0) return null;
  const { prompt, bin, item, tote } = await asked(page);
  if (prompt === "Scan the bin") return bin;
  if (prompt === "Scan the tote") return /T-\d+/.exec(tote)?.[0] ?? `T-${String(day.next_tote++).padStart(2, "0")}`;
  return [...day.codes].find(([sku]) => item.includes(sku))?.[1] ?? null;
}

async function wantedInParcel(page: Page, { codes }: Day): Promise<string | null> {
  const [sku = ""] = await page.locator(".floor-lines li:not([data-state=done]) div span").allTextContents();
  return codes.get(sku.trim()) ?? null;
}

/** Scans a code and waits until the screen says something, or closes the tab before the server has answered. */
async function scanOrClose(page: Page, code: string, day: Day): Promise<boolean> {
  const result = ".floor-result";
  const before = Number(await page.getAttribute(result, "data-number", { timeout: 1000 }).catch(() => 0));
  day.scans += 1;
  await wedge(page, code);
  if (day.random.chance(0.12)) {
    await Bun.sleep(day.random.integer(0, 60));
    await page.close();
    throw new TabClosed();
  }
  return isShown(page, `${result}:not([data-number='${before}'])`);
}
