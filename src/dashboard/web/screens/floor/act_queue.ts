// Scans and taps are handled one after the other, each once the one before it has been answered.
import { type Signal, signal } from "@preact/signals";
import { newKey } from "../../api/client.ts";
import { problemOf } from "../../api/problem.ts";
import type { WorkTask } from "../../api/types.ts";
import { floorTexts } from "../../text/floor.ts";
import { clock } from "../../text/format.ts";
import { giveFeedback, type OutcomeKind } from "./feedback.ts";

/** What came of a scan or a tap. */
export interface Outcome {
  readonly kind: OutcomeKind;
  readonly title: string;
  readonly text?: string;
  /** What was read. */
  readonly read?: string;
  /** The code of the API's refusal. */
  readonly code?: string;
  /** Further facts of the refusal, such as the candidates of an ambiguous barcode. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** The outcome that is shown; `number` counts those of the screen, so that equal ones are told apart. */
interface ShownOutcome extends Outcome {
  readonly number: number;
}

/** Handles one scan or tap. Returns null if there is nothing to show. */
export type FloorAct = () => Promise<Outcome | null>;

interface WaitingAct {
  readonly act: FloorAct;
  readonly read: string | undefined;
}

/** The scans and taps of a screen, in order. */
export interface ActQueue {
  /** How many are not yet answered. */
  readonly waiting: Signal<number>;
  readonly outcome: Signal<ShownOutcome | null>;
  /** Adds a scan or a tap. Equal ones are never merged. */
  readonly add: (act: FloorAct, read?: string) => void;
}

/** Creates the queue of a screen. */
export function actQueue(): ActQueue {
  const acts: WaitingAct[] = [];
  const [waiting, outcome] = [signal(0), signal<ShownOutcome | null>(null)];
  let running = false;
  const show = (result: Outcome | null, read: string | undefined) => {
    if (result === null) return;
    const number = (outcome.peek()?.number ?? 0) + 1;
    outcome.value = { ...(read !== undefined && { read }), ...result, number };
    giveFeedback(result.kind, result.code);
  };
  const run = async () => {
    if (running) return;
    running = true;
    for (let next = acts[0]; next !== undefined; next = acts[0]) {
      const { act, read } = next;
      show(await act().catch(refusal), read);
      acts.shift();
      waiting.value = acts.length;
      // The screen shows the new state before the next act looks at it.
      await new Promise((resolve) => setTimeout(resolve));
    }
    running = false;
  };
  const add = (act: FloorAct, read?: string) => {
    acts.push({ act, read });
    waiting.value = acts.length;
    void run();
  };
  return { waiting, outcome, add };
}

function refusal(error: unknown): Outcome {
  const { message, code, facts } = problemOf(error);
  const titles: Readonly<Record<string, string>> = floorTexts.refusals;
  return { kind: "wrong", title: titles[code] ?? floorTexts.refused, text: takenBy(facts) ?? message, code, facts };
}

/** Who has the task that was refused, and until when by the clock on the wall; null if somebody has none. */
function takenBy({ claim }: Outcome["facts"] & {}): string | null {
  const { by, device, expires_at } = (claim ?? {}) as Partial<NonNullable<WorkTask["claim"]>>;
  return by && device && expires_at ? floorTexts.takenUntil(by.name, device, clock(expires_at)) : null;
}

const first_pause_ms = 500;
const longest_pause_ms = 5000;
const passing = [0, 429, 502, 503, 504];

/** Sends a request until the server has answered it, always with the same `Idempotency-Key`, so it has one effect. */
export async function sendUntilAnswered<Data>(send: (key: string) => Promise<Data>): Promise<Data> {
  const key = newKey();
  for (let pause_ms = first_pause_ms; ; pause_ms = Math.min(2 * pause_ms, longest_pause_ms)) {
    try {
      return await send(key);
    } catch (error) {
      const { status, code } = problemOf(error);
      if (!passing.includes(status) && code !== "idempotency_key_in_use") throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause_ms));
  }
}
