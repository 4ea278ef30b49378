// State tables. A table has a row for every way in which a record's state may change; what `move` answers is saved.
//
//   export const orderMoves = {
//     pack:      { from: ["pending", "processing"], to: "fulfilled",  held: false, emits: "order.fulfilled" },
//     pack_part: { from: ["pending", "processing"], to: "processing", held: false, emits: null, of: ["pack"] },
//   } as const satisfies Moves<OrderStatus, EventType>;
//
//   const status = move(orderMoves, isPacked(order) ? "pack" : "pack_part", before.status);
//
// An action whose result depends on units has a row for each result. The row with the action's own name is what it
// leads to when all is done; the others are its outcomes, and name it in `of`. Only actions are offered to clients.
import { assert, Fault } from "./faults.ts";

/** One row of a state table: it takes a record from any state in `from` to `to`; null leaves it where it is. */
export interface Transition<State extends string, Event extends string = string> {
  readonly from: readonly State[];
  readonly to: State | null;
  /** Whether the action is allowed while the record is on hold. */
  readonly held: boolean;
  /** The event that is emitted, or null. */
  readonly emits: Event | null;
  /** The actions that can end in this row instead of their own; absent for an action. */
  readonly of?: readonly string[];
}

export type Transitions<State extends string, Event extends string = string> = Readonly<
  Record<string, Transition<State, Event>>
>;

/** The names of a table's actions: its rows that are not an outcome of another one. */
export type ActionOf<Table> = {
  [Name in keyof Table & string]: Table[Name] extends { readonly of: unknown } ? never : Name;
}[keyof Table & string];

/** A table's actions, in its order. */
export function actionsIn<Table extends Transitions<string>>(table: Table): ActionOf<Table>[] {
  return Object.keys(table).filter((name): name is ActionOf<Table> => table[name]?.of === undefined);
}

/** The actions of the table that a record in this state may take now, in the table's order. */
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
 * The state that an action, or one of its outcomes, leads to: it is to be saved.
 * Refuses: invalid_state_transition, with what is allowed instead.
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

/** From which states to which one an action moves many records at once, for a statement that does so. */
export function bulkTransition<Table extends Transitions<string>>(
  table: Table,
  name: keyof Table & string,
): { readonly from: readonly StateOf<Table>[]; readonly to: StateOf<Table> } {
  const { from, to } = table[name] as Transition<StateOf<Table>>;
  assert(to !== null, `${name} leads to a state`);
  return { from, to };
}

/** States that no path from `initial` reaches. A test asserts that there are none. */
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
