// The picture of the house is what the imports of today make of it.
import { expect, test } from "bun:test";
import { drawHouse, picture } from "../../scripts/house.ts";
import { root } from "../../scripts/install.ts";
import { parse, readSources } from "../tidy/source.ts";

const names = (svg: string) => [...svg.matchAll(/class="name"[^>]*>([^<]+)</g)].map(([, name]) => name);

test("the kept picture is the one that `bun scripts/house.ts` draws", async () => {
  const drawn = drawHouse(await readSources(root));
  expect(drawn).toBe(await Bun.file(picture).text());
  const folders = [...new Bun.Glob("src/*/").scanSync({ cwd: root, onlyFiles: false })].map((path) => path.slice(4));
  expect(names(drawn).sort()).toEqual([...folders, "start"].sort());
});

test("a feature stands above what it uses, and rooms are listed from the lowest on", () => {
  const files = {
    "src/orders/rules.ts": "",
    "src/inventory/stock/store.ts": 'import "../ledger/store.ts";',
    "src/inventory/ledger/store.ts": "",
    "src/inventory/audit/routes.ts": 'import "../../orders/rules.ts";',
    "src/shipping/rules.ts": 'import "../orders/rules.ts";',
  };
  const drawn = drawHouse(Object.entries(files).map(([file, text]) => parse(file, text)));
  // Orders use nothing of inventory here, so both share a row.
  expect(names(drawn).slice(3, 6)).toEqual(["shipping", "inventory", "orders"]);
  expect(drawn).toContain(">ledger · stock · audit<");
});
