// State tables. A table has a row for every way in which a record's status may change; `transition` returns the status
// to save.
//
//   export const orderTransitions = {
//     pack:      { from: ["pending", "processing"], to: "fulfilled",  held: false, emits: "order.fulfilled" },
//     pack_part: { from: ["pending", "processing"], to: "processing", held: false, emits: null, of: ["pack"] },
//   } as const satisfies Transitions<OrderStatus, EventType>;
//
//   const status = transition(orderTransitions, isPacked(order) ? "pack" : "pack_part", before.status);
//
// An action whose result depends on units has a row for each result. The row with the action's name is the result when
// everything is done. The other rows are partial outcomes and name the action in `of`. Clients see actions only.
import { assert, Fault } from "./faults.ts";

/** One row of a state table. It takes a record from any state in `from` to `to`; null leaves the state unchanged. */
export interface Transition<State extends string, Event extends string = string> {
  readonly from: readonly State[];
  readonly to: State | null;
  /** Whether the action is allowed while the record is on hold. */
  readonly held: boolean;
  /** The event that is emitted, or null. */
  readonly emits: Event | null;
  /** The actions of which this row is a partial outcome; absent when the row is an action. */
  readonly of?: readonly string[];
}

export type Transitions<State extends string, Event extends string = string> = Readonly<
  Record<string, Transition<State, Event>>
>;

/** The names of a table's actions: its rows that are not partial outcomes. */
export type ActionOf<Table> = {
  [Name in keyof Table & string]: Table[Name] extends { readonly of: unknown } ? never : Name;
}[keyof Table & string];

/** A table's actions, in table order. */
export function actionsIn<Table extends Transitions<string>>(table: Table): ActionOf<Table>[] {
  return Object.keys(table).filter((name): name is ActionOf<Table> => table[name]?.of === undefined);
}

/** The actions that a record in this state may take now, in table order. */
export function allowedActions<State extends string, Table extends Transitions<State>>(
  table: Table,
  status: State,
  held: boolean,
): ActionOf<Table>[] {
  return actionsIn(table).filter((action) => {
    const row = table[action] as Transition<State>;
    return row.from.includes(status) && (!held || row.held);
  });
}

/**
 * Returns the state that an action or outcome leads to. The caller saves it.
 * Refuses: invalid_state_transition, with the allowed actions.
 */
export function transition<State extends string, Table extends Transitions<State>>(
  table: Table,
  name: keyof Table & string,
  status: State,
  held = false,
): State {
  const row = table[name] as Transition<State>;
  if (!row.from.includes(status) || (held && !row.held)) {
    const action = row.of?.[0] ?? name;
    const from = held ? `on hold (${status})` : status;
    throw new Fault("invalid_state_transition", `Cannot ${action.replaceAll("_", " ")} while ${from}.`, {
      from: held ? "on_hold" : status,
      action,
      allowed_actions: allowedActions(table, status, held),
    });
  }
  return row.to ?? status;
}

type StateOf<Table extends Transitions<string>> = Table[keyof Table]["from"][number];

/** The states that an action starts from and the one it leads to, for a statement that updates many records at once. */
export function bulkTransition<Table extends Transitions<string>>(
  table: Table,
  name: keyof Table & string,
): { readonly from: readonly StateOf<Table>[]; readonly to: StateOf<Table> } {
  const { from, to } = table[name] as Transition<StateOf<Table>>;
  assert(to !== null, `action ${name} must lead to a state`);
  return { from, to };
}

/** The states that no path from `initial` reaches. A test checks that there are none. */
export function unreachableStates<State extends string>(
  table: Transitions<State>,
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
