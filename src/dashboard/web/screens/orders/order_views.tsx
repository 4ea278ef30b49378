// Views of the order list: built-in ones and those saved in this browser.

import { useQuery } from "../../api/query.ts";
import type { OrderCounts } from "../../api/types.ts";
import { storedPreference } from "../../browser/preferences.ts";
import { query, tab_merchant, to } from "../../browser/router.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Button } from "../../components/button.tsx";
import { now } from "../../components/now.ts";
import { showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { orderListTexts as texts } from "../../text/order_list.ts";

/** A named search. */
interface SavedView {
  readonly name: string;
  readonly params: Readonly<Record<string, string>>;
}

const isViews = (value: unknown): value is readonly SavedView[] =>
  Array.isArray(value) && value.every((view) => typeof view?.name === "string" && typeof view.params === "object");
const own = storedPreference<readonly SavedView[]>("views.orders", [], isViews);

/** The start of today by the clock of this device. */
function startOfDay(): string {
  const day = new Date(now.peek());
  day.setHours(0, 0, 0, 0);
  return day.toISOString();
}

/** The end of today by the clock of this device. */
function endOfDay(): string {
  const day = new Date(now.peek());
  day.setHours(24, 0, 0, 0);
  return day.toISOString();
}

/** The number of orders of a view that the counts of all orders have. */
const countOf: Readonly<Record<string, (counts: OrderCounts) => number | undefined>> = {
  [words.all]: ({ total }) => total,
  [texts.viewNames.ship]: ({ statuses }) => statuses["fulfilled"],
  [texts.viewNames.held]: ({ statuses }) => statuses["on_hold"],
  [words.short]: ({ short }) => short,
  [texts.viewNames.late]: ({ late }) => late,
};

const { viewNames } = texts;
const default_views = (): readonly SavedView[] => [
  { name: words.all, params: {} },
  { name: viewNames.pick, params: { status: "pending,processing", short: "false" } },
  { name: viewNames.oneUnit, params: { status: "pending,processing", one_unit: "true" } },
  { name: viewNames.print, params: { labeled: "true", printed: "false" } },
  { name: viewNames.ship, params: { status: "fulfilled" } },
  { name: viewNames.promised, params: { ship_by_after: startOfDay(), ship_by_before: endOfDay() } },
  { name: viewNames.held, params: { status: "on_hold" } },
  { name: words.short, params: { short: "true" } },
  { name: viewNames.late, params: { late: "true", sort: "created_at" } },
  { name: viewNames.today, params: { shipped_after: startOfDay(), sort: "-updated_at" } },
];

// Query parameters that are not part of a view.
const elsewhere: readonly string[] = ["page", "cursor", "mode", tab_merchant];

/** The query parameters of the list, without the page. */
function shown(): Readonly<Record<string, string>> {
  const all = [...query.value].filter(([name]) => !elsewhere.includes(name));
  return Object.fromEntries(all);
}

const same = (one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>) =>
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());

/** Links to the views, and a button that saves the current view. */
export function Views() {
  const current = shown();
  const { data: counts } = useQuery<OrderCounts>("/orders/counts");
  const all = [...default_views(), ...own.state.value];
  const isNamed = all.some(({ params }) => same(params, current));
  const save: Action = {
    title: texts.saveView,
    icon: "plus",
    button: "plain",
    when: !isNamed,
    ask: {
      title: texts.saveView,
      text: texts.saveViewText,
      fields: [{ kind: "text", name: "name", label: words.name, required: true, focus: true }],
      submit: words.save,
    },
    run: (values) => {
      const name = String(values["name"]);
      own.set([...own.state.peek().filter((view) => view.name !== name), { name, params: current }]);
    },
  };
  const drop = (view: (typeof all)[number]) => {
    const before = own.state.peek();
    own.set(before.filter((one) => one !== view));
    showSuccess(texts.viewRemoved(view.name), { title: words.undo, run: () => own.set(before) });
  };
  return (
    <nav class="views" aria-label={texts.views}>
      {all.map((view) => (
        <span key={view.name} class="view">
          <a href={to("/orders", view.params)} aria-current={same(view.params, current) ? "page" : undefined}>
            {view.name}
            {counts && countOf[view.name] && <span class="count">{count(countOf[view.name]?.(counts) ?? 0)}</span>}
          </a>
          {own.state.value.includes(view) && (
            <Button kind="plain" icon="close" iconOnly title={texts.removeView(view.name)} onClick={() => drop(view)} />
          )}
        </span>
      ))}
      <ActionButton of={save} />
    </nav>
  );
}
