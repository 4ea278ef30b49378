import { useState } from "preact/hooks";
import { useQuery } from "../../api/query.ts";
import type { Order, OrderPlan } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card } from "../../components/page.tsx";
import { words } from "../../text/common.ts";
import { count, date, dateOrDateTime } from "../../text/format.ts";
import { orderTexts as texts } from "../../text/order.ts";
import { stockHref } from "../stock/stock_links.ts";
import { mayAct } from "./order_actions.tsx";

type PlannedOrderItem = OrderPlan["items"][number];
type PlannedSpot = Pick<
  PlannedOrderItem["allocated"][number],
  "bin" | "lot_number" | "expiration_date" | "warehouse_id"
>;

/** The allocation of an order: its reserved stock, the reasons and the backordered units. */
export function PlanCard({ order, etag }: { readonly order: Order; readonly etag: string | null }) {
  const open = ["pending", "processing", "fulfilled", "on_hold"].includes(order.status);
  const { data: plan, problem } = useQuery<OrderPlan>(open ? `/orders/${order.id}/plan` : null);
  if (!open) return null;
  const better = plan?.items.some(({ reallocation }) => reallocation !== null) === true && order.status !== "on_hold";
  const allocateAgain: Action = {
    title: texts.acts["allocate"] ?? "",
    icon: "refresh",
    when: better && mayAct("hold"),
    ask: { title: texts.acts["allocate"] ?? "", text: <NewPlan items={plan?.items ?? []} /> },
    call: { method: "POST", path: `/orders/${order.id}/allocate` },
    match: etag,
    done: texts.done["allocate"] ?? "",
  };
  return (
    <Card title={words.stock} acts={<ActionButton of={allocateAgain} />}>
      {problem && <Notice problem={problem} />}
      {plan?.items.length === 0 && <p class="muted">{texts.planNothing}</p>}
      {plan?.paused && <p class="muted">{texts.planPaused}</p>}
      <div class="plan">
        {plan?.items.map((item) => (
          <PlanItem key={item.product_id} item={item} order={order} />
        ))}
      </div>
    </Card>
  );
}

function NewPlan({ items }: { readonly items: readonly PlannedOrderItem[] }) {
  return (
    <>
      <p>{texts.betterText}</p>
      <ul>
        {items.flatMap(({ sku, reallocation }) =>
          (reallocation ?? []).map((spot) => (
            <li key={`${sku} ${spot.bin} ${spot.lot_number}`}>
              {count(spot.quantity)} × <code>{sku}</code> <Place spot={spot} />
            </li>
          )),
        )}
      </ul>
    </>
  );
}

function Place({ spot: { bin, lot_number, expiration_date } }: { readonly spot: PlannedSpot }) {
  return (
    <span class="place">
      <code>{bin}</code>
      {lot_number && (
        <>
          {" "}
          · {words.lot} <code>{lot_number}</code>
        </>
      )}
      {expiration_date && (
        <span class="muted">
          {" "}
          · {texts.expires} {date(expiration_date)}
        </span>
      )}
    </span>
  );
}

function PlanItem({ item, order }: { readonly item: PlannedOrderItem; readonly order: Order }) {
  const { sku, required, reserved, backordered, allocated, reallocation, not_chosen, shortage } = item;
  const [why, setWhy] = useState(false);
  return (
    <section class="plan-item" aria-label={sku}>
      <header>
        <a href={stockHref(sku, order)}>
          <code>{sku}</code>
        </a>
        <span class="plan-bar" aria-hidden="true">
          <span style={{ width: `${required === 0 ? 100 : (reserved / required) * 100}%` }} />
        </span>
        <span class="muted">
          {count(reserved)} {texts.of(count(required))}
        </span>
        {backordered > 0 && <Badge tone="bad">{texts.waits(backordered)}</Badge>}
      </header>
      <ul class="plan-held">
        {allocated.map((spot) => (
          <li key={`${spot.warehouse_id} ${spot.bin} ${spot.lot_number}`}>
            <b>{count(spot.quantity)}</b> <Place spot={spot} />
            {spot.picked && <Badge tone="info">{texts.inStaging}</Badge>}
          </li>
        ))}
        {allocated.length === 0 && <li class="muted">{texts.heldNothing}</li>}
      </ul>
      {reallocation !== null && <p class="plan-anew">{texts.better}</p>}
      {shortage && <Shortage shortage={shortage} />}
      {not_chosen.length > 0 && (
        <>
          <Button
            kind="plain"
            icon={why ? "up" : "down"}
            title={texts.why(not_chosen.length)}
            onClick={() => setWhy(!why)}
          />
          {why && (
            <ul class="plan-why">
              {not_chosen.map((spot) => (
                <li key={`${spot.warehouse_id} ${spot.bin} ${spot.lot_number}`}>
                  <Place spot={spot} />
                  <span class="muted">
                    {" "}
                    {texts.free(count(spot.free))} · {texts.passed[spot.reason] ?? spot.reason}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </section>
  );
}

function Shortage({ shortage }: { readonly shortage: NonNullable<PlannedOrderItem["shortage"]> }) {
  const { units_ahead, reserved_elsewhere, incoming, expected_at } = shortage;
  return (
    <ul class="plan-waits">
      <li>{units_ahead === 0 ? texts.first : texts.ahead(units_ahead)}</li>
      {incoming.units > 0 && <li>{texts.incoming(incoming.units)}</li>}
      <li>{expected_at ? texts.expectedBy(dateOrDateTime(expected_at)) : texts.expectedNever}</li>
      {reserved_elsewhere.reservations.length > 0 && (
        <li>
          {texts.promisedTo}{" "}
          {reserved_elsewhere.reservations.map(({ order_id, order_number, units }, at) => (
            <span key={order_id ?? order_number}>
              {at > 0 && ", "}
              {order_id ? <a href={to(`/orders/${order_id}`)}>{order_number}</a> : order_number} ({count(units)})
            </span>
          ))}
          {reserved_elsewhere.has_more && ` ${texts.andOthers}`}
        </li>
      )}
    </ul>
  );
}
