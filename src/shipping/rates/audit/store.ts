// Whether every version of each rate card is kept.
import { eq, sql } from "drizzle-orm";
import { rate_card_versions, rate_cards } from "../../../../db/schema/rates.ts";
import type { Db } from "../../../database/store.ts";
import { type Check, type Difference, plainRows, verifierOf } from "../../../database/verifier.ts";

const checks: readonly Check<"rate card">[] = [
  {
    rule: "C1 a rate card has every version of it",
    noun: "rate card",
    rows: sql`select ${rate_cards.id} as id, ${rate_cards.version} as expected,
        (select count(*) from ${rate_card_versions} where ${rate_card_versions.card_id} = ${rate_cards.id}
          and ${rate_card_versions.version} between 1 and ${rate_cards.version}) as actual
      from ${rate_cards}`,
  },
];

const verifyAll = verifierOf(checks, {
  "rate card": (db, id) => plainRows(db, "rate_cards", rate_cards, eq(rate_cards.id, id)),
});

/** Checks rate cards against their versions. */
export async function verifyRateCards(db: Db): Promise<Difference[]> {
  return verifyAll(db);
}
