// Reports a parcel to Shopify as a fulfillment of units that are open in its fulfillment orders.

import { fieldsIn, fieldsOrNone, type JsonFields, readText } from "../../outbound/api.ts";
import type { ShipmentReport } from "../platform.ts";
import { parseReply, platformError, withoutSecrets } from "./call_platform.ts";
import type { PlatformAccess } from "./connector.ts";
import { readQuantity, remaining } from "./platform_fields.ts";
import {
  fulfill_mutation,
  fulfillable_query,
  fulfilled_query,
  graphql,
  pages,
  parcels_query,
  withoutType,
} from "./shopify_api.ts";

/** Open units of one line in one fulfillment order at one location. */
interface OpenFulfillmentLine {
  readonly location: string;
  readonly fulfillment_order_id: string;
  readonly id: string;
  readonly external_id: string;
  readonly quantity: number;
}

const failed = ["CANCELLED", "ERROR", "FAILURE"];

/**
 * Fulfills a parcel's units. A fulfillment is recognized by its tracking number; a parcel without one uses our
 * parcel id. Locations are fulfilled one after another. Units from an earlier attempt are skipped. Refuses:
 * platform_error.
 */
export async function report(access: PlatformAccess, parcel: ShipmentReport): Promise<string | null> {
  const number = parcel.tracking_number ?? parcel.shipment_id;
  const { fulfillments, fulfillment_orders } = await parcelsOf(access, parcel.external_order_id);
  const known = fulfillments.filter(({ status, trackingInfo }) => {
    return !failed.includes(String(status)) && fieldsIn(trackingInfo).some((tracking) => tracking["number"] === number);
  });
  const reported: { external_id: string; quantity: number }[] = [];
  for (const { id } of known) reported.push(...(await fulfilledBy(access, id)));
  const left = remaining(parcel.lines, reported);
  const ids = known.map(({ id }) => numberOf(id));
  if (left.length === 0) return ids[0] ?? null;
  const open: OpenFulfillmentLine[] = [];
  for (const order of fulfillment_orders) open.push(...(await openOf(access, order)));
  const chosen = choose(
    left,
    open,
    fulfillment_orders.some(({ status }) => status === "ON_HOLD"),
  );
  for (const units of Map.groupBy(chosen, ({ location }) => location).values()) {
    ids.push(await fulfill(access, parcel, number, units));
  }
  return ids[0] ?? null;
}

async function parcelsOf(access: PlatformAccess, external_order_id: string) {
  const id = `gid://shopify/Order/${external_order_id}`;
  let fulfillments: JsonFields[] = [];
  const fulfillment_orders = await pages(
    async (after) => {
      const { order } = await graphql(access, parcels_query, { id, after });
      if (!order) throw platformError(`Shopify has no order ${external_order_id}.`, { permanent: true });
      fulfillments = fieldsIn(fieldsOrNone(order)["fulfillments"]);
      return fieldsOrNone(order);
    },
    (order) => order["fulfillmentOrders"],
  );
  return { fulfillments, fulfillment_orders };
}

async function fulfilledBy(access: PlatformAccess, id: unknown) {
  const items = await pages(
    (after) => graphql(access, fulfilled_query, { id, after }),
    (data) => fieldsOrNone(data["fulfillment"])["fulfillmentLineItems"],
  );
  return parseReply(() =>
    items.map(({ lineItem, quantity }) => ({
      external_id: numberOf(fieldsOrNone(lineItem)["id"]),
      quantity: readQuantity(quantity, "quantity"),
    })),
  );
}

