import { order_lines } from "../../../db/schema/orders.ts";
import type { Db } from "../../database/store.ts";

/** How many rows a file of all orders has. */
export async function countLines(db: Db): Promise<number> {
  return db.sql.$count(order_lines);
}
