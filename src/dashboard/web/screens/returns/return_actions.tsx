import { refundMethods } from "../../../../returns/return.transitions.ts";
import { type ApiCall, post, type Rehearsal } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { CarrierList, InspectedReturn, LabelRecord, Return } from "../../api/types.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { wordOptions } from "../../components/badge.tsx";
import { openDialog } from "../../components/dialog.tsx";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { date, money } from "../../text/format.ts";
import { effectTexts, labelTexts } from "../../text/order.ts";
import { returnTexts as texts } from "../../text/returns.ts";
import { stateWords } from "../../text/states.ts";
import { stockEffects } from "../orders/order_effects.ts";
import { findingsField, findingsOf, firstFindings, outstanding, unitFields, unitsOf } from "./inspection_fields.tsx";

/** Buys a return label. */
function ReturnLabelDialog({ found, onClose }: { readonly found: Return; readonly onClose: () => void }) {
  const { data } = useQuery<CarrierList>("/shipping/carriers");
  if (data === undefined) return null;
  const options = data.carriers.flatMap(({ code, name, services, service_names, account_id }) =>
    services.map((service) => ({
      value: JSON.stringify([code, service, account_id]),
      title: `${name} · ${service_names[service] ?? service}`,
    })),
  );
  return (
    <FormDialog
      title={`${texts.acts["label"]}: ${found.id}`}
      fields={[
        { kind: "select", name: "offer", label: labelTexts.service, required: true, options },
        { kind: "weight", name: "weight", unit_name: "weight_unit", label: labelTexts.weight, required: true },
      ]}
      first={{ offer: options[0]?.value ?? "", weight: "1", weight_unit: "lb" }}
      submit={texts.acts["label"] ?? ""}
      onClose={onClose}
      onSubmit={async ({ offer, weight, weight_unit }, key) => {
        const [carrier, service, account_id] = JSON.parse(String(offer)) as [string, string, string | null];
        await post<LabelRecord>(
          `/returns/${found.id}/label`,
          {
            carrier,
            service,
            package: { weight: Number(weight), weight_unit },
            ...(account_id === null ? {} : { account_id }),
          },
          { key },
        );
        showSuccess(texts.done["label"] ?? "");
      }}
    />
  );
}

type ReturnRefund = Return["refunds"][number];

/** The actions on a return: where each is shown, what it needs and its icon. */
const looks: Readonly<Record<string, Pick<Action, "permission" | "icon" | "button" | "danger">>> = {
  receive: { permission: "returns.receive", icon: "receive", button: true },
  inspect: { permission: "returns.receive", icon: "search", button: true },
  refund: { permission: "returns.refund", icon: "card", button: true },
  close: { permission: "returns.write", icon: "done" },
  cancel: { permission: "returns.write", icon: "delete", danger: true },
  label: { permission: "shipping.buy", icon: "tag", button: true },
};

interface ReturnActForm {
  readonly text: string;
  readonly fields: readonly FormField[];
  readonly first?: FormValues;
  readonly wide?: true;
  readonly call: (values: FormValues, body: FormValues) => ApiCall | null;
}

/** The buttons and the menu of the possible actions on a return. */
export function ReturnActs({ found, etag }: { readonly found: Return; readonly etag: string | null }) {
  const allowed = found.allowed_actions.filter((name) => may(looks[name]?.permission) && isUseful(found, name));
  const main = allowed.find((name) => looks[name]?.button);
  return <Actions of={allowed.map((name) => returnAction(found, etag, name, name === main))} />;
}

/** Whether a possible action is useful: not if everything is received or inspected. */
function isUseful(found: Return, action: string): boolean {
  if (action === "receive") return outstanding(found).length > 0;
  return action !== "inspect" || firstFindings(found).length > 0;
}