/** The open units of a fulfillment order, if it can be fulfilled now. */
async function openOf(access: PlatformAccess, order: JsonFields): Promise<OpenFulfillmentLine[]> {
  const { id, supportedActions, assignedLocation } = order;
  if (!fieldsIn(supportedActions).some(({ action }) => action === "CREATE_FULFILLMENT")) return [];
  const items = await pages(
    (after) => graphql(access, fulfillable_query, { id, after }),
    (data) => fieldsOrNone(data["fulfillmentOrder"])["lineItems"],
  );
  const location = String(fieldsOrNone(fieldsOrNone(assignedLocation)["location"])["id"]);
  return parseReply(() =>
    items.map((item) => ({
      location,
      fulfillment_order_id: String(id),
      id: String(item["id"]),
      external_id: numberOf(fieldsOrNone(item["lineItem"])["id"]),
      quantity: readQuantity(item["remainingQuantity"], "remainingQuantity"),
    })),
  );
}

/** Chooses open units for all units of the parcel. Refuses: platform_error, permanent unless something is on hold. */
function choose(
  left: ShipmentReport["lines"],
  open: readonly OpenFulfillmentLine[],
  held: boolean,
): OpenFulfillmentLine[] {
  return left.flatMap(({ external_id, quantity }) => {
    let wanted = quantity;
    const taken = open.flatMap((units) => {
      const count = units.external_id === external_id ? Math.min(units.quantity, wanted) : 0;
      wanted -= count;
      return count > 0 ? [{ ...units, quantity: count }] : [];
    });
    if (wanted === 0) return taken;
    const words = `Shopify has ${quantity - wanted} of ${quantity} units of line ${external_id} left to fulfill`;
    throw platformError(`${words}${held ? ", and some on hold" : ""}.`, { permanent: !held });
  });
}

// Shopify's spelling of carriers that it links to.
// biome-ignore format: a table is read by its columns.
const companies: Readonly<Record<string, string>> = {
  amazon: "Amazon Logistics US", auspost: "Australia Post",    bluedart: "Bluedart",     canadapost: "Canada Post",
  canpar: "Canpar",              deutschepost: "Deutsche Post", dhl: "DHL Express",       dhlecommerce: "DHL eCommerce",
  dhlexpress: "DHL Express",     dpd: "DPD",                   evri: "Evri",             fedex: "FedEx",
  gls: "GLS",                    lasership: "LaserShip",       ontrac: "OnTrac",         postnl: "PostNL",
  purolator: "Purolator",        royalmail: "Royal Mail",      tnt: "TNT",               ups: "UPS",
  usps: "USPS",                  yodel: "Yodel",
};

/** A carrier in Shopify's spelling; any other carrier by its code. */
const companyOf = (carrier: string): string => companies[carrier.toLowerCase().replaceAll(/[^a-z]/g, "")] ?? carrier;

async function fulfill(
  access: PlatformAccess,
  parcel: ShipmentReport,
  number: string,
  units: readonly OpenFulfillmentLine[],
): Promise<string> {
  const orders = Map.groupBy(units, ({ fulfillment_order_id }) => fulfillment_order_id);
  const fulfillment = {
    notifyCustomer: true,
    trackingInfo: {
      number,
      ...(parcel.carrier !== null && { company: companyOf(parcel.carrier) }),
      ...(parcel.tracking_url !== null && { url: parcel.tracking_url }),
    },
    lineItemsByFulfillmentOrder: [...orders].map(([fulfillmentOrderId, items]) => ({
      fulfillmentOrderId,
      fulfillmentOrderLineItems: items.map(({ id, quantity }) => ({ id, quantity })),
    })),
  };
  const data = await graphql(access, fulfill_mutation, { fulfillment });
  const { fulfillment: created, userErrors } = fieldsOrNone(data["fulfillmentCreate"]);
  const [refusal] = fieldsIn(userErrors);
  if (refusal === undefined) return numberOf(fieldsOrNone(created)["id"]);
  const words = `Shopify refused the fulfillment: ${readText(refusal["message"], 200) ?? "no message"}`;
  throw platformError(withoutSecrets(words, access), { permanent: true });
}

/** The number at the end of a global id such as `gid://shopify/LineItem/123`. */
const numberOf = (id: unknown): string => String(withoutType(id));
