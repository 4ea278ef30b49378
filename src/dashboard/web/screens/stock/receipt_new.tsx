import { post } from "../../api/client.ts";
import type { Receipt } from "../../api/types.ts";
import { sendLines } from "../../components/line_fields.tsx";
import { NewRecordPage } from "../../components/record_forms.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { words } from "../../text/common.ts";
import { receiptTexts as texts } from "../../text/transfers.ts";
import { unitLines } from "./documents.tsx";
import { deliveryFields } from "./receipt_page.tsx";
import { useWarehouses } from "./stock_links.ts";

const expiry = { name: "expiration_date", title: words.expires, kind: "date" } as const;
const cost = { name: "unit_cost", title: texts.unitCost, kind: "number" } as const;
const items = unitLines("items", texts.lines, [expiry, cost]);

/** Creates an inbound shipment for an expected delivery. */
export function NewReceiptScreen({ title, back }: ScreenProps) {
  const { field } = useWarehouses();
  return (
    <NewRecordPage<Receipt>
      title={title}
      back={back}
      submit={texts.create}
      first={{ items: [{ sku: "", quantity: "" }] }}
      fields={[...deliveryFields, { ...field(words.warehouse), width: "half" }, items]}
      create={({ items }, key, body) =>
        sendLines("items", items, (entered) => post("/inventory/receipts", { ...body, items: entered }, { key }))
      }
      done={({ id }) => texts.created_(id)}
      opens={({ id }) => `/receipts/${id}`}
    />
  );
}
