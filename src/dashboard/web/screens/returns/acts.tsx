import { useState } from "preact/hooks";
import type { Permission } from "../../../../access/permission.ts";
import { refundMethods } from "../../../../returns/refunds/status.ts";
import type { Rehearsal } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import type { InspectedReturn, Return } from "../../api/types.ts";
import { ActDialog } from "../../kit/act_dialog.tsx";
import { stateWords } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import type { Act } from "../../kit/effects.tsx";
import type { Field, Values } from "../../kit/fields.tsx";
import type { IconName } from "../../kit/icon.tsx";
import { ActionMenu } from "../../kit/menu.tsx";
import { said } from "../../shell/toasts.tsx";
import { effectTexts } from "../../texts/acts.ts";
import { date, money } from "../../texts/format.ts";
import { returnTexts as texts } from "../../texts/returns.ts";
import { stockEffects } from "../order_parts/effects.ts";
import { words } from "../order_parts/sheets.ts";
import { findingsField, findingsOf, firstFindings } from "./findings.tsx";
import { ReturnLabelDialog } from "./label.tsx";
import { outstanding, unitFields, unitsOf } from "./units.tsx";

type Refund = Return["refunds"][number];

const needs: Readonly<Record<string, Permission>> = {
  receive: "returns.receive",
  inspect: "returns.receive",
  refund: "returns.refund",
  close: "returns.write",
  cancel: "returns.write",
  label: "shipping.buy",
};
const icons: Readonly<Record<string, IconName>> = {
  receive: "receive",
  inspect: "search",
  refund: "card",
  close: "done",
  cancel: "delete",
  label: "tag",
};
const behind = new Set(["cancel", "close"]);

interface Sheet {
  readonly text: string;
  readonly fields: readonly Field[];
  readonly first: Values;
  readonly act: (values: Values) => Act | null;
}

/** The buttons of the possible actions on a return. */
export function ReturnActs({ found, etag }: { readonly found: Return; readonly etag: string | null }) {
  const [open, setOpen] = useState<string | null>(null);
  const allowed = found.allowed_actions.filter((action) => may(needs[action]) && isUseful(found, action));
  const beside = allowed.filter((action) => !behind.has(action));
  return (
    <>
      <ActionMenu
        items={allowed
          .filter((action) => behind.has(action))
          .map((action) => ({
            title: texts.acts[action] ?? action,
            icon: icons[action] ?? "right",
            danger: action === "cancel",
            run: () => setOpen(action),
          }))}
      />
      {[...beside].reverse().map((action) => (
        <Button
          key={action}
          kind={action === beside[0] ? "primary" : "normal"}
          icon={icons[action] ?? "right"}
          title={texts.acts[action] ?? action}
          onClick={() => setOpen(action)}
        />
      ))}
      {open === "label" && <ReturnLabelDialog found={found} onClose={() => setOpen(null)} />}
      {open !== null && open !== "label" && (
        <OneAct found={found} etag={etag} action={open} onClose={() => setOpen(null)} />
      )}
    </>
  );
}

/** Whether a possible action is useful: not if everything is received or inspected. */
function isUseful(found: Return, action: string): boolean {
  if (action === "receive") return outstanding(found).length > 0;
  return action !== "inspect" || firstFindings(found).length > 0;
}

interface OneProps {
  readonly found: Return;
  readonly etag: string | null;
  readonly action: string;
  readonly onClose: () => void;
}

function OneAct({ found, etag, action, onClose }: OneProps) {
  const sheet = sheets[action]?.(found);
  if (sheet === undefined) return null;
  return (
    <ActDialog<Return | InspectedReturn | Refund>
      title={`${texts.acts[action]}: ${found.id}`}
      wide={action === "inspect"}
      text={sheet.text}
      fields={sheet.fields}
      first={sheet.first}
      submit={texts.acts[action] ?? action}
      danger={action === "cancel"}
      etag={etag}
      act={sheet.act}
      explain={(rehearsal) => effectsOf(found, rehearsal)}
      onDone={() => said(texts.done[action] ?? "")}
      onClose={onClose}
    />
  );
}

const sheets: Readonly<Record<string, (found: Return) => Sheet>> = {
  receive: (found) => ({
    text: texts.receiveText,
    fields: [unitFields(outstanding(found))],
    first: { items: Object.fromEntries(outstanding(found).map(({ sku, most }) => [sku, String(most)])) },
    act: ({ items }) => {
      const units = unitsOf(items);
      return units.length === 0
        ? null
        : { method: "POST", path: `/returns/${found.id}/receive`, body: { items: units } };
    },
  }),
  inspect: (found) => ({
    text: texts.inspectText,
    fields: [findingsField],
    first: { items: firstFindings(found) },
    act: ({ items }) => {
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
      },
      { kind: "money", name: "restocking_fee", label: texts.fee, width: "half", currency: found.currency },
      {
        kind: "select",
        name: "method",
        label: texts.method,
        width: "half",
        required: true,
        options: words(refundMethods),
      },
      { kind: "switch", name: "refund_shipping", label: texts.refundShipping },
      { kind: "text", name: "notes", label: texts.notes, lines: 2 },
    ],
    first: {
      amount: "",
      restocking_fee: "",
      method: "original_payment",
      notes: "",
      refund_shipping: found.refund_shipping,
    },
    act: ({ amount, restocking_fee, method, refund_shipping, notes }) => ({
      method: "POST",
      path: `/returns/${found.id}/refund`,
      body: {
        method,
        refund_shipping,
        ...(amount === "" ? {} : { amount }),
        ...(restocking_fee === "" ? {} : { restocking_fee }),
        ...(notes === "" ? {} : { notes }),
      },
    }),
  }),
  close: ({ id }) => ({
    text: texts.closeText,
    fields: [],
    first: {},
    act: () => ({ method: "POST", path: `/returns/${id}/close`, body: {} }),
  }),
  cancel: ({ id }) => ({
    text: texts.cancelText,
    fields: [],
    first: {},
    act: () => ({ method: "POST", path: `/returns/${id}/cancel`, body: {} }),
  }),
};

function effectsOf(before: Return, { data, events }: Rehearsal<Return | InspectedReturn | Refund>): string[] {
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
        effectTexts.inspected(sku, quantity, texts.dispositions[disposition] ?? disposition),
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
