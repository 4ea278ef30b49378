import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, idField, nullable, Timestamp, textField, timestamp } from "../../core/schema.ts";
import {
  listingMatches,
  stockCauses,
  stockPushResults,
  stockStatuses,
  unsettableReasons,
} from "../platforms.transitions.ts";

const units_max = 1_000_000_000;
const units = (description: string) => Type.Integer({ minimum: 0, maximum: units_max, description });
const percent = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description });

const buffer_text = "Units that are held back from the shop";
const cap_text = "The most units that the shop shows";
const share_text = "The percentage of the remaining units that the shop shows";
const places_text =
  "The shop's locations to fill, each with the warehouses whose stock it shows. Null: all warehouses fill the shop's " +
  "only location";

const Place = closed({
  external_id: textField(100, { description: "The platform's id of the location." }),
  warehouse_ids: Type.Array(idField("warehouse"), {
    minItems: 1,
    maxItems: 50,
    description: "The warehouses whose stock it shows. A warehouse fills one location only.",
  }),
});

const stockReadOnly = [
  ...["connection_id", "shop_locations", "reading", "read_at", "listings", "matched_listings", "queued_listings"],
  ...["failed_listings", "open_differences", "last_push_at", "oversells_prevented", "reason", "next_attempt_at"],
  ...["created_at", "updated_at"],
];

export const UpdateShopStock = closed(
  {
    enabled: Type.Optional(Type.Boolean({ description: "Whether stock is pushed to the shop." })),
    paused: Type.Optional(Type.Boolean({ description: "Whether pushes wait. Changes are pushed once it is false." })),
    buffer: Type.Optional(units(`${buffer_text}; 0 by default.`)),
    cap: Type.Optional(nullable(units(`${cap_text}; null for no limit.`))),
    share_percent: Type.Optional(percent(`${share_text}; 100 by default.`)),
    locations: Type.Optional(nullable(Type.Array(Place, { maxItems: 50, description: `${places_text}.` }))),
  },
  stockReadOnly,
);
export type UpdateShopStock = Static<typeof UpdateShopStock>;

const reasonOf = (description: string) =>
  Type.Union(
    [
      closed({
        code: Type.String({ description: "A code for programs." }),
        message: Type.String({ description: "What is wrong." }),
      }),
      Type.Null(),
    ],
    { description },
  );

