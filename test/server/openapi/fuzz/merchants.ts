// Merchants in addition to the first one, and the goods that they buy from it.
import { readId } from "../../../../src/core/ids.ts";
import { createProduct } from "../../../../src/products/products.ts";
import type { Answered, TestApp } from "../../../build/service.ts";

type Ask = (method: string, path: string, body?: Readonly<Record<string, unknown>>) => Promise<Answered["body"]>;
type Shelf = { readonly sku: string; readonly location: string };

/** Goods of the first merchant, and another merchant that has a product with the same SKU. */
export async function goodsToSell(app: TestApp, ask: Ask, { sku, location }: Shelf, turn: number, mark: string) {
  const { id: to_merchant_id } = await ask("POST", "/merchants", {
    code: codeOf("O", turn, mark),
    name: `Owner ${turn}`,
  });
  const scope = { visible: null, owner: readId("merchant", to_merchant_id) };
  await app.service.stores.live.write((tx) => createProduct(tx.scoped(scope), { sku, name: sku }));
  const goods = { from_merchant_id: "MAIN", to_merchant_id, sku, quantity: 1, location };
  return { transferOwnership: { body: { ...goods, to_bin: "O-01", reason: "sold" } } };
}

/** A code that is used once: turns are counted for each merchant with supplies. */
const codeOf = (letter: string, turn: number, mark: string) => `${letter}${mark[0] ?? ""}-${turn}`.toUpperCase();

/** Merchants without any records. */
export async function merchantsToChange(ask: Ask, turn: number, mark: string) {
  const made = async (letter: string) => {
    const { id } = await ask("POST", "/merchants", { code: codeOf(letter, turn, mark), name: `Merchant ${turn}` });
    return { id } as const;
  };
  const suspended = await made("S");
  await ask("POST", `/merchants/${suspended.id}/suspend`);
  return {
    createMerchant: { body: { code: codeOf("N", turn, mark), name: `New ${turn}` } },
    suspendMerchant: { path: await made("A") },
    reactivateMerchant: { path: suspended },
    closeMerchant: { path: await made("C") },
  };
}
