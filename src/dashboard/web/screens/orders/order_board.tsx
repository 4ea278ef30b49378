import { useState } from "preact/hooks";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { Order, OrderCounts } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { useShortcuts } from "../../browser/shortcuts.ts";
import { type Action, menuItems } from "../../components/action.tsx";
import { MerchantMark } from "../../components/badge.tsx";
import { Button, LinkButton } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Menu, type MenuItem } from "../../components/menu.tsx";
import { EmptyState, Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { useRowKeys } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { titles } from "../../text/navigation.ts";
import { orderTexts } from "../../text/order.ts";
import { orderListTexts as texts } from "../../text/order_list.ts";
import { stateWords } from "../../text/states.ts";
import { Due, unitsOf } from "./due.tsx";
import { isReleasable, mayAct, orderAction } from "./order_actions.tsx";

const cards_at_once = 60;

type BoardColumnName = keyof typeof texts.columns;

// Open orders are sorted by ship date, shipped orders by time.
const columns: readonly { readonly status: BoardColumnName; readonly sort: string }[] = [
  { status: "on_hold", sort: "created_at" },
  { status: "pending", sort: "priority" },
  { status: "processing", sort: "priority" },
  { status: "fulfilled", sort: "priority" },
  { status: "shipped", sort: "-updated_at" },
];

/** The board of open orders, with a column for each state. */
export function BoardScreen() {
  useRowKeys();
  useShortcuts([{ keys: "↑ ↓ ← →", title: texts.boardKeys }]);
  const { data: counts, problem, reload } = useQuery<OrderCounts>("/orders/counts");
  const add = may("orders.write") && (
    <LinkButton kind="primary" icon="plus" title={texts.add} href={to("/orders/new")} />
  );
  return (
    <Page
      title={titles.board}
      badge={counts && <span class="count">{count(counts.total)}</span>}
      acts={
        <>
          <LinkButton icon="list" title={texts.toList} href={to("/orders")} />
          {add}
        </>
      }
    >
      {problem && <Notice problem={problem} onRetry={reload} />}
      {counts?.total === 0 ? (
        <EmptyState icon="cart" title={texts.emptyTitle} text={texts.emptyText} act={add} />
      ) : (
        <section class="board" aria-label={texts.boardHelp} onKeyDown={moveBetweenCards}>
          {columns.map(({ status, sort }) => (
            <BoardColumn key={status} status={status} sort={sort} count={counts?.statuses[status]} />
          ))}
        </section>
      )}
    </Page>
  );
}

interface ColumnProps {
  readonly status: BoardColumnName;
  readonly sort: string;
  readonly count: number | undefined;
}

function BoardColumn({ status, sort, count: all }: ColumnProps) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const id = `board-${status}`;
  return (
    <section class="board-column" aria-labelledby={id}>
      <h2 id={id}>
        {texts.columns[status]} {all !== undefined && <span class="count">{count(all)}</span>}
      </h2>
      <div class="board-cards" role="group" aria-labelledby={id} tabIndex={0}>
        {["", ...cursors].map((cursor, at) => (
          <Cards
            key={cursor}
            status={status}
            sort={sort}
            cursor={cursor}
            rest={Math.max(0, (all ?? 0) - (at + 1) * cards_at_once)}
            onMore={at === cursors.length ? (next) => setCursors([...cursors, next]) : null}
          />
        ))}
      </div>
    </section>
  );
}

interface CardsProps {
  readonly status: BoardColumnName;
  readonly sort: string;
  readonly cursor: string;
  readonly rest: number;
  readonly onMore: ((cursor: string) => void) | null;
}

