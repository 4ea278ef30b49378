// How an order is shipped, what decided each part, and what the rules decide now.
import type { ComponentChildren } from "preact";
import { useQuery } from "../../api/query.ts";
import { isOperatorUser, may } from "../../api/session.ts";
import type { CarrierList, Order, RuleEvaluation } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import type { FormValues } from "../../components/fields.tsx";
import { valuesOf } from "../../components/form_values.ts";
import { Card } from "../../components/page.tsx";
import { useReloadOn } from "../../components/reading.ts";
import { CarrierName, ServiceName } from "../../components/record_name.tsx";
import { DescriptionList } from "../../components/values.tsx";
import { money, weight } from "../../text/format.ts";
import { orderTexts as texts } from "../../text/order.ts";
import { ruleTexts } from "../../text/shipping_rules.ts";
import { cartonBody, cartonFields, firstChoice, serviceBody, serviceFields } from "../shipping/rule_form.ts";
import { mayAct } from "./order_actions.tsx";

interface ChoiceCardProps {
  readonly order: Order;
  readonly etag: string | null;
}

/** The service, carton and insurance of an order. */
export function ShippingChoiceCard({ order, etag }: ChoiceCardProps) {
  const { shipping_choice: choice, shipping_method, source } = order;
  const open = ["pending", "processing", "on_hold"].includes(order.status);
  const ruled = open && isOperatorUser.value && may("shipping.read");
  const now = useQuery<RuleEvaluation>(ruled ? "/shipping/rules/evaluate" : null, { order_id: order.id });
  const { data: carriers } = useQuery<CarrierList>(open ? "/shipping/carriers" : null);
  useReloadOn(order.revision, now.reload);
  const row = (field: DecidedField, value: ComponentChildren) => (
    <span class="decided-field">
      <span>{value}</span>
      <Decider order={order} field={field} />
      <RulesNow of={now.data?.fields.find((one) => one.field === field)} />
    </span>
  );
  return (
    <Card title={texts.shippingChoice} acts={<ActionButton of={changeChoice(order, etag, open, carriers)} />}>
      <DescriptionList
        facts={[
          shipping_method === null
            ? null
            : [
                texts.requested,
                <span key="method" class="decided-field">
                  <span>{shipping_method}</span>
                  {source.platform !== "api" && <small class="muted">{texts.byShop}</small>}
                </span>,
              ],
          [texts.service, row("service", <ServiceValue choice={choice} open={open} />)],
          [texts.carton, row("carton", cartonText(choice))],
          [texts.insurance, row("insurance", choice?.insured ? texts.insuredValue : texts.notInsured)],
        ]}
      />
      <ActionButton of={handBack(order, etag, open)} />
    </Card>
  );
}

type ShippingChoice = Order["shipping_choice"];
type DecidedField = Order["decided_by"][number]["field"];

/** The service, or how it will be chosen. Nothing is chosen once the order no longer changes (`open` is false). */
function ServiceValue({ choice, open }: { readonly choice: ShippingChoice; readonly open: boolean }) {
  const { carrier = null, service = null, choose = null, days_max = null, price_max, currency = "" } = choice ?? {};
  if (carrier !== null)
    return (
      <>
        <CarrierName carrier={carrier} /> <ServiceName carrier={carrier} service={service ?? ""} />
      </>
    );
  if (choose === "fastest_under") return <>{texts.fastestUnder(money(price_max ?? 0, currency))}</>;
  if (choose === null) return <>{open ? texts.serviceOpen : texts.noService}</>;
  return <>{days_max === null ? ruleTexts.cheapest : texts.cheapestWithin(days_max)}</>;
}

function cartonText(choice: ShippingChoice): string {
  const carton = choice?.carton ?? null;
  if (carton === null) return texts.noCarton;
  const size = `${carton.length} × ${carton.width} × ${carton.height} ${carton.unit}`;
  return carton.weight === null ? size : `${size}, ${weight(carton.weight, carton.weight_unit)}`;
}

function RuleLink({ id, revision }: { readonly id: string; readonly revision: number }) {
  const text = texts.byRule(id, revision);
  return isOperatorUser.value ? <a href={to("/shipping/rules", { rule: id })}>{text}</a> : <span>{text}</span>;
}

/** What decided a field: a rule, or a person. */
function Decider({ order, field }: { readonly order: Order; readonly field: DecidedField }) {
  const decided = order.decided_by.find((one) => one.field === field);
  if (decided === undefined) return null;
  const { rule_id, rule_revision } = decided;
  return (
    <small class="muted">
      {rule_id === null ? texts.byPerson : <RuleLink id={rule_id} revision={rule_revision ?? 1} />}
    </small>
  );
}

/** What the rules would decide now, if that differs from what the order has. */
function RulesNow({ of: field }: { readonly of: RuleEvaluation["fields"][number] | undefined }) {
  if (field === undefined || field.value === field.now?.value || (field.now === null && field.by !== "rule"))
    return null;
  const { now } = field;
  return (
    <small class="rules-now">
      {texts.rulesNow(now?.value ?? texts.rulesNowNothing)}
      {now !== null && (
        <>
          {" "}
          (<RuleLink id={now.rule_id} revision={now.rule_revision} />)
        </>
      )}
    </small>
  );
}

/** Changes the choice. Only the parts that differ are sent, since what is sent counts as set by a person. */
function changeChoice(order: Order, etag: string | null, open: boolean, carriers: CarrierList | undefined): Action {
  const { shipping_choice: choice } = order;
  const currency = choice?.price_max == null ? order.currency : choice.currency;
  const how = choice?.carrier == null && choice?.choose == null ? { empty: texts.serviceOpen } : { required: true };
  const fields = [
    ...serviceFields(carriers, currency, how),
    ...cartonFields,
    { kind: "switch" as const, name: "insured", label: texts.insure },
  ];
  const record = { actions: choice };
  const first = { ...firstChoice(choice), insured: choice?.insured ?? false };
  const before = { ...valuesOf(fields, record), ...first };
  return {
    title: texts.changeChoice,
    icon: "edit",
    button: "plain",
    when: open && mayAct("update"),
    match: etag,
    ask: { title: texts.changeChoice, text: texts.changeChoiceText, wide: true, edits: true, record, fields, first },
    call: (values) => ({
      method: "PATCH",
      path: `/orders/${order.id}`,
      body: { shipping_choice: changedParts(before, values, currency) },
    }),
    done: texts.done["update"] ?? "",
  };
}

function changedParts(before: FormValues, after: FormValues, currency: string) {
  const partsOf = (values: FormValues) => {
    const { insured } = values;
    return { service: serviceBody(values), carton: cartonBody(values), insured };
  };
  const [old, { service, carton, insured }] = [partsOf(before), partsOf(after)];
  const differs = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);
  return {
    ...(differs(old.service, service) && { ...service, ...("price_max" in service && { currency }) }),
    ...(differs(old.carton, carton) && { carton }),
    ...(insured !== old.insured && { insured }),
  };
}

/** Hands the choice back to the rules. */
const handBack = (order: Order, etag: string | null, open: boolean): Action => ({
  title: texts.handBack,
  icon: "refresh",
  button: "plain",
  when:
    open &&
    mayAct("update") &&
    order.decided_by.some(({ field, by }) => by === "person" && ["service", "carton", "insurance"].includes(field)),
  match: etag,
  ask: { title: texts.handBackTitle, text: texts.handBackText },
  call: { method: "PATCH", path: `/orders/${order.id}`, body: { shipping_choice: null } },
  done: texts.handedBack,
});
