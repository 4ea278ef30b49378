import { Elysia } from "elysia";
import type { Db } from "../../database/store.ts";
import { answerRead } from "../../http/answer.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { documented } from "../../http/route.ts";
import { parseMoment } from "../../kit/clock.ts";
import { invalid, missing } from "../../kit/fault.ts";
import { queryOf } from "../../kit/schema.ts";
import { showsBins } from "../bin_codes.ts";
import { listParts, loadShelvesAndSets } from "../bundles/store.ts";
import { listAwaited } from "../receipts/store.ts";
import { findStockedId } from "../stock/store.ts";
import { listInTransit } from "../transfers/store.ts";
import { demandView, incomingView, ledgerView, named_max, noDemand, partsView } from "./explanation.ts";
import { ExplainStock, ExplanationView } from "./schemas.ts";
import { listBackorders, listPlaces, listPromised, sumMovements } from "./store.ts";

/** Why the stock of a SKU is what it is, or was. */
export const explanationRoutes = new Elysia({ prefix: "/inventory/:sku" })
  .use(conventions)
  .get(
    "/explain",
    ({ call, params, query }) => answerRead(call, (db) => explain(db, params.sku, query, showsBins(call))),
    {
      query: queryOf(ExplainStock),
      detail: documented({
        id: "explainInventory",
        needs: "stock.read",
        chapter: "Inventory",
        summary: "Explain the inventory of a SKU from the ledger",
        answers: { 200: EnvelopedView(ExplanationView) },
      }),
    },
  );

async function explain(db: Db, sku: string, query: ExplainStock, shows_bins: boolean) {
  const id = await findStockedId(db, sku);
  const [shelf] = id === null ? [] : await loadShelvesAndSets(db, [id]);
  if (id === null || shelf === undefined) throw missing("SKU", sku);
  const as_of = query.as_of === undefined ? null : parseMoment(query.as_of);
  if (as_of !== null && as_of > db.now) throw invalid("as_of", "lies in the future");
  const sums = await sumMovements(db, id, as_of);
  const ledger = ledgerView(shelf.product, sums, await listPlaces(db, id, as_of), as_of, shows_bins);
  if (as_of !== null) return { ...ledger, ...noDemand };
  const promised = await listPromised(db, id, named_max + 1);
  const waiting = await listBackorders(db, id, named_max + 1);
  const awaited = await listAwaited(db, id, named_max + 1);
  const incoming = incomingView(shelf, awaited, await listInTransit(db, id, named_max + 1));
  const components =
    shelf.sets === undefined ? {} : { components: partsView((await listParts(db, [id])).get(id) ?? []) };
  return { ...ledger, ...demandView(shelf, promised, waiting, db.now, shows_bins), incoming, ...components };
}
