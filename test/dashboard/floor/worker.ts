// A person on the floor, who does what the screen says with a scanner.
import type { Page } from "playwright-core";
import { buyerOf } from "../../build/buyer.ts";
import type { House, Tab } from "../browser.ts";

/** Types a code as a keyboard wedge does. */
export async function wedge(page: Page, code: string, end: "Enter" | "Tab" | null = "Enter"): Promise<void> {
  await page.keyboard.type(code, { delay: 4 });
  if (end !== null) await page.keyboard.press(end);
}

/** Inserts a code as an input method does: its keys have no names, and Alt seems to be held. */
export async function insert(page: Page, text: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const key = { key: "Unidentified", windowsVirtualKeyCode: 229, modifiers: 1 };
  await session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
  await session.send("Input.insertText", { text });
  await session.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
  await session.detach();
}

/** What a hand in a glove misses on a screen of the floor: targets smaller than 48 px, one line each. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll(".floor :is(a, button, input, select)")].flatMap((element) => {
    const { width, height } = element.getBoundingClientRect();
    if (width === 0 || (width >= 48 && height >= 48)) return [];
    return [element.outerHTML.slice(0, 120) + " is " + Math.round(width) + " × " + Math.round(height)];
  })`);
}

/** What came of the last scan. */
interface Shown {
  readonly kind: string;
  readonly text: string;
}

const result = ".floor-result";
const numberOf = async (page: Page) => Number(await page.getAttribute(result, "data-number"));

/** Does something, and returns what the screen says to it. */
export async function after(page: Page, act: () => Promise<unknown>): Promise<Shown> {
  const before = await numberOf(page);
  await act();
  await page.waitForSelector(`${result}:not([data-number='${before}'])`);
  const [kind, text] = [await page.getAttribute(result, "data-kind"), await page.textContent(result)];
  return { kind: kind ?? "", text: text ?? "" };
}

/** Scans a code, and returns what the screen says to it. */
export const scan = (page: Page, code: string) => after(page, () => wedge(page, code));

/** What is asked for now, and what the screen shows of it. */
export async function asked(page: Page) {
  const prompt = (await page.getAttribute(".floor-scan-input", "placeholder")) ?? "";
  const of = async (label: string) =>
    (await page.locator(`.floor-step:has(.floor-step-label:has-text('${label}'))`).allTextContents())
      .join("")
      .replace(label, "");
  return { prompt, bin: await of("Go to"), item: await of("Take"), tote: await of("Into tote") };
}

/** The barcode of a product of these tests: a valid EAN-13. */
export function eanOf(number: number): string {
  const body = `400638${String(number).padStart(6, "0")}`;
  const sum = [...body].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0);
  return `${body}${(10 - (sum % 10)) % 10}`;
}

const products = [
  ["CUP", "Cup, 12 oz", "A-01"],
  ["PLATE", "Plate, blue", "A-02"],
  ["BOWL", "Bowl, stoneware", "B-07"],
] as const;

/** Products with barcodes in bins. Returns how to order, and the barcodes by SKU. */
export async function equip(house: House) {
  const must = (method: string, path: string, body?: unknown) => house.live.must(method, path, body);
  const codes = new Map<string, string>();
  for (const [at, [sku, name, bin]] of products.entries()) {
    codes.set(sku, eanOf(at));
    const barcodes = [{ value: eanOf(at), type: "ean" }];
    await must("POST", "/products", { sku, name, price: "4.50", weight: 1, weight_unit: "lb", barcodes });
    await must("POST", "/inventory", { sku, quantity: 50, bin, location: "whs_1001" });
  }

  const buyer = await buyerOf(must);
  return { must, codes, order: buyer.order };
}

/** Plans and releases a wave of these orders. */
export async function releaseWave(house: House, mode: string, order_ids: readonly string[]): Promise<string> {
  const { data } = await house.live.must("POST", "/waves", { mode, filters: { order_ids } });
  await house.live.must("POST", `/waves/${data.id}/release`);
  return data.id;
}

/** Opens the floor on a handheld scanner. */
export async function openFloor(house: House, path = "/floor"): Promise<Tab> {
  const tab = await house.open("/floor/settings", { size: "scanner" });
  await tab.page.waitForSelector(".floor-scan-input:focus");
  // The device learns that its scanner types Enter. On a busy machine, the keys of a test come slower than its keys.
  await wedge(tab.page, "A1");
  await tab.page.waitForSelector(".floor-read");
  await tab.page.goto(house.addressOf(path));
  await tab.page.waitForSelector(".floor-scan-input:focus");
  return tab;
}

/** Picks what the screen asks for until nothing is left, and returns the scans. `each` may act before a scan. */
export async function pickAll(page: Page, codes: ReadonlyMap<string, string>, each = async () => false) {
  let free = 1;
  let scans = 0;
  while ((await page.locator(".floor-done").count()) === 0) {
    if (await each()) continue;
    const { prompt, bin, item, tote } = await asked(page);
    const sku = [...codes.keys()].find((one) => item.includes(one)) ?? "";
    const code =
      prompt === "Scan the bin"
        ? bin
        : prompt !== "Scan the tote"
          ? (codes.get(sku) ?? "")
          : (/T-\d/.exec(tote)?.[0] ?? `T-${free++}`);
    const { kind, text } = await scan(page, code);
    scans += 1;
    if (kind === "wrong") throw new Error(`${prompt}: ${code}: ${text}`);
  }
  return scans;
}
