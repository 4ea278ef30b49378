import { useCarrierNames } from "../../api/names.ts";
import type { Departure, Topic } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Badge } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { EmptyState } from "../../components/notice.tsx";
import { now } from "../../components/now.ts";
import { Card } from "../../components/page.tsx";
import { words } from "../../text/common.ts";
import { clockIn, count } from "../../text/format.ts";
import { todayTexts as texts } from "../../text/today.ts";
import { stockHref } from "../stock/stock_links.ts";

// The screen of each list of the API. Screen and API use the same parameters.
const lists: Readonly<Record<string, string>> = {
  orders: "/orders",
  putbacks: "/putbacks",
  labels: "/shipping/labels",
  imports: "/settings/platforms",
  reports: "/settings/platforms",
  webhooks: "/settings/webhooks",
  counts: "/counts",
  receipts: "/receipts",
  lots: "/lots",
  levels: "/stock",
};

/** The address of the list that a topic or a departure names. */
export function listOf({ noun, filter }: Topic["target"]): string {
  return to(lists[noun] ?? "/", filter);
}

/** The address of a topic's sample record. */
export function sampleOf(kind: Topic["kind"], sample: Topic["samples"][number]): string {
  const { id, parent } = sample;
  switch (kind) {
    case "hold":
    case "backorder":
      return to(`/orders/${id}`);
    case "putback":
      return to("/putbacks", id.startsWith("ret_") ? { return_id: id } : { order_id: id });
    case "failed_label":
      return to("/shipping/labels", { status: "error" });
    case "failed_import":
    case "failed_report":
      return to(`/settings/platforms/${parent ?? ""}`);
    case "failing_webhook":
      return to(`/settings/webhooks/${id}`);
    case "count_difference":
      return to(`/counts/${id}`);
    case "receipt_today":
    case "receipt_late":
      return to(`/receipts/${id}`);
    case "expiring_lot":
      return to(`/lots/${id}`);
    case "low_stock":
      return stockHref(id, sample);
  }
}

/** The stages of orders, in order. */
const stages = ["short", "to_pick", "picked", "packed", "ready"] as const;

/** A card for each cut-off, with the orders due by it. */
export function DepartureCards({ departures }: { readonly departures: readonly Departure[] }) {
  if (departures.length === 0) {
    return <EmptyState icon="calendar" title={texts.noDepartures} text={texts.noDeparturesText} />;
  }
  const named = new Set(departures.map(({ warehouse_id }) => warehouse_id)).size > 1;
  return (
    <div class="departures">
      {departures.map((departure) => (
        <DepartureCard key={`${departure.warehouse_id} ${departure.date}`} departure={departure} named={named} />
      ))}
    </div>
  );
}

function DepartureCard({ departure, named }: { readonly departure: Departure; readonly named: boolean }) {
  const { warehouse_name, shipped, orders, late, services, target } = departure;
  return (
    <Card
      title={named ? `${texts.departures} · ${warehouse_name}` : texts.departures}
      acts={
        <>
          {late > 0 && <Badge tone="bad">{texts.late(late)}</Badge>}
          {orders > 0 && <LinkButton title={texts.showOrders} href={listOf(target)} />}
        </>
      }
    >
      <CutOff departure={departure} />
      <Progress departure={departure} />
      {orders === 0 && <p class="today-note">{shipped === 0 ? texts.noneDue : texts.allGone}</p>}
      {orders > 0 && services.length > 0 && <Services services={services} target={target} />}
    </Card>
  );
}

/** The cut-off and the time left. */
function CutOff({ departure: { cutoff_at, timezone } }: { readonly departure: Departure }) {
  const languages = [...navigator.languages];
  const day = (at: number) => new Intl.DateTimeFormat("en-CA", { timeZone: timezone }).format(at);
  const isToday = day(now.value) === day(Date.parse(cutoff_at));
  const weekday = new Intl.DateTimeFormat(languages, { weekday: "long", timeZone: timezone });
  const minutes = Math.floor((Date.parse(cutoff_at) - now.value) / 60_000);
  const tone = minutes < 0 ? "over" : minutes < 60 ? "soon" : "";
  return (
    <p class={`cutoff ${tone}`}>
      <strong>{minutes < 0 ? texts.over(span(-minutes)) : texts.left(span(minutes))}</strong>
      <span>
        {texts.cutoff(clockIn(cutoff_at, timezone))}
        {!isToday && ` ${texts.onDay(weekday.format(new Date(cutoff_at)))}`}
      </span>
    </p>
  );
}

