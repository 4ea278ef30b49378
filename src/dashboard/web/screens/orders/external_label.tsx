// Adds a label that was bought elsewhere to an order.
import { useState } from "preact/hooks";
import { sendFile } from "../../api/client.ts";
import { meant } from "../../api/merchants.ts";
import { problemOf } from "../../api/problem.ts";
import { refresh } from "../../api/query.ts";
import type { LabelRecord, Order } from "../../api/types.ts";
import type { Action } from "../../components/action.tsx";
import { Button } from "../../components/button.tsx";
import { type Editing, FieldError, type FormValues } from "../../components/fields.tsx";
import { FileDrop } from "../../components/file_input.tsx";
import { words } from "../../text/common.ts";
import { labelTexts, externalLabelTexts as texts } from "../../text/order.ts";
import { exceedsReserved, itemsOf, looseLines, reservedUnits, unitsField } from "./units_field.tsx";

/** Adds a label that was bought elsewhere, with its file if it is to be printed here. */
export function addExternalLabel(order: Order): Action {
  const lines = looseLines(order);
  const exceeds = (values: FormValues) => exceedsReserved(itemsOf(values["items"], lines), lines);
  const half = { required: true, width: "half" } as const;
  return {
    title: texts.act,
    icon: "upload",
    permission: "shipping.buy",
    ask: {
      title: texts.title,
      text: texts.text,
      submit: texts.act,
      wide: true,
      fields: [
        { kind: "text", name: "carrier", label: words.carrier, focus: true, ...half },
        { kind: "text", name: "service", label: words.service, ...half },
        { kind: "text", name: "tracking_number", label: words.trackingNumber, mono: true, required: true },
        { kind: "money", name: "cost", label: texts.cost, help: texts.costHelp, ...half },
        { kind: "text", name: "currency", label: texts.currency, ...half },
        {
          kind: "custom",
          name: "file_id",
          label: texts.file,
          help: texts.fileHelp,
          render: (editing) => <LabelFile editing={editing} order={order} />,
        },
        ...(lines.length > 0 ? [{ ...unitsField(lines), label: labelTexts.items }] : []),
        {
          kind: "text",
          name: "reason",
          label: labelTexts.unreservedReason,
          help: labelTexts.unreservedHelp,
          required: true,
          when: exceeds,
        },
        {
          kind: "weight",
          name: "package.weight",
          unit_name: "package.weight_unit",
          label: labelTexts.weight,
          help: labelTexts.weightHelp,
          width: "half",
        },
      ],
      first: {
        ...{ carrier: "", service: "", tracking_number: "", cost: "", currency: "USD", file_id: "", reason: "" },
        ...{ items: reservedUnits(lines), "package.weight": "", "package.weight_unit": "lb" },
      },
    },
    call: (values) => {
      const entered = (name: string) => String(values[name] ?? "").trim();
      const items = itemsOf(values["items"], lines);
      if (lines.length > 0 && items.length === 0) return null;
      const [weight, file_id] = [entered("package.weight"), entered("file_id")];
      const body = {
        order_id: order.id,
        ...{ carrier: entered("carrier"), service: entered("service"), tracking_number: entered("tracking_number") },
        ...{ cost: entered("cost"), currency: entered("currency").toUpperCase() },
        ...(file_id !== "" && { file_id }),
        ...(weight !== "" && { package: { weight, weight_unit: values["package.weight_unit"] } }),
        // A label for an order whose units are all in parcels is for another carton.
        ...(items.length > 0 ? { items } : { additional: true }),
        ...(exceeds(values) && { reason: entered("reason") }),
      };
      return { method: "POST", path: "/shipping/labels/external", body };
    },
    done: ({ tracking_number }: LabelRecord) => texts.done(tracking_number ?? ""),
    after: () => refresh(new Set(["orders", "shipments", "shipping"])),
  };
}

interface LabelFileProps {
  readonly editing: Editing;
  readonly order: Order;
}

/** The file of a label: uploaded at once, and kept once the label is added. */
function LabelFile({ editing: { value, set, problem }, order }: LabelFileProps) {
  const [name, setName] = useState("");
  const [refused, setRefused] = useState<string>();
  const take = async (file: File) => {
    setRefused(undefined);
    try {
      const sending = { params: { kind: "label", name: file.name }, merchant: meant(order) ?? null };
      const { data } = await sendFile<{ readonly id: string }>("/files", file, sending);
      setName(file.name);
      set(data.id);
    } catch (error) {
      setRefused(problemOf(error).message);
    }
  };
  return (
    <>
      {value === "" ? (
        <FileDrop
          title={texts.drop}
          text={texts.dropText}
          accept=".pdf,.png,.zpl,.txt,application/pdf,image/png"
          onFile={(file) => void take(file)}
        />
      ) : (
        <div class="row">
          <bdi>{name}</bdi>
          <Button kind="plain" icon="close" title={words.remove} onClick={() => set("")} />
        </div>
      )}
      <FieldError text={refused ?? problem()} />
    </>
  );
}