function returnAction(found: Return, etag: string | null, name: string, is_main: boolean): Action {
  const common: Action = { title: texts.acts[name] ?? name, ...looks[name], ...(is_main && { button: "primary" }) };
  const form = returnActForms[name];
  if (form === undefined) {
    return { ...common, run: () => openDialog((close) => <ReturnLabelDialog found={found} onClose={close} />) };
  }
  const { call, ...asked } = form(found);
  return {
    ...common,
    ask: {
      ...asked,
      title: `${common.title}: ${found.id}`,
      explain: (rehearsal: Rehearsal<Return | InspectedReturn | ReturnRefund>) => effectsOf(found, rehearsal),
    },
    call,
    match: etag,
    done: texts.done[name] ?? "",
  };
}

const returnActForms: Readonly<Record<string, (found: Return) => ReturnActForm>> = {
  receive: (found) => ({
    text: texts.receiveText,
    fields: [unitFields(outstanding(found))],
    first: { items: Object.fromEntries(outstanding(found).map(({ sku, most }) => [sku, String(most)])) },
    call: ({ items }) => {
      const units = unitsOf(items);
      return units.length === 0
        ? null
        : { method: "POST", path: `/returns/${found.id}/receive`, body: { items: units } };
    },
  }),
  inspect: (found) => ({
    text: texts.inspectText,
    wide: true,
    fields: [findingsField],
    first: { items: firstFindings(found) },
    call: ({ items }) => {
      const findings = findingsOf(items);
      return findings.length === 0
        ? null
        : { method: "POST", path: `/returns/${found.id}/inspect`, body: { items: findings } };
    },
  }),
  refund: (found) => ({
    text: texts.refundText,
    fields: [
      {
        kind: "money",
        name: "amount",
        label: texts.amount,
        help: texts.amountHelp,
        currency: found.currency,
        blank: undefined,
      },
      {
        kind: "money",
        name: "restocking_fee",
        label: texts.fee,
        width: "half",
        currency: found.currency,
        blank: undefined,
      },
      {
        kind: "select",
        name: "method",
        label: texts.method,
        width: "half",
        required: true,
        options: wordOptions(refundMethods),
      },
      { kind: "switch", name: "refund_shipping", label: texts.refundShipping },
      { kind: "text", name: "notes", label: words.notes, lines: 2, blank: undefined },
    ],
    first: { method: "original_payment", refund_shipping: found.refund_shipping },
    call: (_values, body) => ({ method: "POST", path: `/returns/${found.id}/refund`, body }),
  }),
  close: ({ id }) => ({
    text: texts.closeText,
    fields: [],
    call: () => ({ method: "POST", path: `/returns/${id}/close`, body: {} }),
  }),
  cancel: ({ id }) => ({
    text: texts.cancelText,
    fields: [],
    call: () => ({ method: "POST", path: `/returns/${id}/cancel`, body: {} }),
  }),
};

function effectsOf(before: Return, { data, events }: Rehearsal<Return | InspectedReturn | ReturnRefund>): string[] {
  if ("refund_id" in data) {
    const { amount, currency, breakdown, estimated_completion } = data;
    const { items, shipping, restocking_fee } = breakdown;
    const sums = [amount, items, shipping, restocking_fee].map((sum) => money(sum, currency));
    const [all = "", goods = "", carriage = "", fee = ""] = sums;
    return [effectTexts.refunded(all, goods, carriage, fee), effectTexts.refundDue(date(estimated_completion))];
  }
  const received = data.items.flatMap(({ sku, quantity_received }, at) => {
    const more = quantity_received - (before.items[at]?.quantity_received ?? 0);
    return more > 0 ? effectTexts.received(sku, more) : [];
  });
  const inspected = data.items.flatMap(({ sku, inspections }, at) =>
    inspections
      .slice(before.items[at]?.inspections.length ?? 0)
      .map(({ quantity, disposition }) =>
        effectTexts.inspected(sku, quantity, (texts.dispositions[disposition] ?? disposition).toLowerCase()),
      ),
  );
  const waiting = "putbacks" in data ? data.putbacks : [];
  return [
    ...(data.status === before.status ? [] : [effectTexts.returnBecomes(stateWords(data.status).toLowerCase())]),
    ...received,
    ...inspected,
    ...waiting.map(({ sku, quantity, suggested_bin }) =>
      effectTexts.putBack(quantity, sku, suggested_bin ?? effectTexts.ownBin),
    ),
    ...stockEffects(events),
  ];
}
