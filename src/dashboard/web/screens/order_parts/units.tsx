import type { Order, OrderLine } from "../../api/types.ts";
import { Button } from "../../kit/button.tsx";
import type { Editing, Field, Values } from "../../kit/fields.tsx";
import { orderTexts as texts } from "../../texts/order.ts";
import { UnitLines } from "./unit_lines.tsx";

/** A line of which some units can be chosen. */
export interface Choosable {
  readonly id: string;
  readonly sku: string;
  readonly name: string;
  readonly most: number;
}

/** The lines of an order with how many units of each can be chosen; those with none are left out. */
export function choosable(order: Order, most: (line: OrderLine) => number): Choosable[] {
  return order.line_items.flatMap((line) => {
    const units = most(line);
    return units > 0 ? { id: line.id, sku: line.sku, name: line.name, most: units } : [];
  });
}

/** The field value with all units of these lines, or none. */
export function chosenUnits(lines: readonly Choosable[], all: boolean): Values {
  return Object.fromEntries(lines.map(({ id, most }) => [id, all ? String(most) : ""]));
}

/** The entered units as items of a request. */
export function itemsOf(value: unknown, lines: readonly Choosable[]): { line_id: string; quantity: number }[] {
  const entered = (value ?? {}) as Values;
  return lines.flatMap(({ id }) => {
    const quantity = Number(entered[id] ?? 0);
    return quantity > 0 ? { line_id: id, quantity } : [];
  });
}

/** Whether all units are chosen. */
export function isAll(value: unknown, lines: readonly Choosable[]): boolean {
  const entered = (value ?? {}) as Values;
  return lines.every(({ id, most }) => Number(entered[id] ?? 0) === most);
}

/** A field for so many units of each line. */
export function unitsField(lines: readonly Choosable[]): Field {
  return {
    kind: "custom",
    name: "items",
    label: texts.items,
    render: (editing) => <Units lines={lines} editing={editing} />,
  };
}

function Units({ lines, editing }: { readonly lines: readonly Choosable[]; readonly editing: Editing }) {
  const { value, set, problem, id } = editing;
  const entered = (value ?? {}) as Values;
  const items = itemsOf(value, lines);
  return (
    <div class="units">
      <div class="units-acts">
        <Button kind="plain" title={texts.all} onClick={() => set(chosenUnits(lines, true))} />
        <Button kind="plain" title={texts.none} onClick={() => set(chosenUnits(lines, false))} />
      </div>
      <UnitLines
        id={id}
        lines={lines}
        entered={entered}
        onEnter={set}
        wrong={(line) => {
          const at = items.findIndex(({ line_id }) => line_id === line.id);
          return at < 0 ? undefined : problem(`[${at}].quantity`);
        }}
      />
      {problem() && (
        <p class="field-wrong" role="alert">
          {problem()}
        </p>
      )}
    </div>
  );
}
