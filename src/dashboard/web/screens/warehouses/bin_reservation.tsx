import { merchantOf, several } from "../../api/merchants.ts";
import type { Bin } from "../../api/types.ts";
import type { Action } from "../../components/action.tsx";
import { cssColor, MerchantDot, merchantColor } from "../../components/badge.tsx";
import type { FormField } from "../../components/fields.tsx";
import { merchantOptions } from "../../components/merchant_field.tsx";
import { words } from "../../text/common.ts";
import { binTexts as texts } from "../../text/warehouses.ts";
import { enteredNumber } from "../stock/stock_links.ts";
import type { MapBin } from "./bin_layout.ts";

type BinAssignment = Pick<MapBin, "kind" | "dedicated_merchant_id" | "mix_merchants">;

/** The merchant that a bin is reserved for; null for none, or if there is only one merchant. */
export const assignedTo = ({ dedicated_merchant_id }: Pick<MapBin, "dedicated_merchant_id">) =>
  several.value ? merchantOf(dedicated_merchant_id) : null;

/** The CSS color of the merchant that a bin is reserved for. */
export function assignmentColor(bin: Pick<MapBin, "dedicated_merchant_id">): string | null {
  const color = merchantColor(assignedTo(bin));
  return color === null ? null : cssColor(color);
}

/** The merchants whose stock a bin accepts, as text. Only storage bins restrict merchants. */
export function assignmentWords(bin: BinAssignment): string {
  const merchant = assignedTo(bin);
  if (merchant !== null) return texts.reservedFor(merchant.code);
  return bin.mix_merchants || bin.kind !== "storage" ? texts.mixes : texts.oneAtATime;
}

/** The merchant that a bin is reserved for, or that any merchant may use it. */
export function AssignedTo({ bin }: { readonly bin: BinAssignment }) {
  const merchant = assignedTo(bin);
  if (merchant === null) return <>{texts.anyMerchant}</>;
  return (
    <>
      <MerchantDot merchant={merchant} /> {merchant.code}
    </>
  );
}

/** The field to reserve bins for a merchant. `unchanged` adds an option to leave each bin as it is. */
export const assignmentField = (unchanged: boolean): FormField => ({
  kind: "select",
  name: "dedicated_merchant_id",
  label: texts.reservedForField,
  ...(unchanged ? {} : { width: "half" }),
  empty: unchanged ? texts.unchanged : texts.anyMerchant,
  options: [...(unchanged ? [{ value: any_merchant, title: texts.anyMerchant }] : []), ...merchantOptions()],
});

/** The value for any merchant, if there is also an option to leave the bins unchanged. */
export const any_merchant = "*";

/** Edits a bin's reservation and capacity. */
export function editBin(bin: Bin): Action {
  const { warehouse_id, code, zone_id, temperature_zone, capacity, mix_merchants } = bin;
  return {
    title: words.edit,
    icon: "edit",
    permission: "operator.manage",
    when: several.value,
    ask: {
      title: texts.editTitle(code),
      text: texts.editText,
      edits: true,
      first: {
        dedicated_merchant_id: assignedTo(bin)?.code ?? "",
        mix_merchants,
        capacity: capacity === null ? "" : String(capacity),
      },
      fields: [
        assignmentField(false),
        { kind: "number", name: "capacity", label: texts.capacity, help: texts.capacityHelp, width: "half" },
        {
          kind: "switch",
          name: "mix_merchants",
          label: texts.mixField,
          help: texts.mixHelp,
          when: ({ dedicated_merchant_id }) => (dedicated_merchant_id ?? "") === "",
        },
      ],
    },
    call: (values) => {
      const changed = {
        code,
        dedicated_merchant_id: values["dedicated_merchant_id"] || null,
        mix_merchants: values["mix_merchants"] === true,
        capacity: enteredNumber(values["capacity"]),
      };
      const location_zones = [{ zone_id, temperature_zone, bins: [changed] }];
      return { method: "PATCH", path: `/inventory/locations/${warehouse_id}`, body: { location_zones } };
    },
    done: texts.saved(code),
  };
}
