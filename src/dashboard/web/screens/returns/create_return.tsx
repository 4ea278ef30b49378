import { conditions, returnReasons } from "../../../../returns/return.transitions.ts";
import type { Rehearsal } from "../../api/client.ts";
import type { Order, Return } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import type { Action } from "../../components/action.tsx";
import { wordOptions } from "../../components/badge.tsx";
import { type Editing, type FormField, type FormValues, Select } from "../../components/fields.tsx";
import { words } from "../../text/common.ts";
import { plural } from "../../text/format.ts";
import { effectTexts } from "../../text/order.ts";
import { returnTexts as texts } from "../../text/returns.ts";
import { outside } from "../orders/order_facts.ts";
import { type Choosable, choosable, chosenUnits, itemsOf, UnitLines } from "../orders/units_field.tsx";

interface Stated {
  readonly units: FormValues;
  readonly conditions: FormValues;
  readonly notes: string;
}

/** The items of a request for a return. */
function statedItems(value: unknown, lines: readonly Choosable[]) {
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

/** A field for the units to return per line, with the condition stated by the customer. */
function statedField(lines: readonly Choosable[]): FormField {
  return {
    kind: "custom",
    name: "items",
    label: words.items,
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
        extra={(line) => (
          <Select
            aria-label={`${texts.condition}: ${line.sku}`}
            value={String(value.conditions[line.id] ?? "")}
            options={wordOptions(conditions)}
            empty={texts.unknown}
            onChoose={(chosen) => set({ ...value, conditions: { ...value.conditions, [line.id]: chosen } })}
          />
        )}
      />
      <div class="field">
        <label for={`${id}-notes`}>{words.notes}</label>
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

/** Creates a return of an order and opens it. */
export function createReturn(order: Order): Action {
  const lines = choosable(order, outside);
  const amount = { kind: "money", width: "half", currency: order.currency, blank: undefined } as const;
  return {
    title: texts.create,
    icon: "return",
    permission: "returns.write",
    ask: {
      title: `${texts.newTitle} ${order.order_number}`,
      text: lines.length === 0 ? texts.nothingShipped : texts.newText,
      wide: true,
      fields: [
        { kind: "select", name: "reason", label: words.reason, required: true, options: wordOptions(returnReasons) },
        statedField(lines),
        { kind: "switch", name: "refund_shipping", label: texts.refundShipping },
        { ...amount, name: "refund_amount", label: texts.agreed },
        { ...amount, name: "restocking_fee", label: texts.fee },
      ],
      first: { reason: "customer_remorse", items: { units: chosenUnits(lines, true), conditions: {}, notes: "" } },
      explain: ({ data }: Rehearsal<Return>) =>
        data.items.map(({ sku, quantity }) => effectTexts.returnMade(quantity, sku)),
    },
    call: (values, entered) => {
      const items = statedItems(values["items"], lines);
      if (items.length === 0) return null;
      return { method: "POST", path: "/returns", body: { ...entered, order_id: order.id, items } };
    },
    done: ({ id, items }: Return) => {
      const units = items.reduce((sum, { quantity }) => sum + quantity, 0);
      return `${texts.made(id)} ${plural(units, "unit", "units")}.`;
    },
    after: ({ id }: Return) => navigate(to(`/returns/${id}`)),
  };
}