/** A duration as text. */
function span(minutes: number): string {
  const unit = (value: number, name: "hour" | "minute" | "day") =>
    new Intl.NumberFormat([...navigator.languages], { style: "unit", unit: name, unitDisplay: "short" }).format(value);
  if (minutes < 60) return unit(minutes, "minute");
  if (minutes < 48 * 60) return `${unit(Math.floor(minutes / 60), "hour")} ${unit(minutes % 60, "minute")}`;
  return unit(Math.floor(minutes / 1440), "day");
}

function Progress({ departure }: { readonly departure: Departure }) {
  const { shipped, orders, target } = departure;
  const all = shipped + orders;
  if (all === 0) return null;
  const parts = [
    { id: "shipped" as const, value: shipped },
    ...stages.toReversed().map((id) => ({ id, value: departure[id] })),
  ];
  return (
    <div class="progress">
      <div class="progress-bar" role="img" aria-label={texts.progress(shipped, all)}>
        {parts.map(({ id, value }) => value > 0 && <span key={id} class={`part-${id}`} style={{ flexGrow: value }} />)}
      </div>
      <ul class="progress-parts">
        {parts
          .filter(({ id, value }) => value > 0 || id === "shipped")
          .map(({ id, value }) => (
            <li key={id}>
              <i class={`part-${id}`} />
              {id === "shipped" || value === 0 ? (
                <>
                  <b>{count(value)}</b> {texts.stages[id]}
                </>
              ) : (
                <a href={listOf({ ...target, filter: { ...target.filter, ...staged[id] } })}>
                  <b>{count(value)}</b> {texts.stages[id]}
                </a>
              )}
            </li>
          ))}
      </ul>
    </div>
  );
}

/** The filters of the order list for each stage. */
const staged: Readonly<Record<(typeof stages)[number] | "orders" | "late", Readonly<Record<string, string>>>> = {
  orders: {},
  late: { late: "true" },
  short: { short: "true" },
  to_pick: { status: "pending,processing", short: "false" },
  picked: { status: "processing", short: "false" },
  packed: { status: "fulfilled" },
  ready: { status: "fulfilled" },
};

interface ServicesProps {
  readonly services: Departure["services"];
  readonly target: Departure["target"];
}

function Services({ services, target }: ServicesProps) {
  const { both } = useCarrierNames();
  return (
    <div class="table-box" role="region" aria-label={words.service} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{words.service}</th>
            <th scope="col" class="right">
              {words.orders}
            </th>
            <th scope="col" class="right">
              {texts.lateColumn}
            </th>
            {stages.map((id) => (
              <th key={id} scope="col" class="right">
                {texts.stages[id]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {services.map((one) => (
            <tr key={`${one.carrier} ${one.service}`}>
              <td data-label={words.service}>{both(one.carrier, one.service) || texts.anyService}</td>
              <td class="right" data-label={words.orders}>
                <Orders of={one} stage="orders" target={target} />
              </td>
              <td class={one.late > 0 ? "right bad" : "right"} data-label={texts.lateColumn}>
                <Orders of={one} stage="late" target={target} />
              </td>
              {stages.map((id) => (
                <td key={id} class={one[id] === 0 ? "right none" : "right"} data-label={texts.stages[id]}>
                  <Orders of={one} stage={id} target={target} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface OrdersProps {
  readonly of: Departure["services"][number];
  readonly stage: keyof typeof staged;
  readonly target: Departure["target"];
}

/** The number of a service's orders in a stage, with a link to them. */
function Orders({ of, stage, target }: OrdersProps) {
  const orders = of[stage];
  if (orders === 0) return <>{count(orders)}</>;
  const { carrier, service } = of;
  // Before there is a label, the service is the shipping method of the order.
  const by = carrier === null ? { shipping_method: service } : { carrier, service };
  const named = Object.entries(by).filter((entry): entry is [string, string] => entry[1] !== null);
  const filter = { ...target.filter, ...Object.fromEntries(named), ...staged[stage] };
  return <a href={listOf({ ...target, filter })}>{count(orders)}</a>;
}
