import { useQuery } from "../../api/query.ts";
import { seesHouse } from "../../api/session.ts";
import type { Order } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Badge, stateWords } from "../../kit/badge.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Columns, Page } from "../../kit/page.tsx";
import type { ScreenProps } from "../../kit/screen.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Time } from "../../kit/values.tsx";
import { date } from "../../texts/format.ts";
import { orderTexts as texts } from "../../texts/order.ts";
import { OrderActs } from "./acts/acts.tsx";
import { AddressCard, DetailsCard, MetadataCard, MoneyCard } from "./facts.tsx";
import { Holds } from "./holds.tsx";
import { LinesCard } from "./lines.tsx";
import { PapersCard } from "./papers.tsx";
import { ParcelsCard } from "./parcels.tsx";
import { PlanCard } from "./plan.tsx";
import { ReturnsCard } from "./returns.tsx";
import { TimelineCard } from "./timeline.tsx";

/** One order: its actions, lines, parcels, documents and history. */
export function OrderScreen({ params }: ScreenProps) {
  const id = encodeURIComponent(params["id"] ?? "");
  const { data: order, etag, problem, loading, reload } = useQuery<Order>(`/orders/${id}`);
  const back = { href: to("/orders"), title: texts.orders };
  if (loading) return <Skeleton lines={14} />;
  if (!order) {
    return (
      <Page title={texts.order} back={back}>
        {problem && <Notice problem={problem} onRetry={reload} />}
      </Page>
    );
  }
  return (
    <Page
      title={order.order_number}
      back={back}
      beside={<States order={order} />}
      owned={order}
      below={<Below order={order} />}
      acts={<OrderActs order={order} etag={etag} />}
    >
      {problem && <Notice problem={problem} onRetry={reload} />}
      <Holds order={order} etag={etag} />
      <Columns
        main={
          <>
            <LinesCard order={order} />
            {seesHouse.value && <PlanCard order={order} etag={etag} />}
            <ParcelsCard order={order} etag={etag} />
            <TimelineCard order={order} />
          </>
        }
        side={
          <>
            <AddressCard order={order} etag={etag} />
            <DetailsCard order={order} />
            <MoneyCard order={order} />
            <PapersCard order={order} />
            <ReturnsCard order={order} />
            <MetadataCard order={order} />
          </>
        }
      />
    </Page>
  );
}

function States({ order }: { readonly order: Order }) {
  const { status, fulfillment_status, held_from, priority } = order;
  const partly = fulfillment_status.startsWith("partially");
  return (
    <>
      <Badge state={status} />
      {held_from && <Badge tone="neutral">{texts.heldFrom(stateWords(held_from).toLowerCase())}</Badge>}
      {partly && <Badge state={fulfillment_status} />}
      {priority !== 0 && <Badge tone={priority > 0 ? "warning" : "neutral"}>{texts.priority(String(priority))}</Badge>}
    </>
  );
}

function Below({ order }: { readonly order: Order }) {
  const { created_at, estimated_ship_date, shipped_at, status, source, imported } = order;
  const open = shipped_at === null && status !== "cancelled";
  return (
    <div class="order-below">
      <span>
        {texts.placed} <Time at={created_at} />
      </span>
      {source.platform !== "api" && <span>{texts.from(stateWords(source.platform.split(":")[0] ?? ""))}</span>}
      {open && <strong>{estimated_ship_date ? texts.leavesBy(date(estimated_ship_date)) : texts.noShipDate}</strong>}
      {imported && <span>{texts.imported}</span>}
    </div>
  );
}
