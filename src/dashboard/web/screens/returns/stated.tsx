import { conditions } from "../../../../returns/status.ts";
import { stateWords } from "../../kit/badge.tsx";
import type { Editing, Field, Values } from "../../kit/fields.tsx";
import { count } from "../../texts/format.ts";
import { orderTexts } from "../../texts/order.ts";
import { returnTexts as texts } from "../../texts/returns.ts";
import { type Choosable, itemsOf } from "../order_parts/units.tsx";

interface Stated {
  readonly units: Values;
  readonly conditions: Values;
  readonly notes: string;
}

/** The items of a request for a return. */
export function statedItems(value: unknown, lines: readonly Choosable[]) {
  const { units, conditions, notes } = value as Stated;
  return itemsOf(units, lines).map(({ line_id, quantity }) => {
    const condition = conditions[line_id] as string | undefined;
    return {
      sku: lines.find(({ id }) => id === line_id)?.sku ?? "",
      quantity,
      ...(condition ? { condition } : {}),
      ...(notes.trim() === "" ? {} : { notes: notes.trim() }),
    };
  });
}

/** A field for the units of each line that come back, with the condition that the customer states. */
export function statedField(lines: readonly Choosable[]): Field {
  return {
    kind: "custom",
    name: "items",
    label: texts.items,
    render: (editing) => <StatedLines lines={lines} editing={editing} />,
  };
}

function StatedLines({ lines, editing }: { readonly lines: readonly Choosable[]; readonly editing: Editing }) {
  const { id, set, problem } = editing;
  const value = editing.value as Stated;
  const chosen = itemsOf(value.units, lines);
  return (
    <div class="units">
      {lines.map((line) => {
        const at = chosen.findIndex(({ line_id }) => line_id === line.id);
        const wrong = at < 0 ? undefined : (problem(`[${at}].quantity`) ?? problem(`[${at}].notes`));
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
                aria-label={orderTexts.quantityOf(line.sku)}
                value={String(value.units[line.id] ?? "")}
                onInput={(event) => {
                  const entered = event.currentTarget.value.replace(/\D/g, "");
                  set({ ...value, units: { ...value.units, [line.id]: entered } });
                }}
              />
              <span class="unit">{orderTexts.of(count(line.most))}</span>
            </span>
            <select
              aria-label={`${texts.condition}: ${line.sku}`}
              value={String(value.conditions[line.id] ?? "")}
              onChange={(event) =>
                set({ ...value, conditions: { ...value.conditions, [line.id]: event.currentTarget.value } })
              }
            >
              <option value="">{texts.unknown}</option>
              {conditions.map((word) => (
                <option key={word} value={word}>
                  {stateWords(word)}
                </option>
              ))}
            </select>
            {wrong && (
              <p class="field-wrong" role="alert">
                {wrong}
              </p>
            )}
          </div>
        );
      })}
      <div class="field">
        <label for={`${id}-notes`}>{texts.notes}</label>
        <textarea
          id={`${id}-notes`}
          rows={2}
          value={value.notes}
          onInput={(event) => set({ ...value, notes: event.currentTarget.value })}
        />
        <p class="field-help">{texts.notesHelp}</p>
      </div>
    </div>
  );
}
