import { post } from "../../api/client.ts";
import type { Receipt } from "../../api/types.ts";
import { sendLines } from "../../components/line_fields.tsx";
import { NewRecordPage } from "../../components/record_forms.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { words } from "../../text/common.ts";
import { receiptTexts as texts } from "../../text/transfers.ts";
import { unitLines } from "./documents.tsx";
import { useWarehouses } from "./stock_links.ts";

const expiry = { name: "expiration_date", title: words.expires, kind: "date" } as const;
const items = unitLines("items", texts.lines, [expiry]);

/** Creates an inbound shipment for an expected delivery. */
export function NewReceiptScreen({ title, back }: ScreenProps) {
  const { field } = useWarehouses();
  return (
    <NewRecordPage<Receipt>
      title={title}
      back={back}
      submit={texts.create}
      first={{ items: [{ sku: "", quantity: "" }] }}
      fields={[
        { kind: "text", name: "supplier", label: texts.supplier, width: "half", focus: true },
        { kind: "text", name: "reference", label: words.reference, help: texts.referenceHelp, width: "half" },
        { kind: "date", name: "expected_at", label: words.expected, width: "half" },
        { ...field(words.warehouse), width: "half" },
        items,
      ]}
      create={({ items }, key, body) =>
        sendLines("items", items, (entered) => post("/inventory/receipts", { ...body, items: entered }, { key }))
      }
      done={({ id }) => texts.created_(id)}
      opens={({ id }) => `/receipts/${id}`}
    />
  );
}
