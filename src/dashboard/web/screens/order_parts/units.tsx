import type { Order, OrderLine } from "../../api/types.ts";
import { Button } from "../../kit/button.tsx";
import type { Editing, Field, Values } from "../../kit/fields.tsx";
import { count } from "../../texts/format.ts";
import { orderTexts as texts } from "../../texts/order.ts";

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
      {lines.map((line) => {
        const at = items.findIndex(({ line_id }) => line_id === line.id);
        const wrong = at < 0 ? undefined : problem(`[${at}].quantity`);
        return (
          <div key={line.id} class="units-line">
            <label for={`${id}-${line.id}`}>
              <code>{line.sku}</code> <span class="muted">{line.name}</span>
            </label>
            <span class="with-unit">
              <input
                id={`${id}-${line.id}`}
                type="text"
                inputMode="numeric"
                value={String(entered[line.id] ?? "")}
                aria-label={texts.quantityOf(line.sku)}
                aria-invalid={wrong ? true : undefined}
                onInput={(event) => set({ ...entered, [line.id]: event.currentTarget.value.replace(/\D/g, "") })}
              />
              <span class="unit">{texts.of(count(line.most))}</span>
            </span>
            {wrong && (
              <p class="field-wrong" role="alert">
                {wrong}
              </p>
            )}
          </div>
        );
      })}
      {problem() && (
        <p class="field-wrong" role="alert">
          {problem()}
        </p>
      )}
    </div>
  );
}
