// Notices before a purchase of a label, such as sample prices, and how to void it.
import type { ApiProblem } from "../../api/problem.ts";
import { refresh } from "../../api/query.ts";
import { isOperatorUser, may } from "../../api/session.ts";
import type { LabelRate, LabelRecord } from "../../api/types.ts";
import { isFlag, storedPreference } from "../../browser/preferences.ts";
import { tabEnvironment, to } from "../../browser/router.ts";
import type { Action } from "../../components/action.tsx";
import { LinkButton } from "../../components/button.tsx";
import { confirm } from "../../components/dialog.tsx";
import { Notice } from "../../components/notice.tsx";
import { orderTexts, labelTexts as texts } from "../../text/order.ts";

/** Whether to warn of a sample price. In test mode all prices are invented. */
const isSample = ({ sample }: Pick<LabelRate, "sample">) => sample && tabEnvironment.value === "live";

/** The notice that some prices are samples, with a link to replace them. */
export function SampleNotice({ of }: { readonly of: readonly Pick<LabelRate, "sample">[] }) {
  if (!of.some(isSample)) return null;
  const manages = isOperatorUser.value && may("shipping.manage");
  return (
    <Notice kind="warning">
      <p>{manages ? texts.samples : texts.samplesOfOperator}</p>
      {manages && (
        <p class="notice-acts">
          <LinkButton title={texts.toCards} href={to("/shipping/rate_cards")} />
          <LinkButton title={texts.toCarriers} href={to("/shipping/carriers")} />
        </p>
      )}
    </Notice>
  );
}

const agreed = storedPreference("sample_rates", false, isFlag);

/** Asks before the first purchase at sample prices in this browser. Returns whether to buy. */
export async function agreeToSamples(chosen: readonly Pick<LabelRate, "sample">[]): Promise<boolean> {
  if (agreed.state.value || !chosen.some(isSample)) return true;
  const agrees = await confirm({ title: texts.samplesTitle, text: texts.samplesText, act: texts.samplesAct });
  if (agrees) agreed.set(true);
  return agrees;
}

/** The error of a purchase, with a link to enter the warehouse's address if it is missing. */
export function PurchaseProblem({ problem }: { readonly problem: ApiProblem }) {
  if (!problem.fields.some(({ code }) => code === "example_address")) return <Notice problem={problem} />;
  return (
    <Notice kind="problem">
      <p>{isOperatorUser.value ? texts.exampleAddress : texts.exampleAddressOfOperator}</p>
      {isOperatorUser.value && (
        <p class="notice-acts">
          <LinkButton title={texts.toWarehouses} href={to("/settings/house")} />
        </p>
      )}
    </Notice>
  );
}

/** A key for a rate that is stable across quotes. */
export const rateKey = ({ carrier, service, account_id }: LabelRate) => `${carrier} ${service} ${account_id}`;

/** The names of a rate's carrier and service. */
export const rateName = ({ carrier_name, service_name }: LabelRate) => `${carrier_name} ${service_name}`;

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, " ")
    .trim();

/** The cheapest rate whose service, with or without the carrier, is named by the order's shipping method; or null. */
export function rateOfMethod(rates: readonly LabelRate[], method: string | null): LabelRate | null {
  const wanted = plain(method ?? "");
  if (wanted === "") return null;
  const found = rates.find(({ carrier, carrier_name, service, service_name }) => {
    const names = [service, service_name];
    const carriers = ["", carrier, carrier_name];
    return carriers.some((one) => names.some((name) => plain(`${one} ${name}`) === wanted));
  });
  return found ?? null;
}

/** Voids a label. `name` is its tracking number or its parcel. */
export const voidLabel = ({ external, ...label }: LabelRecord, name: string): Action => ({
  title: orderTexts.voidLabel,
  icon: "delete",
  button: "plain",
  danger: true,
  permission: "shipping.buy",
  when: label.status === "completed" && label.void_status === null,
  ask: {
    title: orderTexts.voidTitle(name),
    text: external
      ? orderTexts.voidExternalText
      : label.shipment_id === null
        ? orderTexts.voidReturnText
        : orderTexts.voidText,
  },
  call: { method: "POST", path: `/shipping/labels/${label.label_id}/void` },
  done: ({ status }: LabelRecord) => (status === "voided" ? orderTexts.voided : orderTexts.voidAsked),
  after: () => refresh(new Set(["orders", "shipments"])),
});
