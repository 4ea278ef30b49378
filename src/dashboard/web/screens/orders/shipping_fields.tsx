import { useQuery } from "../../api/query.ts";
import type { CarrierList } from "../../api/types.ts";
import { type Editing, FieldError, type FormField } from "../../components/fields.tsx";
import { words as common } from "../../text/common.ts";
import { entryTexts as texts } from "../../text/order_entry.ts";

/** The field for the shipping method: it suggests services and accepts any text. */
const methodField: FormField = {
  kind: "custom",
  name: "shipping_method",
  label: common.shippingMethod,
  help: texts.methodHelp,
  width: "half",
  render: (editing) => <Method editing={editing} />,
};

function Method({ editing: { id, value, set, problem } }: { readonly editing: Editing }) {
  const { data } = useQuery<CarrierList>("/shipping/carriers");
  const known = data?.carriers.flatMap(({ name, services, service_names }) =>
    services.map((service) => `${name} ${service_names[service] ?? service}`),
  );
  return (
    <>
      <input
        id={id}
        type="text"
        list={`${id}-known`}
        aria-label={common.shippingMethod}
        value={String(value ?? "")}
        autocomplete="off"
        onInput={(event) => set(event.currentTarget.value)}
      />
      <datalist id={`${id}-known`}>
        {known?.map((words) => (
          <option key={words} value={words} />
        ))}
      </datalist>
      <FieldError text={problem()} />
    </>
  );
}

/** The fields for fulfillment, of new and existing orders. */
export const servingFields: readonly FormField[] = [
  methodField,
  { kind: "number", name: "priority", label: common.priority, help: texts.priorityHelp, width: "half" },
  { kind: "text", name: "packing_note", label: texts.packingNote, help: texts.packingNoteHelp, lines: 2 },
  { kind: "text", name: "order_notes", label: texts.notes, lines: 2 },
  { kind: "switch", name: "requires_cold_storage", label: texts.cold, help: texts.coldHelp },
];

/** Their initial values. */
export const firstServing = {
  shipping_method: "",
  priority: "0",
  packing_note: "",
  order_notes: "",
  requires_cold_storage: false,
};

/** The request fields of these entries. */
export function servingOf({
  shipping_method,
  priority,
  packing_note,
  order_notes,
  requires_cold_storage,
}: Readonly<Record<string, unknown>>) {
  return {
    shipping_method: shipping_method === "" ? null : shipping_method,
    packing_note: packing_note === "" ? null : packing_note,
    order_notes: order_notes === "" ? null : order_notes,
    priority: Number(priority) || 0,
    requires_cold_storage,
  };
}
