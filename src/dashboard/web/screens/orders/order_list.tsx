import { useState } from "preact/hooks";
import { holdReasons, publicOrderStatuses } from "../../../../orders/order.transitions.ts";
import { saveFile } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { isOperatorUser, may } from "../../api/session.ts";
import type { Order, UsedTag } from "../../api/types.ts";
import { query, setQuery, to } from "../../browser/router.ts";
import { Badge, wordOptions } from "../../components/badge.tsx";
import { Button, LinkButton } from "../../components/button.tsx";
import { choice, type ListFilter, ListPage, type ListSettings, listParams } from "../../components/list_page.tsx";
import { CarrierName } from "../../components/record_name.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { count, money } from "../../text/format.ts";
import { titles } from "../../text/navigation.ts";
import { orderListTexts as texts } from "../../text/order_list.ts";
import { stateWords } from "../../text/states.ts";
import { BulkActs } from "./bulk_actions.tsx";
import { Due, unitsOf } from "./due.tsx";
import { Views } from "./order_views.tsx";

const newest = (order: Order) => order.shipments.findLast(({ status }) => status !== "voided");

const columns: readonly TableColumn<Order>[] = [
  { id: "number", title: words.order, cell: ({ order_number }) => <strong>{order_number}</strong> },
  { id: "status", title: words.status, cell: (order) => <State order={order} /> },
  { id: "customer", title: words.customer, cell: ({ customer }) => customer.name || customer.email, wide: true },
  { id: "units", title: words.units, align: "right", cell: (order) => count(unitsOf(order)) },
  { id: "total", title: words.total, align: "right", cell: ({ subtotal, currency }) => money(subtotal, currency) },
  { id: "due", title: texts.due, cell: (order) => <Due order={order} /> },
  { id: "age", title: texts.age, time: "created_at", sort: "created_at" },
  { id: "carrier", title: words.carrier, extra: true, cell: (order) => <Carrier of={newest(order)} /> },
  { id: "tracking", title: words.trackingNumber, extra: true, cell: (order) => newest(order)?.tracking_number ?? "–" },
  { id: "method", title: words.shippingMethod, extra: true, cell: ({ shipping_method }) => shipping_method ?? "–" },
  { id: "priority", title: words.priority, number: "priority", extra: true },
  { id: "platform", title: texts.platform, extra: true, cell: ({ source }) => source.platform },
  { id: "changed", title: words.updated, time: "updated_at", extra: true, sort: "updated_at" },
];

function Carrier({ of }: { readonly of: Order["shipments"][number] | undefined }) {
  return of?.carrier ? <CarrierName carrier={of.carrier} /> : <>–</>;
}

function State({ order }: { readonly order: Order }) {
  const { status, holds, allocation, fulfillment_type } = order;
  return (
    <>
      <Badge state={status} />
      {holds.length > 0 && <small class="beside"> {holds.map(({ reason }) => stateWords(reason)).join(", ")}</small>}
      {fulfillment_type === "pickup" && <small class="beside"> {texts.pickup}</small>}
      {!allocation.complete && " "}
      {!allocation.complete && <Badge tone="bad">{texts.shortUnits(allocation.backordered_units)}</Badge>}
    </>
  );
}

const yesOrNo = (yes: string, no: string) => [
  { value: "true", title: yes },
  { value: "false", title: no },
];

/** The filters: the first always, the others once they are asked for or set. */
function filtersOf(tags: readonly UsedTag[], all: boolean): readonly ListFilter[] {
  const rest: readonly ListFilter[] = [
    { ...choice("tag", texts.tag, tagOptions(tags)), when: tags.length > 0 || query.value.has("tag") },
    choice("fulfillment_type", texts.leaves, [
      { value: "ship", title: texts.ships },
      { value: "pickup", title: texts.pickup },
    ]),
    { kind: "text", param: "carrier", title: words.carrier },
    { kind: "text", param: "service", title: texts.service },
    { kind: "date", param: "ship_by_after", title: texts.shipAfter },
    { kind: "date", param: "ship_by_before", title: texts.shipBefore },
    { kind: "date", param: "created_after", title: texts.createdAfter },
    { kind: "date", param: "created_before", title: texts.createdBefore },
  ];
  const isShown = ({ param, when = true }: ListFilter) => when && (all || query.value.has(param));
  return [
    choice("status", words.status, wordOptions(publicOrderStatuses)),
    choice("hold_reason", texts.holdReason, wordOptions(holdReasons)),
    choice("labeled", texts.labels, yesOrNo(texts.labeled, texts.unlabeled)),
    choice("printed", texts.documents, yesOrNo(texts.printed, texts.unprinted)),
    { kind: "flag", param: "one_unit", title: texts.oneUnit },
    ...rest.map((filter) => ({ ...filter, when: isShown(filter) })),
  ];
}