/** A page of a column. Each page is read separately, so that the others do not move. */
function Cards({ status, sort, cursor, rest, onMore }: CardsProps) {
  const params = { status, sort, limit: cards_at_once, cursor };
  const { data: orders, pagination, problem, reload } = useQuery<readonly Order[]>("/orders", params);
  const next = pagination?.next_cursor ?? null;
  return (
    <>
      {problem && <Notice problem={problem} onRetry={reload} />}
      {orders?.length === 0 && cursor === "" && <p class="board-none">{words.none}</p>}
      {orders?.map((order) => (
        <Card key={order.id} order={order} />
      ))}
      {onMore && next !== null && (
        <Button kind="plain" title={texts.more(Math.min(rest, cards_at_once))} onClick={() => onMore(next)} />
      )}
    </>
  );
}

function Card({ order }: { readonly order: Order }) {
  const { id, order_number, customer, holds, allocation, priority } = order;
  return (
    <article class="board-card" data-order={id} data-row>
      <header>
        <a href={to(`/orders/${id}`)}>{order_number}</a>
        <Menu
          class="plain icon-only"
          name={texts.act(order_number)}
          label={<Icon name="more" />}
          items={itemsOf(order)}
        />
      </header>
      <p class="board-who">{customer.name || customer.email}</p>
      <MerchantMark of={order.merchant_id} />
      <p class="board-facts">
        <span>{texts.unitsOf(unitsOf(order))}</span>
        <Due order={order} />
      </p>
      {(holds.length > 0 || !allocation.complete || priority > 0) && (
        <p class="board-marks">
          {holds.map(({ id: hold, reason }) => (
            <span key={hold} class="badge warning">
              {stateWords(reason)}
            </span>
          ))}
          {!allocation.complete && <span class="badge bad">{texts.shortUnits(allocation.backordered_units)}</span>}
          {priority > 0 && <span class="badge info">{texts.priorityOf(priority)}</span>}
        </p>
      )}
    </article>
  );
}

/** The order's actions that the user may do. Each opens a dialog, except a hold, which has an undo. */
function itemsOf(order: Order): MenuItem[] {
  const isOffered = (name: string) => mayAct(name) && (name !== "release" || isReleasable(order));
  const actions = order.allowed_actions.filter(isOffered).flatMap((name) => {
    const action = name === "hold" ? hold(order) : orderAction(order, `"${order.revision}"`, name);
    return action === null ? [] : { ...action, icon: undefined };
  });
  const open = { title: texts.open, icon: "eye", href: to(`/orders/${order.id}`) } as const;
  return menuItems([open, ...actions]);
}

const hold = ({ id, order_number, revision }: Order): Action => ({
  title: orderTexts.acts["hold"] ?? "",
  call: { method: "POST", path: `/orders/${id}/hold`, body: { reason: "manual" } },
  match: `"${revision}"`,
  done: texts.held(order_number),
  next: ({ holds }: Order) => {
    const placed = holds.find(({ reason }) => reason === "manual");
    const body = placed ? { hold_id: placed.id } : {};
    return { title: words.undo, call: { method: "POST", path: `/orders/${id}/release`, body } };
  },
});

/** Arrow keys move between cards: up and down in a column, left and right to the next column with cards. */
function moveBetweenCards(event: KeyboardEvent): void {
  const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
  const target = event.target as HTMLElement;
  if (step === undefined || target.closest("[role=menu], dialog") !== null) return;
  const board = (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".board-cards");
  const stacks = [...board].map((cards) => [...cards.querySelectorAll<HTMLElement>(".board-card")]);
  const here = stacks.findIndex((cards) => cards.some((card) => card.contains(target)));
  const row = Math.max(0, stacks[here]?.findIndex((card) => card.contains(target)) ?? 0);
  const [across = 0, down = 0] = step;
  let at = here < 0 ? 0 : here + across;
  while (across !== 0 && stacks[at]?.length === 0) at += across;
  const stack = stacks[at];
  if (stack === undefined || stack.length === 0) return;
  const card = stack[Math.min(stack.length - 1, Math.max(0, row + down))];
  event.preventDefault();
  card?.querySelector<HTMLElement>("a")?.focus();
  card?.scrollIntoView({ block: "nearest", inline: "nearest" });
}
