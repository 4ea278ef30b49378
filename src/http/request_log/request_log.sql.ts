import { and, asc, desc, gte, inArray, lt, lte, max, type SQL, sum, sql as template } from "drizzle-orm";
import { pack, unpack } from "../../../db/packing/packing.ts";
import { request_blocks } from "../../../db/schema/requests.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { insert } from "../../storage/statements.ts";
import {
  classBit,
  classesOf,
  type LoggedRequest,
  lineOf,
  matches,
  mayMatch,
  type RequestFilter,
  readLine,
} from "./logged_request.ts";

/** A request with its position in the log. */
export interface PlacedRequest extends LoggedRequest {
  readonly block: number;
  readonly line: number;
}

/** Consecutive requests, stored as one row. */
type NewRequestBlock = Omit<typeof request_blocks.$inferSelect, "id">;

/** Gathers consecutive requests as lines until they become a block. */
export class RequestBlockBuilder {
  readonly #from_at: number;
  readonly #lines: string[] = [];
  #to_at: number;
  #classes = 0;

  /** A block that starts with a request at this time (ms). */
  constructor(from_at: number) {
    this.#from_at = from_at;
    this.#to_at = from_at;
  }

  get count(): number {
    return this.#lines.length;
  }

  add(request: LoggedRequest): void {
    this.#lines.push(lineOf(request, this.#from_at));
    this.#to_at = request.at;
    this.#classes |= classBit(request.status);
  }

  /** The finished block, with its lines compressed. */
  done(): NewRequestBlock {
    const times = { from_at: this.#from_at, to_at: this.#to_at };
    return { ...times, count: this.count, classes: this.#classes, lines: pack(this.#lines.join("\n")) };
  }
}

/** Stores blocks of requests. */
export async function insertBlocks(tx: Tx, blocks: readonly NewRequestBlock[]): Promise<void> {
  await insert(tx, request_blocks, blocks);
}

type RequestBlock = typeof request_blocks.$inferSelect;

// When few requests match, a page ends after this many lines or blocks were examined.
const examined_lines_max = 100_000;
const examined_blocks_max = 2000;
const blocks_at_once = 50;

/**
 * The newest requests that match, after a position in the log. `end` is where the search stopped if the page is not
 * full.
 */
export async function findRequests(
  db: Db,
  filter: RequestFilter,
  { limit, after }: { readonly limit: number; readonly after: readonly [block: number, line: number] | null },
): Promise<{ rows: PlacedRequest[]; end: readonly [block: number, line: number] | null }> {
  const rows: PlacedRequest[] = [];
  let place = after;
  let [lines, blocks] = [0, 0];
  for (;;) {
    const some = await listBlocks(db, filter, place);
    for (const block of some) {
      const behind = place !== null && place[0] === block.id ? place[1] : block.count;
      rows.push(...matchesIn(block, filter, behind, limit - rows.length));
      place = [block.id, 0];
      lines += block.count;
      blocks += 1;
      if (rows.length >= limit) return { rows, end: null };
      if (lines >= examined_lines_max || blocks >= examined_blocks_max) return { rows, end: place };
    }
    if (some.length < blocks_at_once) return { rows, end: null };
  }
}

/** The matching requests of a block before a line, latest first. */
function matchesIn({ id, from_at, lines }: RequestBlock, filter: RequestFilter, before: number, limit: number) {
  const found: PlacedRequest[] = [];
  const texts = unpack(lines).split("\n");
  for (let line = Math.min(before, texts.length) - 1; line >= 0 && found.length < limit; line -= 1) {
    const text = texts[line] ?? "";
    if (!mayMatch(text, filter)) continue;
    const request = readLine(text, from_at);
    if (matches(request, filter)) found.push({ ...request, block: id, line });
  }
  return found;
}

async function listBlocks(
  db: Db,
  filter: RequestFilter,
  place: readonly [number, number] | null,
): Promise<RequestBlock[]> {
  const { id, from_at, to_at, classes } = request_blocks;
  const wanted = classesOf(filter);
  const conditions: (SQL | undefined)[] = [
    // Includes the position's own block, unless its first line was the last one shown.
    place === null ? undefined : place[1] > 0 ? lte(id, place[0]) : lt(id, place[0]),
    filter.from === null ? undefined : gte(to_at, filter.from),
    filter.to === null ? undefined : lt(from_at, filter.to),
    wanted === null ? undefined : template`(${classes} & ${wanted}) <> 0`,
  ];
  return db.sql
    .select()
    .from(request_blocks)
    .where(and(...conditions))
    .orderBy(desc(id))
    .limit(blocks_at_once);
}

/** The request at this position of the log, or null. */
export async function findRequest(db: Db, block_id: number, line: number): Promise<PlacedRequest | null> {
  const [block] = await db.sql.select().from(request_blocks).where(template`${request_blocks.id} = ${block_id}`);
  const text = block && unpack(block.lines).split("\n")[line];
  return block === undefined || text === undefined ? null : { ...readLine(text, block.from_at), block: block.id, line };
}

/**
 * Deletes some of the oldest blocks: those before a time (ms), and those beyond `bytes_max`. Returns whether more are
 * left.
 */
export async function forgetRequests(
  tx: Tx,
  { before, bytes_max, blocks_max }: { before: number; bytes_max: number; blocks_max: number },
): Promise<boolean> {
  const { id, to_at, lines } = request_blocks;
  const oldest = await tx.sql
    .select({ id, to_at, bytes: template<number>`length(${lines})`.mapWith(Number) })
    .from(request_blocks)
    .orderBy(asc(id))
    .limit(blocks_max);
  const [total] = await tx.sql
    .select({ bytes: sum(template`length(${lines})`).mapWith(Number), last: max(id) })
    .from(request_blocks);
  let excess = (total?.bytes ?? 0) - bytes_max;
  const old: number[] = [];
  for (const block of oldest) {
    if (block.to_at >= before && excess <= 0) break;
    excess -= block.bytes;
    old.push(block.id);
  }
  if (old.length > 0) await tx.sql.delete(request_blocks).where(inArray(id, old));
  return old.length === blocks_max;
}
