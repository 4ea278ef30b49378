import { beforeAll, expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { describeInHouse, violations } from "../browser.ts";

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
    await press(page, "j j x k Space");
    await page.waitForSelector("tr.chosen:has-text('K-1') a.row-link:focus");
    await page.waitForSelector("tr.chosen:has-text('K-2')");
    // A checkbox handles the key itself: once, not twice.
    await page.locator("tr:has-text('K-1') input").focus();
    await press(page, "Space");
    await page.waitForSelector("tr:not(.chosen):has-text('K-1')");
    await press(page, "Space");
    await page.waitForSelector("tr.chosen:has-text('K-1')");
    await page.locator("tr:has-text('K-1') input").focus();
    await press(page, "j");
    await page.waitForSelector("tr:has-text('K-2') a.row-link:focus");
    await page.goto(house.addressOf("/settings/audit"));
    await page.waitForSelector("tr[data-id]");
    await press(page, "j");
    expect(await page.locator("tr[data-id] :focus, tr[data-id]:focus").count()).toBe(1);
  });

  test("? lists the keys of the screen or dialog, then those of every screen", async () => {
    const { page } = await house.open("/orders?sort=created_at");
    await page.waitForSelector("tr:has-text('K-2')");
    await press(page, "j ?");
    await page.waitForSelector("dialog:has-text('Keyboard shortcuts')");
    const titles = () => page.locator("dialog[open]:last-of-type h3").allTextContents();
    expect(await titles()).toEqual(["This screen", "Everywhere", "Go to"]);
    const own = await page.locator("dialog section:has(h3:has-text('This screen')) dt").allTextContents();
    expect(own.slice(0, 5)).toEqual(["Actions of this page", "New order", "Next row", "Previous row", "Open row"]);
    expect(own.slice(5)).toEqual(["Select row", "Select rows up to this one", "Select all on this page"]);
    const keys = await page.locator("dialog section:has(h3:has-text('This screen')) kbd").allTextContents();
    expect(keys).toEqual([".", "c", "j", "k", "Enter", "x", "Space", "X", "a"]);
    expect(await violations(page)).toEqual([]);
    // The focus returns to the row.
    await press(page, "Escape");
    await page.waitForSelector("tr:has-text('K-1') a.row-link:focus");
    await press(page, "/");
    await page.waitForSelector("input[type=search]:focus");
    await press(page, "?");
    expect(await page.inputValue("input[type=search]")).toBe("?");
    expect(await page.locator("dialog").count()).toBe(0);
    await press(page, "Escape");
  });

  test("a key pressed right after a dialog closes keeps the focus that it moved", async () => {
    const { page } = await house.open("/orders?sort=created_at");
    await page.waitForSelector("tr:has-text('K-2')");
    await press(page, "j ?");
    await page.waitForSelector("dialog[open]");
    // Both happen before the page learns of the closing.
    await page.evaluate(`
      document.querySelector("dialog").close();
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "/" }));
    `);
    await page.waitForSelector("dialog", { state: "detached" });
    expect(await page.locator("input[type=search]:focus").count()).toBe(1);
  });

  test("in a dialog, ? lists the keys of the dialog, and Escape closes one after the other", async () => {
    const { page } = await house.open("/settings/keys");
    await page.waitForSelector("tr[data-id]");
    await press(page, "c");
    await page.waitForSelector("dialog [name=name]:focus");
    await page.focus("dialog header button");
    await press(page, "?");
    await page.waitForSelector("dialog h3:has-text('This dialog')");
    const titles = await page.locator("dialog section:has(h3:has-text('This dialog')) dt").allTextContents();
    expect(titles).toEqual(["Create", "Close the open dialog or menu"]);
    await press(page, "Escape");
    await page.waitForSelector("dialog:has-text('This dialog')", { state: "detached" });
    await page.waitForSelector("dialog header button:focus");
    expect(await page.locator("dialog").count()).toBe(1);
    await press(page, "Escape");
    await page.waitForSelector("dialog", { state: "detached" });
  });

  test("a record's actions and its list are reached by keys", async () => {
    const { page } = await house.open("/orders?sort=created_at");
    await page.waitForSelector("tr:has-text('K-2')");
    await press(page, "j Enter");
    await page.waitForSelector("h1:focus");
    await press(page, ".");
    await page.waitForSelector("[role=menu] button:focus");
    // A menu takes letters itself: no shortcut leaves the page.
    await press(page, "u Escape");
    await page.waitForSelector(".page-acts .menu-button:focus");
    await press(page, "u");
    await page.waitForSelector("h1:has-text('Orders')");
  });

  test("a dialog focuses what comes first: a field, the copy of a secret, or the way out of a danger", async () => {
    const { page } = await house.open("/settings/keys");
    await page.waitForSelector("tr[data-id]");
    await press(page, "c");
    await page.waitForSelector("dialog [name=name]:focus");
    await page.keyboard.type("Typed key");
    await press(page, "Enter");
    await page.waitForSelector("dialog .secret .copy-field button:focus");
    await page.click("dialog button:has-text('Done')");
    await page.goto(house.addressOf("/shipping/carriers"));
    await page.waitForSelector(".empty");
    await press(page, ".");
    await page.waitForSelector(".page-acts button:focus:has-text('Add account')");
    await press(page, "Enter");
    await page.waitForSelector("dialog .dialog-body button:focus");
    await press(page, "Escape");
    await page.waitForSelector(".page-acts button:focus:has-text('Add account')");
    await page.goto(house.addressOf("/shipping/holidays"));
    const remove = "button[aria-label^='Remove New Year']";
    await page.focus(remove);
    await press(page, "Enter");
    await page.waitForSelector("dialog .button:focus:has-text('Cancel')");
    // Enter changes nothing, and the focus returns to where it was.
    await press(page, "Enter");
    await page.waitForSelector(`${remove}:focus`);
  });

  test("the cards of the board are reached as rows are", async () => {
    const { page } = await house.open("/orders/board");
    await page.waitForSelector(".board-card:has-text('K-2')");
    await press(page, "j");
    await page.waitForSelector(".board-card a:focus");
    await press(page, "?");
    await page.waitForSelector("dialog:has-text('Move between cards')");
    await press(page, "Escape");
    await page.waitForSelector("dialog", { state: "detached" });
    await page.waitForSelector(".board-card a:focus");
  });
});
