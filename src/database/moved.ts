// The mark of an installation that is moved: half of it has arrived, or all has gone elsewhere. Neither is served.
import { startRefused } from "./exit.ts";

/** What a mark says, in the column `moving` of both worlds. */
export interface Mark {
  /** `arriving`: it is being filled from elsewhere. `moved`: its records are elsewhere now, and here to look back. */
  readonly state: "arriving" | "moved";
  /** Names the move, at both ends. */
  readonly move_id: string;
  /** The other end, for people: a folder, or a database without user and password. */
  readonly other: string;
  /** When the move began or ended (ms). */
  readonly at: number;
  /** Statements to run in this order once all rows have arrived: they make the indexes and triggers again. */
  readonly restore: readonly string[];
  /** Whether all rows have arrived, so that only the rest of `restore` is to be done. */
  readonly filled: boolean;
}

/** Whether an installation with a mark may be opened all the same, to be looked at. */
export type Moved = "refused" | "allowed";

/** Reads a mark; null where there is none. Refuses half of a merchant, which only versions before 0.1.0 can finish. */
export function readMark(text: string | null): Mark | null {
  if (text === null) return null;
  const mark = JSON.parse(text) as Mark & { readonly merchant?: string | null };
  if (!mark.merchant) return mark;
  const way = "Finish or undo that move with the version that began it.";
  throw startRefused(
    "unsuitable",
    `This installation holds half of the merchant ${mark.merchant} from ${mark.other}. ${way}`,
  );
}

/**
 * Refuses an installation that must not be served, and says what to do. `where` names it, as in the messages of
 * migrations.
 */
export function refuseMoved(text: string | null, where: string): void {
  const mark = readMark(text);
  if (mark === null) return;
  if (mark.state === "arriving") {
    const way = `Run the same packhouse move again: it goes on where it was. With --begin-anew it begins from nothing.`;
    const safe = `All of it is still at ${mark.other}, as it was.`;
    throw startRefused("unsuitable", `${where} holds half of a move from ${mark.other}. ${safe} ${way}`);
  }
  const day = new Date(mark.at).toISOString().slice(0, 10);
  const back = `To go back, run packhouse move --undo with the same --from and --to.`;
  throw startRefused("unsuitable", `${where} was moved to ${mark.other} on ${day}: start Packhouse there. ${back}`);
}
