// An order being created and an erasure that starts block each other. Not on SQLite, which has a single writer.
import { expect, setDefaultTimeout, test } from "bun:test";
import pg from "pg";
import { systemActor } from "../../src/core/actor.ts";
import { databaseUrl, engine } from "../../src/core/config.ts";
import { readId, wireId } from "../../src/core/ids.ts";
import { findRecipients } from "../../src/customers/customers.sql.ts";
import { createOrder } from "../../src/orders/lifecycle/create_order.ts";
import { eraseDue } from "../../src/privacy/privacy.jobs.ts";
import { openShop } from "../build/shop.ts";

setDefaultTimeout(60_000);

const shop = await openShop();

/** Waits until a session waits for a lock or the promise settles; returns which came first. */
async function blockedOr(promise: Promise<unknown>): Promise<"blocked" | "settled"> {
  let settled = false;
  const noted = promise.finally(() => {
    settled = true;
  });
  const client = new pg.Client({ connectionString: databaseUrl ?? "" });
  await client.connect();
  try {
    for (;;) {
      if (settled) return "settled";
      const { rows } = await client.query("select 1 from pg_locks where not granted limit 1");
      if (rows.length > 0) return "blocked";
    }
  } finally {
    await client.end();
    void noted.catch(() => {});
  }
}

test.skipIf(engine !== "postgres")(
  "the erasure of a customer waits for an order that is still being created",
  async () => {
    const { live } = shop.app.service.stores;
    const goods = await shop.product({ units: 5 });
    const draft = shop.draft([[goods, 1]]);
    const begun = (await shop.app.post(`/customers/${shop.customer.id}/erasure`, { after_days: 0 })).body.data;
    await eraseDue(live, shop.app.service);
    const status = async () => (await shop.app.get(`/erasures/${begun.id}`)).body.data.status;
    expect(await status()).toBe("running");
    const pair = {
      customer_id: readId("customer", draft.customer_id) ?? 0,
      address_id: readId("address", draft.shipping_address_id) ?? 0,
    };
    // An operator with one merchant and with several, one order and several.
    const ways = [1, null].flatMap((makes) => [[pair], [pair, pair]].map((pairs) => ({ makes, pairs })));
    for (const { makes, pairs } of ways) {
      let erasing: Promise<unknown> = Promise.resolve();
      const made = await live.scoped({ visible: null, owner: makes }).write(async (tx) => {
        await findRecipients(tx, pairs);
        erasing = eraseDue(live, shop.app.service);
        expect(await blockedOr(erasing)).toBe("blocked");
        return createOrder(tx, { ...draft, order_number: `R-${makes}-${pairs.length}` }, systemActor("test"));
      });
      await erasing;
      expect(await status()).toBe("waiting");
      const order = await shop.get(wireId("order", made.id));
      expect(order.shipping_address.address_line1).not.toBe("Erased");
      await shop.cancel(order.id);
      shop.app.clocks.live.advance(2 * 3_600_000);
      await eraseDue(live, shop.app.service);
      expect(await status()).toBe("running");
    }
    await shop.app.runJobs();
    expect(await status()).toBe("done");
  },
);
