import type { CartonRecord } from "../../api/types.ts";
import { type Action, Actions } from "../../components/action.tsx";
import type { FormField } from "../../components/fields.tsx";
import { ListPage } from "../../components/list_page.tsx";
import { words } from "../../text/common.ts";
import { money } from "../../text/format.ts";
import { printingTexts as texts } from "../../text/printing.ts";

const half = { width: "half" } as const;
const third = { width: "third" } as const;
const manage = { permission: "floor.manage" } as const;

const fields: readonly FormField[] = [
  { kind: "text", name: "code", label: words.code, required: true, mono: true, focus: true, ...half },
  { kind: "text", name: "name", label: words.name, ...half },
  { kind: "heading", name: "size", label: texts.innerSize },
  { kind: "number", name: "length", label: texts.length, required: true, ...third },
  { kind: "number", name: "width", label: texts.width, required: true, ...third },
  { kind: "number", name: "height", label: texts.height, required: true, ...third },
  {
    kind: "select",
    name: "unit",
    label: words.unit,
    options: [
      { value: "in", title: texts.inches },
      { value: "cm", title: texts.centimeters },
    ],
    ...half,
  },
  { kind: "weight", name: "weight", label: texts.emptyWeight, unit_name: "weight_unit", blank: undefined, ...half },
  { kind: "number", name: "max_weight", label: texts.maxWeight, help: texts.maxWeightHelp, ...half },
  { kind: "money", name: "cost", label: texts.cost, ...half },
  { kind: "switch", name: "active", label: texts.active },
];

const actions = (carton: CartonRecord): readonly Action[] => [
  {
    title: words.edit,
    icon: "edit",
    ...manage,
    ask: { title: texts.editOf(carton.code), fields, record: carton, wide: true },
    call: (_values, body) => ({ method: "PATCH", path: `/cartons/${carton.id}`, body }),
    done: texts.saved(carton.code),
  },
  {
    title: words.remove,
    icon: "delete",
    danger: true,
    ...manage,
    ask: { title: texts.removeTitle(carton.code), text: texts.removeText },
    call: { method: "DELETE", path: `/cartons/${carton.id}` },
    done: texts.removed(carton.code),
  },
];

export function CartonsScreen() {
  return (
    <ListPage<CartonRecord>
      title={texts.cartons}
      path="/cartons"
      columns={[
        { id: "code", title: words.code, text: "code" },
        { id: "name", title: words.name, text: "name", wide: true },
        {
          id: "size",
          title: texts.innerSize,
          cell: ({ length, width, height, unit }) => `${length} × ${width} × ${height} ${unit}`,
        },
        { id: "weight", title: texts.emptyWeight, cell: ({ weight, weight_unit }) => `${weight} ${weight_unit}` },
        {
          id: "max",
          title: texts.maxWeight,
          cell: ({ max_weight, weight_unit }) => max_weight !== null && `${max_weight} ${weight_unit}`,
        },
        {
          id: "cost",
          title: texts.cost,
          cell: ({ cost, currency }) => cost !== null && currency && money(cost, currency),
        },
        { id: "active", title: texts.active, cell: ({ active }) => (active ? words.yes : words.no) },
      ]}
      rowActs={(carton) => <Actions of={actions(carton)} />}
      create={{
        title: texts.newCarton,
        icon: "plus",
        ...manage,
        ask: {
          title: texts.newCarton,
          submit: words.create,
          wide: true,
          first: { unit: "in", weight_unit: "lb", active: true },
          fields,
        },
        call: (_values, body) => ({ method: "POST", path: "/cartons", body }),
        done: ({ code }: CartonRecord) => texts.saved(code),
      }}
      empty={{ icon: "box", title: texts.cartons, text: texts.noCartons }}
    />
  );
}
