import { returnReasons } from "../../../../returns/status.ts";
import type { Order, Return } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { ActDialog } from "../../kit/act_dialog.tsx";
import { said } from "../../shell/toasts.tsx";
import { effectTexts } from "../../texts/acts.ts";
import { plural } from "../../texts/format.ts";
import { returnTexts as texts } from "../../texts/returns.ts";
import { outside } from "../order_parts/counters.ts";
import { words } from "../order_parts/sheets.ts";
import { choosable, chosenUnits } from "../order_parts/units.tsx";
import { statedField, statedItems } from "./stated.tsx";

/** Creates a return of an order and opens it. */
export function ReturnDialog({ order, onClose }: { readonly order: Order; readonly onClose: () => void }) {
  const lines = choosable(order, outside);
  return (
    <ActDialog<Return>
      title={`${texts.newTitle} ${order.order_number}`}
      text={lines.length === 0 ? texts.nothingShipped : texts.newText}
      wide
      fields={[
        { kind: "select", name: "reason", label: texts.reason, required: true, options: words(returnReasons) },
        statedField(lines),
        { kind: "switch", name: "refund_shipping", label: texts.refundShipping },
        { kind: "money", name: "refund_amount", label: texts.agreed, width: "half", currency: order.currency },
        { kind: "money", name: "restocking_fee", label: texts.fee, width: "half", currency: order.currency },
      ]}
      first={{
        reason: "customer_remorse",
        items: { units: chosenUnits(lines, true), conditions: {}, notes: "" },
        refund_shipping: false,
        refund_amount: "",
        restocking_fee: "",
      }}
      submit={texts.create}
      etag={null}
      act={({ reason, items, refund_shipping, refund_amount, restocking_fee }) => {
        const stated = statedItems(items, lines);
        if (stated.length === 0) return null;
        const body = {
          order_id: order.id,
          reason,
          items: stated,
          refund_shipping,
          ...(refund_amount === "" ? {} : { refund_amount }),
          ...(restocking_fee === "" ? {} : { restocking_fee }),
        };
        return { method: "POST", path: "/returns", body };
      }}
      explain={({ data }) => data.items.map(({ sku, quantity }) => effectTexts.returnMade(quantity, sku))}
      onDone={({ id, items }) => {
        const units = items.reduce((sum, { quantity }) => sum + quantity, 0);
        said(`${texts.made(id)} ${plural(units, "unit", "units")}.`);
        navigate(to(`/returns/${id}`));
      }}
      onClose={onClose}
    />
  );
}