function tagOptions(tags: readonly UsedTag[]) {
  const current = query.value.get("tag") ?? "";
  const names = new Set(tags.map(({ tag }) => tag));
  // A link may write it in another case, or name one that is no longer in use.
  if (current !== "" && !current.includes(",")) names.add(current);
  return [...names].sort((one, other) => one.localeCompare(other)).map((tag) => ({ value: tag, title: tag }));
}

// Filters that only views and links set.
const others = [
  "short",
  "late",
  "sku",
  "shipped_after",
  "shipped_before",
  "customer_id",
  "platform",
  "warehouse_id",
  "shipping_method",
];
const names: Readonly<Record<string, string>> = {
  short: words.short,
  late: texts.viewNames.late,
  sku: words.sku,
  customer_id: words.customer,
  platform: texts.platform,
  warehouse_id: words.warehouse,
  shipping_method: words.shippingMethod,
  shipped_after: texts.viewNames.shippedAfter,
  shipped_before: texts.viewNames.shippedBefore,
};

/** The filters that have no field: each as a chip that removes it. */
function Chips() {
  const set = others.flatMap((name) => {
    const value = query.value.get(name);
    return value === undefined || value === null ? [] : { name, value };
  });
  if (set.length === 0) return null;
  return (
    <ul class="chips">
      {set.map(({ name, value }) => {
        const title = value === "true" ? (names[name] ?? name) : `${names[name] ?? name}: ${value}`;
        return (
          <li key={name}>
            {title}
            <Button
              kind="plain"
              icon="close"
              iconOnly
              title={texts.removeFilter(title)}
              onClick={() => setQuery({ [name]: null, page: null, cursor: null })}
            />
          </li>
        );
      })}
    </ul>
  );
}

export function OrdersScreen() {
  const [all, setAll] = useState(false);
  const { data: tags } = useQuery<readonly UsedTag[]>("/order_tags");
  const params = Object.fromEntries(others.map((name) => [name, query.value.get(name)]));
  const isView = others.some((name) => query.value.has(name));
  const settings = {
    path: "/orders",
    params,
    search: { param: "q", hint: texts.search },
    filters: filtersOf(tags ?? [], all),
    sort: "-created_at",
    columns,
    href: ({ id }: Order) => to(`/orders/${id}`),
    rowName: ({ order_number }: Order) => order_number,
  };
  const showAll = <LinkButton title={texts.showAll} href={to("/orders")} />;
  const save = () => {
    const { page: _page, cursor: _cursor, limit: _limit, ...filters } = listParams(settings);
    saveFile("/orders/export.csv", "orders.csv", "text/csv", filters).catch(showRefused);
  };
  const bulk: ListSettings<Order>["bulk"] = (chosen, rows, clear) => (
    <BulkActs chosen={chosen} rows={rows} clear={clear} />
  );
  return (
    <ListPage<Order>
      {...settings}
      title={titles.orders}
      above={
        <>
          <Views />
          <Chips />
        </>
      }
      filterAct={
        <Button
          kind="plain"
          icon="filter"
          title={all ? texts.fewerFilters : texts.moreFilters}
          onClick={() => setAll(!all)}
        />
      }
      acts={
        <>
          <Button kind="plain" icon="download" title={texts.export} onClick={save} />
          {may("orders.write") && <LinkButton icon="upload" title={titles.importOrders} href={to("/orders/import")} />}
          <LinkButton icon="columns" title={texts.toBoard} href={to("/orders/board")} />
        </>
      }
      create={{ title: texts.add, permission: "orders.write", href: to("/orders/new") }}
      empty={
        isView
          ? { icon: "cart", title: texts.nothingTitle, text: texts.nothingText, act: showAll }
          : { icon: "cart", title: texts.emptyTitle, text: texts.emptyText }
      }
      {...(may("orders.write") || isOperatorUser.value ? { bulk } : {})}
    />
  );
}
