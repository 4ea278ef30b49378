import type { Db } from "../../database/store.ts";
import { invalid } from "../../kit/fault.ts";
import { resolveOrder } from "../../orders/names/store.ts";
import { getOrder } from "../../orders/store.ts";
import { findProducts } from "../../products/store.ts";
import { addressOf } from "../address.ts";
import { contentsOf, productsToWeigh } from "../contents.ts";
import { type Carriage, type End, endAt } from "../offer.ts";
import type { Parcel } from "../parcel.ts";
import { originOfOrder, usualOrigin } from "../store.ts";
import { goodsOf, readEnds, readGivenParcel, readValue, weighedParcel } from "./rules.ts";
import type { GetRates } from "./schemas.ts";

/** What every carrier is asked: the parcel with both ends of its way, and its order, if any. */
export interface Question {
  readonly carriage: Carriage;
  readonly order_id: number | null;
}

/**
 * Reads a request for rates: of a described parcel, or of the next parcel of an order. Refuses: validation_failed,
 * resource_missing, ambiguous_identifier.
 */
export async function readQuestion(db: Db, body: GetRates): Promise<Question> {
  const { from, to } = readEnds(body);
  const parcel = readGivenParcel(body);
  if (body.order_id !== undefined) return questionOfOrder(db, body, body.order_id, { from, to, parcel });
  if (body.items !== undefined) throw invalid("items", "can be given only with order_id");
  if (parcel === null) throw invalid("weight", "is required", "required");
  const { timezone } = await usualOrigin(db);
  const way = { from: from as End, to: to as End, origin_zone: timezone };
  return { carriage: { ...parcel, ...way, ...readValue(body), reference: null, return: false }, order_id: null };
}

/** The fields of a request about an order that the request itself gives. */
interface Given {
  readonly from: End | null;
  readonly to: End | null;
  readonly parcel: Parcel | null;
}

async function questionOfOrder(db: Db, body: GetRates, name: string | number, given: Given): Promise<Question> {
  const order_id = await resolveOrder(db, name);
  const order = await getOrder(db, order_id);
  const goods = goodsOf(order, body.items);
  const products = await findProducts(db, productsToWeigh(order));
  const parcel = given.parcel ?? weighedParcel(goods, products, body.dimensions);
  const { address, timezone } = await originOfOrder(db, order);
  const residential = body.residential ?? order.address_verification?.residential ?? null;
  const to = given.to ?? { ...endAt(addressOf(order.shipping_address)), residential };
  const carriage: Carriage = {
    ...parcel,
    from: given.from ?? endAt(address),
    to,
    origin_zone: timezone,
    ...readValue(body),
    contents: contentsOf(goods, products, order.currency),
    reference: order.order_number,
    return: false,
  };
  return { carriage, order_id };
}
