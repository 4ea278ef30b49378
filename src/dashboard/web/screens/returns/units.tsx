import type { Return } from "../../api/types.ts";
import type { Field, Values } from "../../kit/fields.tsx";
import { returnTexts as texts } from "../../texts/returns.ts";
import { UnitLines } from "../order_parts/unit_lines.tsx";

interface Outstanding {
  readonly sku: string;
  readonly most: number;
}

/** The outstanding units of a return, by SKU. */
export function outstanding({ items }: Return): Outstanding[] {
  const units = new Map<string, number>();
  for (const { sku, quantity, quantity_received } of items) {
    units.set(sku, (units.get(sku) ?? 0) + quantity - quantity_received);
  }
  return [...units].flatMap(([sku, most]) => (most > 0 ? { sku, most } : []));
}

/** The entered units as items of a request. */
export function unitsOf(value: unknown) {
  return Object.entries(value as Values).flatMap(([sku, entered]) => {
    const quantity = Number(entered);
    return quantity > 0 ? { sku, quantity } : [];
  });
}

/** A field for the units of each SKU. */
export function unitFields(lines: readonly Outstanding[]): Field {
  return {
    kind: "custom",
    name: "items",
    label: texts.items,
    render: ({ id, value, set, problem }) => {
      const entered = value as Values;
      const named = unitsOf(entered);
      return (
        <div class="units">
          <UnitLines
            id={id}
            lines={lines.map((line) => ({ ...line, id: line.sku }))}
            entered={entered}
            onEnter={set}
            wrong={({ sku }) => {
              const at = named.findIndex((one) => one.sku === sku);
              return at < 0 ? undefined : problem(`[${at}].quantity`);
            }}
          />
        </div>
      );
    },
  };
}
