// Goods that change hands within the house.
import { post } from "../../api/client.ts";
import { merchantOf, openMerchants, ownerOf } from "../../api/merchants.ts";
import { FormDialog } from "../../kit/form.tsx";
import { said as toast } from "../../shell/toasts.tsx";
import { merchantTexts } from "../../texts/merchants.ts";
import { stockTexts as texts } from "../../texts/stock.ts";
import { entered, said } from "../stock_parts/shared.ts";
import { named, type PlacesProps, quantityField, usePlaces } from "./acts.tsx";

/** Gives units to another merchant, with their lot and their age. */
export function OwnershipDialog({ sku, places, at, onClose }: PlacesProps) {
  const { field, first, chosen } = usePlaces(places, ["storage"], at);
  const owner = ownerOf(places[0] ?? {}) ?? null;
  const others = openMerchants.value.filter(({ id }) => id !== owner);
  return (
    <FormDialog
      title={texts.giveTitle(sku)}
      text={texts.giveText}
      submit={texts.giveAct}
      onClose={onClose}
      first={{ place: first, quantity: "", to_merchant_id: "", to_sku: "", to_bin: "", reason: "" }}
      fields={[
        field,
        quantityField,
        {
          kind: "select",
          name: "to_merchant_id",
          label: texts.giveTo,
          required: true,
          width: "half",
          empty: merchantTexts.choose,
          options: others.map(({ code, name }) => ({ value: code, title: merchantTexts.option(code, name) })),
        },
        { kind: "text", name: "to_sku", label: texts.giveSku, help: texts.giveSkuHelp, mono: true, width: "half" },
        { kind: "text", name: "to_bin", label: texts.toBin, help: texts.giveBinHelp, mono: true, width: "half" },
        { kind: "text", name: "reason", label: texts.giveReason, help: texts.giveReasonHelp, required: true },
      ]}
      onSubmit={async (values, key) => {
        const from = chosen(values);
        if (from === undefined) return;
        const quantity = entered(values["quantity"]);
        const [to_merchant_id, reason] = [said(values["to_merchant_id"]), said(values["reason"])];
        const to = { to_merchant_id, to_sku: said(values["to_sku"]), to_bin: said(values["to_bin"]) };
        const body = { from_merchant_id: owner, ...to, sku, quantity, ...named(from), reason };
        await post("/inventory/ownership_transfers", body, { key });
        toast(texts.given(quantity ?? 0, sku, to_merchant_id ?? ""));
      }}
    >
      {(values) => {
        const [from, quantity, to] = [chosen(values), entered(values["quantity"]), said(values["to_merchant_id"])];
        if (from === undefined || quantity === null || to === undefined) return null;
        const code = merchantOf(owner)?.code ?? "";
        return <p class="will">{texts.giveWill(quantity, to, from.available - quantity, code)}</p>;
      }}
    </FormDialog>
  );
}
