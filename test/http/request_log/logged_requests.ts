import type { LoggedRequest } from "../../../src/http/request_log/logged_request.ts";
import { insertBlocks, RequestBlockBuilder } from "../../../src/http/request_log/request_log.sql.ts";
import type { Tx } from "../../../src/storage/database.ts";

/** Stores requests as one block of the log, as if they had been served one after the other. */
export async function storeBlock(tx: Tx, requests: readonly LoggedRequest[]): Promise<void> {
  const block = new RequestBlockBuilder(requests[0]?.at ?? tx.now);
  for (const request of requests) block.add(request);
  await insertBlocks(tx, [block.done()]);
}
