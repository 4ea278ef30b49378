import type { ComponentChildren } from "preact";
import type { Order, OrderLine } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { type Editing, FieldError, type FormField, type FormValues } from "../../components/fields.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { orderTexts as texts } from "../../text/order.ts";
import { openUnits, unitsOf } from "./order_facts.ts";

interface UnitLine {
  /** The name of its value in `entered`. */
  readonly id: string;
  readonly sku: string;
  readonly name?: string;
  readonly most: number;
}

interface UnitLinesProps<Line> {
  /** The id of the field. */
  readonly id: string;
  readonly lines: readonly Line[];
  readonly entered: FormValues;
  readonly onEnter: (entered: FormValues) => void;
  /** The API error of a line. */
  readonly wrong: (line: Line) => string | undefined;
  /** A further field of a line. */
  readonly extra?: (line: Line) => ComponentChildren;
}

/** A field for the units of each line, with the maximum. */
export function UnitLines<Line extends UnitLine>({ id, lines, entered, onEnter, wrong, extra }: UnitLinesProps<Line>) {
  return lines.map((line) => {
    const problem = wrong(line);
    return (
      <div key={line.id} class="units-line">
        <label for={`${id}-${line.id}`}>
          <code>{line.sku}</code> {line.name !== undefined && <span class="muted">{line.name}</span>}
        </label>
        <span class="with-unit">
          <input
            id={`${id}-${line.id}`}
            type="text"
            inputMode="numeric"
            value={String(entered[line.id] ?? "")}
            aria-label={texts.quantityOf(line.sku)}
            aria-invalid={problem ? true : undefined}
            onInput={(event) => onEnter({ ...entered, [line.id]: event.currentTarget.value.replace(/\D/g, "") })}
          />
          <span class="unit">{texts.of(count(line.most))}</span>
        </span>
        {extra?.(line)}
        <FieldError text={problem} />
      </div>
    );
  });
}

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
export function chosenUnits(lines: readonly Choosable[], all: boolean): FormValues {
  return Object.fromEntries(lines.map(({ id, most }) => [id, all ? String(most) : ""]));
}

/** The entered units as items of a request. */
export function itemsOf(value: unknown, lines: readonly Choosable[]): { line_id: string; quantity: number }[] {
  const entered = (value ?? {}) as FormValues;
  return lines.flatMap(({ id }) => {
    const quantity = Number(entered[id] ?? 0);
    return quantity > 0 ? { line_id: id, quantity } : [];
  });
}

/** Whether all units are chosen. */
export function isAll(value: unknown, lines: readonly Choosable[]): boolean {
  const entered = (value ?? {}) as FormValues;
  return lines.every(({ id, most }) => Number(entered[id] ?? 0) === most);
}

/** A form field for the units of each line. */
export function unitsField(lines: readonly Choosable[]): FormField {
  return {
    kind: "custom",
    name: "items",
    label: words.items,
    render: (editing) => <Units lines={lines} editing={editing} />,
  };
}

function Units({ lines, editing }: { readonly lines: readonly Choosable[]; readonly editing: Editing }) {
  const { value, set, problem, id } = editing;
  const entered = (value ?? {}) as FormValues;
  const items = itemsOf(value, lines);
  return (
    <div class="units">
      <div class="units-acts">
        <Button kind="plain" title={words.all} onClick={() => set(chosenUnits(lines, true))} />
        <Button kind="plain" title={words.none} onClick={() => set(chosenUnits(lines, false))} />
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
      <FieldError text={problem()} />
    </div>
  );
}

/** A line with units that are not in a parcel yet, and how many of them are reserved. */
export interface LooseLine extends Choosable {
  readonly reserved: number;
}

/** The units of an order that are not in a parcel yet. */
export function looseLines(order: Order): LooseLine[] {
  const parcelled = new Map<string, number>();
  for (const { status, items } of order.shipments) {
    if (status !== "pending") continue;
    for (const { line_id, quantity } of items) parcelled.set(line_id, (parcelled.get(line_id) ?? 0) + quantity);
  }
  const taken = (id: string) => parcelled.get(id) ?? 0;
  const reserved = new Map(order.line_items.map((line) => [line.id, unitsOf(line, "reserved") - taken(line.id)]));
  return choosable(order, (line) => openUnits(line) - taken(line.id)).map((line) => {
    return { ...line, reserved: Math.min(line.most, Math.max(0, reserved.get(line.id) ?? 0)) };
  });
}

/** The field value with the reserved units. */
export const reservedUnits = (lines: readonly LooseLine[]): FormValues =>
  Object.fromEntries(lines.map(({ id, reserved }) => [id, reserved > 0 ? String(reserved) : ""]));

/** The reserved units as items of a request. */
export const reservedItems = (lines: readonly LooseLine[]) => itemsOf(reservedUnits(lines), lines);

/** Whether more units are chosen than are reserved. */
export function exceedsReserved(
  items: readonly { readonly line_id: string; readonly quantity: number }[],
  lines: readonly LooseLine[],
): boolean {
  const reserved = new Map(lines.map((line) => [line.id, line.reserved]));
  return items.some(({ line_id, quantity }) => quantity > (reserved.get(line_id) ?? 0));
}
