// Views of the order list: built-in ones, and those that users saved for themselves or for everyone.
import { useEffect, useRef } from "preact/hooks";
import type { SavedViewView } from "../../../server/saved_view.schema.ts";
import { post } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { isOperatorUser, session } from "../../api/session.ts";
import { storedPreference } from "../../browser/preferences.ts";
import { query, tab_merchant, to } from "../../browser/router.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import type { FormField } from "../../components/fields.tsx";
import { withTimes } from "../../components/filter_days.ts";
import { Icon } from "../../components/icon.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { orderListTexts as texts } from "../../text/order_list.ts";

type ViewParams = Readonly<Record<string, string>>;

/** A view, built in or saved. */
interface ListView {
  readonly name: string;
  readonly params: ViewParams;
  /** Whether its tab shows the number of its orders. */
  readonly counted?: boolean;
  readonly saved?: SavedViewView;
}

type BrowserView = Pick<ListView, "name" | "params">;
const isViews = (value: unknown): value is readonly BrowserView[] =>
  Array.isArray(value) && value.every((view) => typeof view?.name === "string" && typeof view.params === "object");
/** Views that an earlier version stored in this browser. */
const inBrowser = storedPreference<readonly BrowserView[]>("views.orders", [], isViews);

const { viewNames } = texts;
const waiting = { status: "pending,processing", short: "false" };
const unshipped = "pending,processing,fulfilled";
const builtIn: readonly ListView[] = [
  { name: words.all, params: {}, counted: true },
  { name: viewNames.pick, params: waiting, counted: true },
  { name: viewNames.oneUnit, params: { ...waiting, one_unit: "true" }, counted: true },
  { name: viewNames.print, params: { status: unshipped, labeled: "true", printed: "false" }, counted: true },
  { name: viewNames.ship, params: { status: "fulfilled" }, counted: true },
  {
    name: viewNames.promised,
    params: { ship_by_after: "today", ship_by_before: "tomorrow", sort: "created_at" },
    counted: true,
  },
  { name: viewNames.late, params: { late: "true", sort: "created_at" }, counted: true },
  { name: viewNames.held, params: { status: "on_hold" }, counted: true },
  { name: words.short, params: { short: "true" }, counted: true },
  { name: viewNames.today, params: { shipped_after: "today", sort: "-updated_at" } },
];

const counted_max = 20;

// Query parameters that are not part of a view.
const elsewhere: readonly string[] = ["page", "cursor", "mode", tab_merchant];

/** The query parameters of the list, without the page. */
function shown(): ViewParams {
  const all = [...query.value].filter(([name]) => !elsewhere.includes(name));
  return Object.fromEntries(all);
}

const same = (one: ViewParams, other: ViewParams) =>
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());

/** The number of orders of each view, in their order; undefined until they are known. */
function useCounts(views: readonly ListView[]): ReadonlyMap<ListView, number | null> {
  const counted = views.filter((view) => view.counted).slice(0, counted_max);
  const params = JSON.stringify(counted.map((view) => withTimes(view.params)));
  const { data } = useQuery<readonly (number | null)[]>("/dashboard/api/view_counts", { views: params });
  return new Map(counted.map((view, at) => [view, data?.[at] ?? null]));
}

type NewView = BrowserView & Partial<Pick<SavedViewView, "shared" | "position">>;
const save = (view: NewView) => post<SavedViewView>("/dashboard/api/views", { list: "orders", ...view });

let moving = false;

/** Moves the views of this browser to the server. What was moved is removed here, so it is not moved again. */
async function moveFromBrowser(saved: readonly SavedViewView[]): Promise<void> {
  moving = true;
  const taken = new Map(saved.filter(({ own }) => own).map(({ name, params }) => [name, params]));
  try {
    for (const { name, params } of inBrowser.state.peek()) {
      const before = taken.get(name);
      if (before === undefined) await save({ name: name.slice(0, 40), params });
      else if (!same(before, params)) await save({ name: `${name.slice(0, 38)} 2`, params });
      inBrowser.set(inBrowser.state.peek().filter((view) => view.name !== name));
    }
  } catch {
    // The others stay here until the list is opened again.
  } finally {
    moving = false;
  }
}

