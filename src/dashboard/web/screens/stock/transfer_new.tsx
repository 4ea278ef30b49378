import { post } from "../../api/client.ts";
import type { Transfer } from "../../api/types.ts";
import { sendLines } from "../../components/line_fields.tsx";
import { NewRecordPage } from "../../components/record_forms.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { words } from "../../text/common.ts";
import { transferTexts as texts } from "../../text/transfers.ts";
import { unitLines } from "./documents.tsx";
import { useWarehouses } from "./stock_links.ts";

const items = unitLines("items", texts.lines, [{ name: "bin", title: texts.bin, kind: "text", mono: true }]);

export function NewTransferScreen({ title, back }: ScreenProps) {
  const { options } = useWarehouses();
  const warehouse = { kind: "select", required: true, width: "half", options, empty: "" } as const;
  return (
    <NewRecordPage<Transfer>
      title={title}
      back={back}
      submit={texts.create}
      first={{ items: [{ sku: "", quantity: "" }] }}
      fields={[
        { ...warehouse, name: "from_location", label: texts.from },
        { ...warehouse, name: "to_location", label: words.to },
        { kind: "text", name: "reference", label: words.reference, width: "half" },
        items,
      ]}
      create={({ items }, key, body) =>
        sendLines("items", items, (entered) => post("/inventory/transfers", { ...body, items: entered }, { key }))
      }
      done={({ id }) => texts.planned(id)}
      opens={({ id }) => `/transfers/${id}`}
    />
  );
}
