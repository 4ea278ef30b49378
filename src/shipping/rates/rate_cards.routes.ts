import { Elysia } from "elysia";
import { iso } from "../../core/clock.ts";
import { columnTable, csvExportFields, writeCells } from "../../core/csv_columns.ts";
import { checkOf, closed } from "../../core/schema.ts";
import type { CsvFile } from "../../http/csv_response.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { fileFields, withFile } from "../../http/file_upload.ts";
import { requireMatch } from "../../http/preconditions.ts";
import { answerWrite } from "../../http/response.ts";
import { exportCsv, list, read, respond, routes, write } from "../../http/routes.ts";
import { readWholeFile, type WholeFile } from "../../http/whole_file_import.ts";
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
  ListedRateCard,
  PriceRowField,
  RateCardView,
  UpdateRateCard,
} from "./rate_cards.schema.ts";
import { type CardVersion, cardList, cardVersionList, getCard, lockCard } from "./rate_cards.sql.ts";
import { createRateCard, replacePrices, updateRateCard } from "./rate_cards.ts";

const cardRoutes = routes("Rate cards", [
  list("/shipping/rate_cards", "shipping.read", {
    id: "listRateCards",
    summary: "List the rate cards of the built-in carrier",
    description:
      "Lists all cards, also inactive and expired ones, oldest first. Prices are left out, and `price_rows` counts" +
      " them: get a card by its id for its prices.",
    of: cardList,
    view: ListedRateCard,
    views: (cards) => cards.map(listedCardView),
  }),
  write("POST", "/shipping/rate_cards", "shipping.manage", {
    id: "createRateCard",
    summary: "Create a rate card",
    description:
      "A card prices one service of the built-in carrier. Active cards of one service must not overlap in time. The" +
      " price of a parcel is the sum of `base` (the row of its zone and billed weight, at least `minimum`), the" +
      " surcharges that apply, `fuel` on all fuelable charges, and `declared_value` if it is insured.",
    refuses: ["rate_card_overlap"],
    body: CreateRateCard,
    view: RateCardView,
    status: 201,
    act: async (tx, { call, body }) => cardView(await createRateCard(tx, body, call.actor)),
  }),
  read("/shipping/rate_cards/:id", "shipping.read", {
    id: "getRateCard",
    summary: "Get a rate card",
    description:
      "Returns the card with all of its price rows, up to 10,000. Export them as CSV to edit them in a spreadsheet.",
    view: RateCardView,
    data: async (db, { params }) => cardView(await getCard(db, params.id)),
  }),
  write("PATCH", "/shipping/rate_cards/:id", "shipping.manage", {
    id: "updateRateCard",
    summary: "Update a rate card",
    description:
      "Replaces each field of the request as a whole, also nested ones, and adds an entry to the history. The next" +
      " rates use it; existing labels and quotes keep their price. A sample card whose name or terms change is no" +
      " longer a sample. Equal values change nothing.",
    refuses: ["immutable_field", "rate_card_overlap"],
    body: UpdateRateCard,
    view: RateCardView,
    matches: (tx, { params }) => lockCard(tx, params.id),
    act: async (tx, { call, params, body }) => cardView(await updateRateCard(tx, params.id, body, call.actor)),
  }),
  list("/shipping/rate_cards/:id/history", "shipping.read", {
    id: "listRateCardHistory",
    summary: "List the history of a rate card, newest first",
    description:
      "Each change of the card adds an entry with the whole card after it and who changed it. The oldest entry is" +
      " the card as it was created.",
    of: cardVersionList,
    view: CardHistoryView,
    views: (rows) => rows.map(versionView),
  }),
]);

function versionView({ revision, content, actor_type, actor_id, actor_name, request_id, created_at }: CardVersion) {
  return {
    revision,
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

const priceRoutes = routes("Rate cards", [
  respond("POST", "/shipping/rate_cards/:id/import", "shipping.manage", {
    id: "importRateCardPrices",
    summary: "Import a rate card's prices as CSV",
    description:
      "Replaces all prices of the card; the history keeps the earlier ones. If any row has an error, nothing is" +
      ` imported.\n\n${table}`,
    sends: "csv",
    query: closed(fileFields),
    matches: true,
    answers: { 200: EnvelopedView(RateCardView) },
    answer: ({ call, params: { id }, query }) =>
      withFile(call, query, async (file) => {
        const { currency } = (await call.store.read((db) => getCard(db, id))).terms;
        const prices = (await readWholeFile(file, priceFile(currency))).map(({ row }) => row);
        return answerWrite(call, 200, async (tx) => {
          await requireMatch(call, () => lockCard(tx, id));
          return cardView(await replacePrices(tx, id, prices, call.actor));
        });
      }),
  }),
  exportCsv("/shipping/rate_cards/:id/export.csv", "shipping.read", {
    id: "exportRateCardPrices",
    summary: "Export a rate card's prices as CSV",
    description: `Returns the price rows of the card. The file can be imported again.\n\n${table}`,
    query: closed(csvExportFields),
    file: ({ params }) => pricesOf(params.id),
  }),
]);

/** Routes of rate cards and of CSV files of their prices. */
export const rateCardRoutes = new Elysia().use(cardRoutes).use(priceRoutes);
