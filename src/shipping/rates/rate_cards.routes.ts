import { Elysia } from "elysia";
import { iso } from "../../core/clock.ts";
import { columnTable, csvExportFields, writeCells } from "../../core/csv_columns.ts";
import { bodyOf, checkOf, closed, queryOf } from "../../core/schema.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { answerCsv, type CsvFile } from "../../http/csv_response.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { fileFields, withFile } from "../../http/file_upload.ts";
import { answerList } from "../../http/pagination.ts";
import { requireMatch } from "../../http/preconditions.ts";
import { answerRead, answerWrite } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import { readWholeFile, type WholeFile } from "../../http/whole_file_import.ts";
import type { Db } from "../../storage/database.ts";
import { readPriceRow } from "./check_rate_card.ts";
import {
  cardView,
  contentView,
  listedCardView,
  priceColumns,
  priceRowView,
  requiredPriceColumns,
} from "./rate_card.ts";
import {
  CardHistoryView,
  CreateRateCard,
  ListCardHistory,
  ListedRateCard,
  ListRateCards,
  PriceRowField,
  RateCardView,
  UpdateRateCard,
} from "./rate_cards.schema.ts";
import {
  type CardVersion,
  countCards,
  countCardVersions,
  getCard,
  listCards,
  listCardVersions,
  lockCard,
} from "./rate_cards.sql.ts";
import { createRateCard, replacePrices, updateRateCard } from "./rate_cards.ts";

const prefix = "/shipping/rate-cards";

const cardRoutes = new Elysia({ prefix })
  .use(conventions)
  .get("", ({ call, query }) => list(call, query), {
    query: queryOf(ListRateCards),
    detail: documented({
      id: "listRateCards",
      needs: "shipping.read",
      chapter: "Rate cards",
      summary: "List the rate cards of the built-in carrier",
      answers: { 200: ListView(ListedRateCard) },
    }),
  })
  .post(
    "",
    ({ call, body }) => answerWrite(call, 201, async (tx) => cardView(await createRateCard(tx, body, call.actor))),
    {
      body: bodyOf(CreateRateCard),
      detail: documented({
        id: "createRateCard",
        needs: "shipping.manage",
        chapter: "Rate cards",
        summary: "Create a rate card",
        description:
          "A card prices one service from `effective_from` to `effective_to`. Active cards of one service must not" +
          " overlap. The price of a parcel is the sum of `base` (the row of its zone and" +
          " weight, at least `minimum`), the surcharges that apply, `fuel` on all fuelable charges, and" +
          " `declared_value` if it is insured.",
        refuses: ["rate_card_overlap"],
        answers: { 201: EnvelopedView(RateCardView) },
      }),
    },
  )
  .get("/:id", ({ call, params }) => answerRead(call, async (db) => cardView(await getCard(db, params.id))), {
    detail: documented({
      id: "getRateCard",
      needs: "shipping.read",
      chapter: "Rate cards",
      summary: "Get a rate card",
      answers: { 200: EnvelopedView(RateCardView) },
    }),
  })
  .patch(
    "/:id",
    ({ call, params, body }) =>
      answerWrite(call, 200, async (tx) => {
        await requireMatch(call, () => lockCard(tx, params.id));
        return cardView(await updateRateCard(tx, params.id, body, call.actor));
      }),
    {
      body: bodyOf(UpdateRateCard),
      detail: documented({
        id: "updateRateCard",
        needs: "shipping.manage",
        chapter: "Rate cards",
        matches: true,
        summary: "Update a rate card",
        description: "Each field in the request is replaced as a whole. Existing labels and quotes keep their price.",
        refuses: ["immutable_field", "rate_card_overlap"],
        answers: { 200: EnvelopedView(RateCardView) },
      }),
    },
  )
  .get("/:id/history", ({ call, params, query }) => history(call, params.id, query), {
    query: queryOf(ListCardHistory),
    detail: documented({
      id: "listRateCardHistory",
      needs: "shipping.read",
      chapter: "Rate cards",
      summary: "List the history of a rate card, newest first",
      answers: { 200: ListView(CardHistoryView) },
    }),
  });

function list(call: Call, query: ListRateCards): Promise<Response> {
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listCards(db, query, window),
      count: (db) => countCards(db, query),
      position: (card) => [card.id, card.id],
    },
    (cards) => cards.map(listedCardView),
  );
}

function history(call: Call, id: string, query: ListCardHistory): Promise<Response> {
  const own = async (db: Db) => (await getCard(db, id)).id;
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => listCardVersions(db, await own(db), window),
      count: async (db) => countCardVersions(db, await own(db)),
      position: (row) => [row.version, row.id],
    },
    (rows) => rows.map(versionView),
  );
}

function versionView({ version, content, actor_type, actor_id, actor_name, request_id, created_at }: CardVersion) {
  return {
    version,
    card: contentView(content),
    actor: { type: actor_type, id: actor_id, name: actor_name },
    request_id,
    created_at: iso(created_at),
  };
}

const table = columnTable(priceColumns, requiredPriceColumns);
const checkRow = checkOf(PriceRowField);

/** The import of a price file in a currency. */
const priceFile = (currency: string): WholeFile<PriceRowField> => ({
  columns: priceColumns,
  required: requiredPriceColumns,
  read: (record) => {
    const row = checkRow(record);
    readPriceRow(row, currency);
    return row;
  },
  rows_max: 10_000,
});

/** The export of a card's prices, as one page. */
function pricesOf(id: string): CsvFile<PriceRowField, number> {
  return {
    name: `rate-card-${id.replaceAll(/\W/g, "")}.csv`,
    columns: priceColumns.map(({ name }) => name),
    page: async (db, after) => {
      const { prices, currency } = (await getCard(db, id)).terms;
      return { rows: after === null ? prices.map((row) => priceRowView(row, currency)) : [], next: null };
    },
    cells: (row) => writeCells(priceColumns, row),
  };
}

const priceRoutes = new Elysia({ prefix })
  .use(conventions)
  .post(
    "/:id/import",
    ({ call, params, query }) =>
      withFile(call, query, async (file) => {
        const { currency } = (await call.store.read((db) => getCard(db, params.id))).terms;
        const prices = (await readWholeFile(file, priceFile(currency))).map(({ row }) => row);
        return answerWrite(call, 200, async (tx) => {
          await requireMatch(call, () => lockCard(tx, params.id));
          return cardView(await replacePrices(tx, params.id, prices, call.actor));
        });
      }),
    {
      query: queryOf(closed(fileFields)),
      detail: documented({
        id: "importRateCardPrices",
        needs: "shipping.manage",
        chapter: "Rate cards",
        matches: true,
        summary: "Import a rate card's prices as CSV",
        description: `Replaces all prices of the card. If any row has an error, nothing is imported.\n\n${table}`,
        sends: "csv",
        answers: { 200: EnvelopedView(RateCardView) },
      }),
    },
  )
  .get("/:id/export.csv", ({ call, params, query }) => answerCsv(call, pricesOf(params.id), query), {
    query: queryOf(closed(csvExportFields)),
    detail: documented({
      id: "exportRateCardPrices",
      needs: "shipping.read",
      chapter: "Rate cards",
      summary: "Export a rate card's prices as CSV",
      description: `The file can be imported again.\n\n${table}`,
      documents: ["text/csv"],
      answers: { 200: null },
    }),
  });

/** Routes of rate cards and of CSV files of their prices. */
export const rateCardRoutes = new Elysia().use(cardRoutes).use(priceRoutes);
