import { Fault } from "./fault.ts";

/** One row of a state table: the action takes a record from any state in `from` to `to`; null leaves it where it is. */
export interface Move<State extends string, Tells extends string = string> {
  readonly from: readonly State[];
  readonly to: State | null;
  /** Whether the action is allowed while the record is on hold. */
  readonly held: boolean;
  /** The event the world is told, or null. */
  readonly tells: Tells | null;
}

export type Moves<State extends string, Tells extends string = string> = Readonly<Record<string, Move<State, Tells>>>;

/** The actions of the table that a record in this state may take now, in the table's order. */
export function allowedActions<State extends string, Table extends Moves<State>>(
  table: Table,
  status: State,
  held: boolean,
): (keyof Table & string)[] {
  return Object.keys(table).filter((action) => {
    const row = table[action] as Move<State>;
    return row.from.includes(status) && (!held || row.held);
  });
}

/** The state an action leads to. Refuses: invalid_state_transition, with what is allowed instead. */
export function move<State extends string, Table extends Moves<State>>(
  table: Table,
  action: keyof Table & string,
  status: State,
  held = false,
): State {
  const row = table[action] as Move<State>;
  if (!row.from.includes(status) || (held && !row.held)) {
    const from = held ? `on hold (${status})` : status;
    throw new Fault("invalid_state_transition", `Cannot ${action.replaceAll("_", " ")} while ${from}.`, {
      from: held ? "on_hold" : status,
      action,
      allowed_actions: allowedActions(table, status, held),
    });
  }
  return row.to ?? status;
}

/** States that no path from `initial` reaches. A test asserts that there are none. */
export function unreachable<State extends string>(
  table: Moves<State>,
  states: readonly State[],
  initial: State,
): State[] {
  const seen = new Set<State>([initial]);
  // Each pass adds a state or changes nothing, so as many passes as states are enough.
  for (const _pass of states) {
    for (const { from, to } of Object.values(table)) {
      if (to !== null && from.some((state) => seen.has(state))) seen.add(to);
    }
  }
  return states.filter((state) => !seen.has(state));
}
