// Who moves into the sample warehouse. Merchants are the same in both worlds, also where only one of them is filled.
import type { Db, Store } from "../../database/store.ts";
import type { Mode } from "../../kit/mode.ts";
import { createMerchant, updateMerchant } from "../../merchants/commands.ts";
import { copyMerchants } from "../../merchants/jobs.ts";
import { isClosed } from "../../merchants/status.ts";
import { listMerchants } from "../../merchants/store.ts";
import { countOrders } from "../../orders/list/store.ts";
import { countProducts } from "../../products/store.ts";
import { sampleMerchants } from "../merchants.ts";

type Worlds = Readonly<Record<Mode, Store>>;

// The name of a house's first merchant before anybody changes it.
const unnamed = "Main";

/**
 * Makes the sample merchants, in both worlds; false where the live world is in use, whose merchants stay as they are.
 * The first merchant becomes the grocer, unless it has been given a name.
 */
export async function settleMerchants(stores: Worlds): Promise<boolean> {
  const { grocer, neighbours } = sampleMerchants;
  const codes = [grocer, ...neighbours.map(({ merchant }) => merchant)].map(({ code }) => code);
  const known = await stores.live.read(listMerchants);
  const first = known.find(({ code }) => code === grocer.code);
  const strangers = known.some(({ code, status }) => !codes.includes(code) || isClosed(status));
  if (strangers || first === undefined) return false;
  const missing = neighbours.filter(({ merchant }) => !known.some(({ code }) => code === merchant.code));
  if (missing.length > 0 && (await stores.live.read(isInUse))) return false;
  await stores.live.write(async (tx) => {
    const { code: _code, ...described } = grocer;
    if (first.name === unnamed) await updateMerchant(tx, grocer.code, described);
    for (const { merchant } of missing) await createMerchant(tx, merchant, null);
  });
  await copyMerchants(stores);
  return true;
}

async function isInUse(db: Db): Promise<boolean> {
  return (await countOrders(db, {})) > 0 || (await countProducts(db, {})) > 0;
}
