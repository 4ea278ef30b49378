import { beforeAll, expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { describeInHouse } from "../browser.ts";

/** The part of a tab that these tests use. */
interface Keys {
  readonly keyboard: { press(key: string): Promise<void> };
}

const press = async ({ keyboard }: Keys, keys: string) => {
  for (const key of keys.split(" ")) await keyboard.press(key);
};

describeInHouse("the keyboard", (house) => {
  beforeAll(async () => {
    const { live } = house;
    for (const sku of ["ROW-1", "ROW-2", "ROW-3"]) {
      await live.must("POST", "/products", { sku, name: sku });
      await live.must("POST", "/inventory", { sku, quantity: 5, location: "whs_1001" });
    }
    const buyer = await buyerOf(live.must, { email: "ada@example.com", first_name: "Ada", last_name: "Buyer" });
    for (const number of ["K-1", "K-2"]) await buyer.order(number, [["ROW-1", 1]]);
  }, 60_000);

  test("j and k move among the rows of a list, Enter opens one", async () => {
    const { page } = await house.open("/products");
    await page.waitForSelector("tr:has-text('ROW-3')");
    const focused = () => page.locator("tr:focus-within").getAttribute("data-id");
    const rows = await page.locator("tr[data-id]").evaluateAll((all) => all.map((row) => row.getAttribute("data-id")));
    const reached: (string | null)[] = [];
    for (const key of ["j", "j", "j", "j", "k", "k", "k"]) {
      await press(page, key);
      reached.push(await focused());
    }
    const [first, second, third] = rows;
    expect(reached).toEqual([first, second, third, third, second, first, first].map((id) => id ?? ""));
    await press(page, "j Enter");
    await page.waitForURL(`**/products/${second}`);
  });

  test("rows with checkboxes are reached by their links, and rows without a link themselves", async () => {
    const { page } = await house.open("/orders?sort=created_at");
    await page.waitForSelector("tr:has-text('K-2')");
    await press(page, "j j x k x");
    await page.waitForSelector("tr.chosen:has-text('K-1') a.row-link:focus");
    await page.waitForSelector("tr.chosen:has-text('K-2')");
    await page.locator("tr:has-text('K-1') input").focus();
    await press(page, "j");
    await page.waitForSelector("tr:has-text('K-2') a.row-link:focus");
    await page.goto(house.addressOf("/settings/audit"));
    await page.waitForSelector("tr[data-id]");
    await press(page, "j");
    expect(await page.locator("tr[data-id] :focus, tr[data-id]:focus").count()).toBe(1);
  });
});
