// The list of exceptions: the rows of all sources, merged by the moment at which their causes began.
import type { IdNoun } from "../../core/ids.ts";
import type { PagePosition, PageWindow } from "../../core/schema.ts";
import { mayMerchant } from "../../http/auth/merchant_permissions.ts";
import type { Call } from "../../http/call.ts";
import type { Db } from "../../storage/database.ts";
import { type Exception, type ExceptionKind, exceptionKinds, shownKinds } from "./exception.ts";
import { type ExceptionFilter, exceptionSources } from "./exceptions.sql.ts";

/** An exception with its source. */
interface ListedException extends Exception {
  readonly kind: ExceptionKind;
  readonly noun: IdNoun;
  /** The place of its source among all sources. */
  readonly place: number;
}

const ids_max = 2 ** 44;

/** The kinds that a caller may see. */
export function kindsFor({ granted, merchant_id }: Pick<Call, "granted" | "merchant_id">): ExceptionKind[] {
  return exceptionKinds.filter((kind) => {
    const { needs: need, list: id = "" } = shownKinds[kind];
    return granted.permissions.has(need) && (merchant_id === null || mayMerchant({ id, need }, no_labels));
  });
}

/** None of these lists depends on whether a merchant may buy labels. */
const no_labels = { may_buy_labels: false };

/** Where a list continues after an exception. Ids are unique only within a source. */
export const positionOf = ({ since, id, place }: ListedException): PagePosition => [since, place * ids_max + id];

/** A page of the exceptions of these kinds. */
export async function listExceptions(
  db: Db,
  kinds: readonly ExceptionKind[],
  filter: ExceptionFilter,
  { limit, offset, after }: PageWindow,
): Promise<ListedException[]> {
  const { newest_first } = filter;
  const found: ListedException[] = [];
  for (const [place, { kind, noun, rows }] of exceptionSources.entries()) {
    if (!kinds.includes(kind)) continue;
    const start = startIn(place, after, newest_first);
    const own = await rows(db, { ...filter, ...start, limit: limit + offset });
    found.push(...own.map((exception) => ({ ...exception, kind, noun, place })));
  }
  const sign = newest_first ? -1 : 1;
  found.sort((a, b) => sign * (a.since - b.since || a.place - b.place || a.id - b.id));
  return found.slice(offset, offset + limit);
}

/** Where a page begins in a source. */
function startIn(place: number, after: PagePosition | null, newest_first: boolean) {
  const end = Number.MAX_SAFE_INTEGER;
  if (after === null) return newest_first ? { since: end, id: end } : { since: -1, id: 0 };
  const [since, packed] = [Number(after[0]), after[1]];
  const last = Math.floor(packed / ids_max);
  if (place === last) return { since, id: packed % ids_max };
  // Sources that come later have all of the moment's exceptions left, earlier ones none.
  return { since, id: place > last !== newest_first ? (newest_first ? end : 0) : newest_first ? 0 : end };
}

/** The number of exceptions of each of these kinds. */
export async function countExceptions(db: Db, kinds: readonly ExceptionKind[], filter: ExceptionFilter) {
  const counts = new Map(kinds.map((kind) => [kind, 0]));
  for (const { kind, count } of exceptionSources) {
    const known = counts.get(kind);
    if (known !== undefined) counts.set(kind, known + (await count(db, filter)));
  }
  return counts;
}
