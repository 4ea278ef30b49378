import { useEffect } from "preact/hooks";
import { post } from "../../api/client.ts";
import { merchantOf, several } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { CarrierList, RuleHistory, RuleTrial, ShippingRule } from "../../api/types.ts";
import { query, setQuery, to } from "../../browser/router.ts";
import { type Action, ActionButton, act, isPossible, menuItems } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog, openDialog } from "../../components/dialog.tsx";
import type { Option } from "../../components/fields.tsx";
import { ActionMenu } from "../../components/menu.tsx";
import { EmptyState, Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { ruleTexts as texts } from "../../text/shipping_rules.ts";
import { useWarehouses } from "../stock/stock_links.ts";
import { firstOf, ruleBody, ruleFields } from "./rule_form.ts";
import { type RuleNames, ruleSentence } from "./rule_sentence.ts";

/** What the forms of rules choose from. */
interface RuleChoices {
  readonly carriers: CarrierList | undefined;
  readonly warehouses: readonly Option[];
}

/** Whether the choices have been read. A form that is open does not take them up any more. */
const isRead = ({ carriers, warehouses }: RuleChoices) => carriers !== undefined && warehouses.length > 0;

/** The names of carriers and warehouses in the sentences of rules. */
function useRuleNames(): RuleNames {
  const { data } = useQuery<CarrierList>("/shipping/carriers");
  const { nameOf } = useWarehouses();
  return { warehouse: nameOf, carrier: (code) => data?.carriers.find((one) => one.code === code)?.name ?? code };
}

/** Shows the history of the rule that the address names. */
function useNamedHistory(): void {
  const named = query.value.get("rule");
  useEffect(() => {
    if (named === null) return;
    openDialog((close) => <History id={named} onClose={close} />);
    setQuery({ rule: null });
  }, [named]);
}

/** Opens the form of a new rule for the shipping method that the address names. */
function useNamedMethod(choices: RuleChoices): void {
  const named = query.value.get("method");
  const ready = isRead(choices);
  useEffect(() => {
    if (named === null || !ready) return;
    const action = addRule(choices, patternOf(named));
    if (isPossible(action)) act(action);
    setQuery({ method: null });
  }, [named, ready]);
}

/** The rules that decide how orders ship, in the order in which they apply. */
export function RulesScreen() {
  const { data: rules, problem, loading } = useQuery<readonly ShippingRule[]>("/shipping/rules", { limit: 100 });
  const { data: carriers } = useQuery<CarrierList>("/shipping/carriers");
  const { options: warehouses } = useWarehouses();
  const choices = { carriers, warehouses };
  const names = useRuleNames();
  useNamedHistory();
  useNamedMethod(choices);
  const columns: readonly TableColumn<ShippingRule>[] = [
    {
      id: "sentence",
      title: texts.sentence,
      wide: true,
      cell: (rule) => (
        <div class="rule-sentence">
          <strong>{texts.numbered(rule.position, rule.name)}</strong>
          <span>{ruleSentence(rule, names)}</span>
        </div>
      ),
    },
    {
      id: "merchant",
      title: texts.merchant,
      when: several.value,
      cell: ({ merchant_id }) => merchantOf(merchant_id)?.name ?? texts.everyone,
    },
    {
      id: "active",
      title: words.status,
      cell: ({ active }) => <Badge tone={active ? "good" : "neutral"}>{active ? texts.active : texts.inactive}</Badge>,
    },
  ];
  return (
    <Page
      title={texts.title}
      below={texts.intro}
      acts={
        <>
          <Button title={texts.try} onClick={tryRules} />
          <ActionButton of={addRule(choices)} />
        </>
      }
    >
      {problem && <Notice problem={problem} />}
      {loading && <Skeleton />}
      {rules?.length === 0 && (
        <EmptyState
          icon="truck"
          title={texts.emptyTitle}
          text={texts.emptyText}
          act={<ActionButton of={addRule(choices)} />}
        />
      )}
      {rules !== undefined && rules.length > 0 && (
        <Card flush>
          <DataTable
            name={texts.title}
            rows={rules}
            columns={columns}
            id={(rule) => rule.id}
            of_one
            acts={(rule) => <RuleActs rule={rule} rules={rules} choices={choices} />}
          />
        </Card>
      )}
    </Page>
  );
}

interface RuleActsProps {
  readonly rule: ShippingRule;
  readonly rules: readonly ShippingRule[];
  readonly choices: RuleChoices;
}

function RuleActs({ rule, rules, choices }: RuleActsProps) {
  const { id, name, active, revision } = rule;
  const match = `"${revision}"`;
  const managed = may("shipping.manage");
  const group = rules.filter(({ merchant_id }) => merchant_id === rule.merchant_id);
  const at = group.findIndex((one) => one.id === id);
  const save: Action = {
    title: words.edit,
    icon: "edit",
    when: managed && isRead(choices),
    match,
    ask: {
      title: texts.edit,
      wide: true,
      record: rule,
      fields: ruleFields(choices.carriers, choices.warehouses, rule).map((field) =>
        field.name === "merchant_id" ? { ...field, disabled: true } : field,
      ),
      first: firstOf(rule),
    },
    call: (values) => ({ method: "PATCH", path: `/shipping/rules/${id}`, body: ruleBody(values, rule) }),
    done: texts.saved(name),
  };
  const toggle: Action = {
    title: active ? texts.turnOff : texts.turnOn,
    when: managed,
    match,
    call: { method: "PATCH", path: `/shipping/rules/${id}`, body: { active: !active } },
    done: active ? texts.turnedOff(name) : texts.turnedOn(name),
  };
  const history: Action = {
    title: texts.history,
    run: () => openDialog((close) => <History id={id} onClose={close} />),
  };
  const remove: Action = {
    title: texts.delete,
    icon: "delete",
    danger: true,
    when: managed,
    match,
    ask: { title: texts.deleteTitle(name), text: texts.deleteText },
    call: { method: "DELETE", path: `/shipping/rules/${id}` },
    done: texts.deleted(name),
  };
  return (
    <span class="rule-acts">
      {managed && (
        <>
          <Button
            title={`${texts.up}: ${name}`}
            iconOnly
            kind="plain"
            icon="arrowUp"
            disabled={at === 0}
            onClick={() => move(group, at, at - 1)}
          />
          <Button
            title={`${texts.down}: ${name}`}
            iconOnly
            kind="plain"
            icon="arrowDown"
            disabled={at === group.length - 1}
            onClick={() => move(group, at, at + 1)}
          />
        </>
      )}
      <ActionMenu items={menuItems([save, toggle, history, remove])} name={name} />
    </span>
  );
}

/** Moves a rule of a group to another place. */
function move(group: readonly ShippingRule[], from: number, at: number): void {
  const ids = group.map(({ id }) => id);
  const [moved] = ids.splice(from, 1);
  if (moved !== undefined) ids.splice(at, 0, moved);
  void post("/shipping/rules/reorder", { rule_ids: ids }).catch(showRefused);
}

/** A pattern for a shipping method. The form separates patterns by commas. */
const patternOf = (method: string) => method.replaceAll(",", "*");

const addRule = ({ carriers, warehouses }: RuleChoices, method?: string): Action => ({
  title: texts.add,
  icon: "plus",
  button: "primary",
  permission: "shipping.manage",
  disabled: !isRead({ carriers, warehouses }),
  ask: {
    title: texts.add,
    wide: true,
    submit: words.create,
    fields: ruleFields(carriers, warehouses),
    first: { ...firstOf(null), ...(method !== undefined && { "conditions.shipping_methods": method }) },
  },
  call: (values) => ({
    method: "POST",
    path: "/shipping/rules",
    body: { ...ruleBody(values), merchant_id: values["merchant_id"] || null },
  }),
  done: ({ name }: ShippingRule) => texts.saved(name),
});

/** Shows what the active rules would change about the newest orders. */
function tryRules(): void {
  void post<RuleTrial>("/shipping/rules/trials", {}).then(
    ({ data }) => openDialog((close) => <Trial of={data} onClose={close} />),
    showRefused,
  );
}

interface TrialProps {
  readonly of: RuleTrial;
  readonly onClose: () => void;
}

type TrialChange = RuleTrial["changes"][number];

const changeColumns: readonly TableColumn<TrialChange>[] = [
  {
    id: "order",
    title: words.order,
    cell: ({ order_id, order_number }) => <a href={to(`/orders/${order_id}`)}>{order_number}</a>,
  },
  {
    id: "change",
    title: texts.change,
    wide: true,
    cell: ({ fields }) => (
      <span class="rule-sentence">
        {fields.map(({ field, from, to: after }) => (
          <span key={field}>{`${from} → ${after}`}</span>
        ))}
      </span>
    ),
  },
  {
    id: "rule",
    title: texts.ruleColumn,
    cell: ({ fields }) => [...new Set(fields.map(({ rule }) => rule ?? words.none))].join(", "),
  },
];
const ruleColumns: readonly TableColumn<RuleTrial["rules"][number]>[] = [
  { id: "name", title: texts.ruleColumn, text: "name", wide: true },
  { id: "orders", title: texts.ordersDecided, number: "orders" },
];

function Trial({ of: { orders, changed, rules, changes }, onClose }: TrialProps) {
  return (
    <Dialog title={texts.tryTitle} onClose={onClose} wide>
      <div class="rule-trial">
        <p>{`${texts.trySummary(changed, orders)} ${texts.tryNothing}`}</p>
        {changes.length > 0 && (
          <DataTable
            name={texts.tryTitle}
            rows={changes}
            columns={changeColumns}
            id={({ order_id }) => order_id}
            of_one
          />
        )}
        <DataTable
          name={texts.tryRules}
          rows={rules}
          columns={ruleColumns}
          id={({ id, name }) => id ?? name}
          none={texts.none}
          of_one
        />
      </div>
    </Dialog>
  );
}

/** The revisions of a rule, also of a deleted one. */
function History({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { data, problem, loading } = useQuery<readonly RuleHistory[]>(`/shipping/rules/${id}/history`, { limit: 100 });
  const names = useRuleNames();
  const columns: readonly TableColumn<RuleHistory>[] = [
    { id: "revision", title: texts.revision, number: "revision" },
    {
      id: "rule",
      title: texts.sentence,
      wide: true,
      cell: ({ rule }) => <span class="rule-sentence">{ruleSentence(rule, names)}</span>,
    },
    { id: "by", title: texts.by, cell: ({ actor }) => actor.name },
    { id: "at", title: words.updated, cell: ({ created_at }) => <Time at={created_at} /> },
  ];
  return (
    <Dialog title={texts.historyTitle(data?.[0]?.rule.name ?? id)} onClose={onClose} wide>
      {problem && <Notice problem={problem} />}
      {loading && <Skeleton />}
      {data && (
        <DataTable name={texts.history} rows={data} columns={columns} id={(row) => String(row.revision)} of_one />
      )}
    </Dialog>
  );
}
