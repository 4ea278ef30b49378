import { and, asc, desc, gte, inArray, lt, lte, max, type SQL, sum, sql as template } from "drizzle-orm";
import { pack, unpack } from "../../../db/packing/packing.ts";
import { request_blocks } from "../../../db/schema/requests.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { insert } from "../../storage/statements.ts";
import {
  classBit,
  classesOf,
  isWanted,
  type LoggedRequest,
  lineOf,
  mayMatch,
  type RequestFilter,
  readLine,
} from "./logged_request.ts";

/** A request with its place in the log. */
export interface PlacedRequest extends LoggedRequest {
  readonly block: number;
  readonly line: number;
}

/** Requests that were answered one after the other, as the one row that keeps them. */
type NewRequestBlock = Omit<typeof request_blocks.$inferSelect, "id">;

/** Gathers requests that are answered one after the other, each as its line, until they become a block. */
export class BlockInMaking {
  readonly #from_at: number;
  readonly #lines: string[] = [];
  #to_at: number;
  #classes = 0;

  /** A block that begins with a request of this moment. */
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

  /** The finished block, its lines packed. */
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

// So many lines and blocks were looked at before a page ends that is not full: few of them match.
const looked_at_lines_max = 100_000;
const looked_at_blocks_max = 2000;
const blocks_together = 50;

/**
 * The newest requests that are looked for, behind a place in the log, and where the search goes on when it ended before
 * the page was full.
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
      rows.push(...wantedIn(block, filter, behind, limit - rows.length));
      place = [block.id, 0];
      lines += block.count;
      blocks += 1;
      if (rows.length >= limit) return { rows, end: null };
      if (lines >= looked_at_lines_max || blocks >= looked_at_blocks_max) return { rows, end: place };
    }
    if (some.length < blocks_together) return { rows, end: null };
  }
}

/** Those of a block before a line that are looked for, the latest first. */
function wantedIn({ id, from_at, lines }: RequestBlock, filter: RequestFilter, before: number, limit: number) {
  const found: PlacedRequest[] = [];
  const texts = unpack(lines).split("\n");
  for (let line = Math.min(before, texts.length) - 1; line >= 0 && found.length < limit; line -= 1) {
    const text = texts[line] ?? "";
    if (!mayMatch(text, filter)) continue;
    const request = readLine(text, from_at);
    if (isWanted(request, filter)) found.push({ ...request, block: id, line });
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
    // The block of the place itself as well, unless its first line was the last that was shown.
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
    .limit(blocks_together);
}

/** The request in this place of the log, or null. */
export async function findRequest(db: Db, block_id: number, line: number): Promise<PlacedRequest | null> {
  const [block] = await db.sql.select().from(request_blocks).where(template`${request_blocks.id} = ${block_id}`);
  const text = block && unpack(block.lines).split("\n")[line];
  return block === undefined || text === undefined ? null : { ...readLine(text, block.from_at), block: block.id, line };
}

/** Forgets some of the oldest blocks: those before a moment, and those beyond so many bytes; true when more wait. */
export async function forgetRequests(
  tx: Tx,
  { before, bytes_max, together_max }: { before: number; bytes_max: number; together_max: number },
): Promise<boolean> {
  const { id, to_at, lines } = request_blocks;
  const oldest = await tx.sql
    .select({ id, to_at, bytes: template<number>`length(${lines})`.mapWith(Number) })
    .from(request_blocks)
    .orderBy(asc(id))
    .limit(together_max);
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
  return old.length === together_max;
}
