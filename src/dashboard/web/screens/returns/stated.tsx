import { conditions } from "../../../../returns/status.ts";
import { stateWords } from "../../kit/badge.tsx";
import type { Editing, Field, Values } from "../../kit/fields.tsx";
import { returnTexts as texts } from "../../texts/returns.ts";
import { UnitLines } from "../order_parts/unit_lines.tsx";
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
      <UnitLines
        id={id}
        lines={lines}
        entered={value.units}
        onEnter={(units) => set({ ...value, units })}
        wrong={(line) => {
          const at = chosen.findIndex(({ line_id }) => line_id === line.id);
          return at < 0 ? undefined : (problem(`[${at}].quantity`) ?? problem(`[${at}].notes`));
        }}
        beside={(line) => (
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
        )}
      />
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