/** Links to the views, and a button that saves the current view. */
export function Views() {
  const { data: saved } = useQuery<readonly SavedViewView[]>("/dashboard/api/views", { list: "orders" });
  const isViewing = (session.value?.view_as ?? null) !== null;
  useEffect(() => {
    if (saved !== undefined && !isViewing && !moving && inBrowser.state.peek().length > 0) void moveFromBrowser(saved);
  }, [saved]);
  const own = (saved ?? []).map((one) => ({ name: one.name, params: one.params, counted: true, saved: one }));
  const all: readonly ListView[] = [...builtIn, ...own];
  const counts = useCounts(all);
  const current = shown();
  const isNamed = all.some(({ params }) => same(params, current));
  return (
    <nav class="views" aria-label={texts.views}>
      {all.map((view) => (
        <ViewTab
          key={view.saved?.id ?? view.name}
          view={view}
          saved={saved ?? []}
          orders={counts.get(view) ?? null}
          isCurrent={same(view.params, current)}
          isFixed={isViewing}
        />
      ))}
      <ActionButton of={saveAction(current, saved !== undefined && !isNamed && !isViewing)} />
    </nav>
  );
}

const sharedField = (): FormField => ({
  kind: "switch",
  name: "shared",
  label: isOperatorUser.value ? texts.shareStaff : texts.shareMerchant,
});

function saveAction(params: ViewParams, when: boolean): Action {
  return {
    title: texts.saveView,
    icon: "plus",
    button: "plain",
    when,
    ask: {
      title: texts.saveView,
      text: texts.saveViewText,
      fields: [{ kind: "text", name: "name", label: words.name, required: true, focus: true }, sharedField()],
      submit: words.save,
    },
    run: ({ name, shared }) => save({ name: String(name).trim(), params, shared: shared === true }),
  };
}

/** The space (px) that stays visible before the current tab. */
const scroll_margin = 60;

/** Changes the name and sharing of a view, and the position of one of the user's own. */
function editAction({ id, name, shared, own }: SavedViewView, all: readonly SavedViewView[]): Action {
  const mine = all.filter((view) => view.own);
  const others = mine.filter((view) => view.id !== id);
  const positions = [texts.first, ...others.map((view) => texts.after(view.name))];
  const position: FormField = {
    kind: "select",
    name: "position",
    label: texts.position,
    required: true,
    options: positions.map((title, at) => ({ value: String(at + 1), title })),
  };
  return {
    title: texts.editView(name),
    icon: "edit",
    ask: {
      title: texts.editView(name),
      fields: [
        { kind: "text", name: "name", label: words.name, required: true, focus: true },
        sharedField(),
        ...(own ? [position] : []),
      ],
      first: { name, shared, position: String(mine.findIndex((view) => view.id === id) + 1) },
      edits: true,
    },
    call: (values) => ({
      method: "PATCH",
      path: `/dashboard/api/views/${id}`,
      body: {
        name: String(values["name"]).trim(),
        shared: values["shared"] === true,
        ...(own && { position: Number(values["position"]) }),
      },
    }),
  };
}

/** Deletes a view: one of the user's own at once, with an undo, and one that others share once they have confirmed. */
function removeAction({ id, name, params, shared, own, saved_by }: SavedViewView, at: number): Action {
  const undo = { title: words.undo, run: () => save({ name, params, shared, position: at }) };
  return {
    title: texts.removeView(name),
    icon: "close",
    ...(own
      ? { next: () => undo }
      : { ask: { title: texts.removeView(name), text: texts.removeSharedText(saved_by), danger: true } }),
    call: { method: "DELETE", path: `/dashboard/api/views/${id}` },
    done: texts.viewRemoved(name),
  };
}

interface ViewTabProps {
  readonly view: ListView;
  /** All saved views. */
  readonly saved: readonly SavedViewView[];
  readonly orders: number | null;
  readonly isCurrent: boolean;
  /** Whether the session cannot change anything. */
  readonly isFixed: boolean;
}

function ViewTab({ view: { name, params, saved }, saved: all, orders, isCurrent, isFixed }: ViewTabProps) {
  const tab = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    // On a phone, the row of tabs is wider than the screen.
    if (isCurrent) tab.current?.parentElement?.scrollTo({ left: tab.current.offsetLeft - scroll_margin });
  }, [isCurrent]);
  return (
    <span class="view" ref={tab}>
      <a href={to("/orders", params)} aria-current={isCurrent ? "page" : undefined} title={saved && sharedBy(saved)}>
        {saved?.shared && <Icon name="users" />}
        {name}
        {orders !== null && <span class={orders === 0 ? "count none" : "count"}>{count(orders)}</span>}
      </a>
      {saved?.editable && isCurrent && !isFixed && (
        <>
          <ActionButton of={editAction(saved, all)} name={texts.editView(name)} />
          <ActionButton of={removeAction(saved, all.indexOf(saved) + 1)} name={texts.removeView(name)} />
        </>
      )}
    </span>
  );
}

const sharedBy = ({ shared, saved_by }: SavedViewView) => (shared ? texts.sharedBy(saved_by) : undefined);