export const ShopStockView = closed({
  connection_id: Type.String({ description: "The connection of the store." }),
  enabled: Type.Boolean({ description: "Whether stock is pushed to the shop." }),
  paused: Type.Boolean({ description: "Whether pushes wait." }),
  buffer: Type.Integer({ description: `${buffer_text}.` }),
  cap: nullable(Type.Integer({ description: `${cap_text}; null for no limit.` })),
  share_percent: Type.Integer({ description: `${share_text}.` }),
  locations: nullable(Type.Array(Place, { description: `${places_text}.` })),
  shop_locations: Type.Array(
    closed({
      external_id: Type.String({ description: "The platform's id." }),
      name: Type.String({ description: "The shop's name of the location." }),
      active: Type.Boolean({ description: "Whether the shop uses it." }),
    }),
    { description: "The shop's locations as last read; empty if its platform has none." },
  ),
  reading: Type.Union(
    [
      closed({
        since: timestamp("When it began."),
        listings: Type.Integer({ description: "Listings read so far." }),
      }),
      Type.Null(),
    ],
    { description: "The reading of the store's listings that is under way; null if there is none." },
  ),
  read_at: nullable(timestamp("When the shop's listings were last read completely; null if never.")),
  listings: Type.Integer({ description: "The shop's products and variants, counted at each location." }),
  matched_listings: Type.Integer({ description: "Those with a product here." }),
  queued_listings: Type.Integer({ description: "Those whose number is to be compared with the shop's." }),
  failed_listings: Type.Integer({ description: "Those whose number the shop refused." }),
  open_differences: Type.Integer({ description: "Differences that are not repaired." }),
  last_push_at: nullable(timestamp("When a number was last set at the shop; null if never.")),
  oversells_prevented: Type.Integer({
    description:
      "How often a push found that the shop still showed more than it should, but no more than there was, and that" +
      " it would have shown more than there was without the buffer.",
  }),
  reason: reasonOf("Why the last attempt failed; null if it did not."),
  next_attempt_at: nullable(timestamp("When there is work next; null if there is none.")),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const listing_id = Type.String({ description: "The listing, such as `lst_1001`." });
const location_id = nullable(
  Type.String({ description: "The platform's id of the location; null if the platform has none." }),
);
const external_id = Type.String({ description: "The platform's id of the product, variant or inventory item." });
const sku = nullable(Type.String({ description: "The SKU at the shop; null if it has none." }));
const ofConnection = "null for the value of the connection.";

export const ListingView = closed({
  id: Type.String(),
  external_id,
  location_id,
  name: Type.String({ description: "The name at the shop." }),
  sku,
  barcode: nullable(Type.String({ description: "The barcode at the shop." })),
  unsettable: nullable(
    choice(unsettableReasons, {
      description:
        "`bundle`: the shop counts its parts. `untracked`: the shop does not count it. Null if it can be set.",
    }),
  ),
  product_id: nullable(Type.String({ description: "The product whose stock it shows; null without one." })),
  product_sku: nullable(Type.String({ description: "The SKU of that product." })),
  matched_by: nullable(choice(listingMatches, { description: "How the product was found; null without one." })),
  buffer: nullable(Type.Integer({ description: `${buffer_text}; ${ofConnection}` })),
  cap: nullable(Type.Integer({ description: `${cap_text}; ${ofConnection}` })),
  share_percent: nullable(Type.Integer({ description: `${share_text}; ${ofConnection}` })),
  paused: Type.Boolean({ description: "Whether its number is left alone." }),
  status: choice(stockStatuses, {
    description:
      "`queued`: its number is to be compared with the shop's. `failed`: the shop refused it; a change queues it" +
      " again.",
  }),
  shop_quantity: nullable(Type.Integer({ description: "The shop's number as last read or set." })),
  target_quantity: nullable(
    Type.Integer({ description: "The number that the shop should show now; null without a product." }),
  ),
  in_step_at: nullable(timestamp("When the shop last showed our number; null if it never did.")),
  reason: reasonOf("Why the store does not show our number; null without a known reason."),
  next_attempt_at: nullable(timestamp("When it is compared next; null unless `queued`.")),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const UpdateListing = closed(
  {
    product_id: Type.Optional(
      nullable(
        idField("product", "The product whose stock it shows. Null: the one with its SKU, or else its barcode."),
      ),
    ),
    buffer: Type.Optional(nullable(units(`${buffer_text}; ${ofConnection}`))),
    cap: Type.Optional(nullable(units(`${cap_text}; ${ofConnection}`))),
    share_percent: Type.Optional(nullable(percent(`${share_text}; ${ofConnection}`))),
    paused: Type.Optional(Type.Boolean({ description: "Whether its number is left alone." })),
  },
  [
    ...["id", "external_id", "location_id", "name", "sku", "barcode", "unsettable", "product_sku", "matched_by"],
    ...["status", "shop_quantity", "target_quantity", "in_step_at", "reason", "next_attempt_at"],
    ...["created_at", "updated_at"],
  ],
);
export type UpdateListing = Static<typeof UpdateListing>;

export const UnlistedProductView = closed({
  id: Type.String(),
  sku: Type.String({ description: "The SKU here." }),
  name: Type.String({ description: "The name here." }),
  created_at: Timestamp,
});

export const StockPushView = closed({
  id: Type.String(),
  listing_id,
  external_id,
  location_id,
  sku,
  from_quantity: Type.Integer({ description: "The number that the shop showed." }),
  to_quantity: Type.Integer({ description: "The number that was sent." }),
  result: choice(stockPushResults, {
    description:
      "`set`; `stale`: the shop's number had changed, so nothing was set; `refused`: the shop did not accept it; " +
      "`failed`: it is sent again.",
  }),
  shop_quantity: nullable(
    Type.Integer({ description: "The number that the shop showed afterwards; null if unknown." }),
  ),
  seconds: nullable(Type.Number({ description: "How long after the change the shop showed it; null if it did not." })),
  reason: reasonOf("Why the store did not set the number; null if it did."),
  created_at: Timestamp,
});

export const StockDifferenceView = closed({
  id: Type.String(),
  listing_id,
  external_id,
  location_id,
  sku,
  shop_quantity: nullable(Type.Integer({ description: "The number that the shop showed; null if it counted none." })),
  expected_quantity: Type.Integer({ description: "The number that it should have shown." }),
  cause: choice(stockCauses, {
    description:
      "The likely cause. `changed_at_shop`: someone or an app changed it there. `order_not_imported`: an order of the" +
      " shop was unknown here. `push_failed`: the shop refused our number. `not_tracked`: the shop does not count it.",
  }),
  repaired_at: nullable(timestamp("When the shop showed our number again; null until then.")),
  created_at: Timestamp,
});
