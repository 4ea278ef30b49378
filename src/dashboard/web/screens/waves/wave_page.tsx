import { awaitsRelease, isPickable } from "../../../../floor/floor.transitions.ts";
import { merchantOf } from "../../api/merchants.ts";
import { useCarrierNames } from "../../api/names.ts";
import type { WaveRecord, WaveRequest } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { DescriptionList, type DescriptionRow, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { floorTexts } from "../../text/floor.ts";
import { count } from "../../text/format.ts";
import { warehouseTexts } from "../../text/warehouses.ts";
import { waveTexts as texts } from "../../text/waves.ts";
import { useWarehouses } from "../stock/stock_links.ts";
import { usePickers, WaveProgress } from "./wave_progress.tsx";

/** One wave: its progress, its orders and its actions. */
export const WaveScreen = recordScreen("/waves/:id", WavePage);

type WaveOrder = WaveRecord["orders"][number];

const columns: readonly TableColumn<WaveOrder>[] = [
  { id: "order", title: words.order, text: "order_number" },
  { id: "position", title: texts.position, number: "position", extra: true },
  { id: "status", title: words.status, cell: ({ status }) => <Badge state={status} /> },
  {
    id: "left",
    title: texts.unitsLeft,
    align: "right",
    cell: ({ open, units_left }) => (open ? count(units_left) : texts.leftWave),
  },
  { id: "waiting", title: texts.unitsWaiting, number: "units_waiting", extra: true },
  { id: "totes", title: texts.totes, wide: true, cell: ({ totes }) => totes.join(", ") },
];

function WavePage({ record: wave, etag, back, notice }: RecordProps<WaveRecord>) {
  const { nameOf } = useWarehouses();
  const pickerOf = usePickers();
  const { id, status, mode, orders, progress, picked_by } = wave;
  return (
    <Page
      title={texts.one(id)}
      back={back}
      badge={<Badge of="wave" state={status} />}
      below={`${floorTexts.modes[mode]} · ${nameOf(wave.warehouse_id)}`}
      acts={<Actions of={actionsOf(wave, etag)} />}
    >
      {notice}
      <Columns
        main={
          <Card title={words.orders} flush>
            <DataTable
              name={words.orders}
              rows={orders}
              columns={columns}
              id={({ order_id }) => order_id}
              href={({ order_id }) => to(`/orders/${order_id}`)}
              acts={(order) => <Actions of={[removal(wave, order, etag)]} />}
            />
          </Card>
        }
        side={
          <>
            <Card title={texts.progress}>
              {isPickable(status) && <WaveProgress of={progress} />}
              <DescriptionList
                facts={[
                  [texts.unitsLeft, count(progress.units_left)],
                  [texts.unitsWaiting, count(progress.units_waiting)],
                  [texts.ordersLeft, count(progress.orders_left)],
                  [texts.stopsLeft, count(progress.stops_left)],
                  [texts.picking, pickerOf(id) ?? texts.nobody],
                  [texts.by, picked_by.map(({ name, units }) => texts.pickedUnits(name, units)).join(", ")],
                  [texts.shipBy, <Time key="ship_by" at={wave.ship_by} />],
                  [texts.plannedBy, wave.created_by.name],
                  [words.created, <Time key="created" at={wave.created_at} />],
                  [texts.released, <Time key="released" at={wave.released_at} />],
                  [texts.pickedAt, <Time key="picked" at={wave.picked_at} />],
                  wave.cancelled_at === null
                    ? [texts.closed, <Time key="closed" at={wave.closed_at} />]
                    : [texts.cancelled, <Time key="cancelled" at={wave.cancelled_at} />],
                ]}
              />
            </Card>
            <Criteria of={wave} />
          </>
        }
      />
    </Page>
  );
}

/** Which orders the wave was to take, and how many at most. */
function Criteria({ of: wave }: { readonly of: WaveRecord }) {
  const { filters = {}, limits = {} } = wave as Pick<WaveRequest, "filters" | "limits">;
  const { both } = useCarrierNames();
  const { carrier = null, service = null, ship_by_before, temperature_zone, one_unit, order_ids } = filters;
  const merchants = filters.merchant_ids?.map((name) => merchantOf(String(name))?.name ?? name);
  const { orders, units, weight_grams, volume_cm3 } = limits;
  const facts: readonly DescriptionRow[] = [
    [words.carrier, both(carrier, service)],
    [texts.cutoffBefore, ship_by_before && <Time key="ship_by_before" at={ship_by_before} />],
    [texts.temperature, temperature_zone && warehouseTexts.temperatures[temperature_zone]],
    [texts.size, one_unit !== undefined && texts.sizes[one_unit ? "one" : "several"]],
    [texts.priorityMin, filters.priority_min?.toString()],
    [words.tags, filters.tags?.join(", ")],
    [texts.merchants, merchants?.join(", ")],
    [texts.chosenOrders, order_ids && count(order_ids.length)],
    [texts.atMost(words.orders), orders && count(orders)],
    [texts.atMost(words.units), units && count(units)],
    [texts.atMost(words.weight), weight_grams && `${count(weight_grams / 1000)} kg`],
    [texts.atMost(texts.volume), volume_cm3 && `${count(volume_cm3 / 1000)} L`],
  ];
  const stated = facts.filter((fact) => fact?.[1]);
  return (
    <Card title={texts.filters}>
      {stated.length === 0 ? <p class="muted">{texts.allOrders}</p> : <DescriptionList facts={stated} />}
    </Card>
  );
}

function actionsOf({ id, allowed_actions }: WaveRecord, etag: string | null): readonly Action[] {
  const common = { permission: "floor.lead", match: etag } as const;
  return [
    {
      ...common,
      title: texts.release,
      icon: "play",
      button: "primary",
      when: allowed_actions.includes("release"),
      call: { method: "POST", path: `/waves/${id}/release` },
      done: texts.releasedDone(id),
    },
    {
      ...common,
      title: words.close,
      icon: "check",
      button: true,
      when: allowed_actions.includes("close"),
      ask: { title: texts.closeTitle(id), text: texts.closeText },
      call: { method: "POST", path: `/waves/${id}/close` },
      done: texts.closedDone(id),
    },
    {
      ...common,
      title: texts.cancel,
      icon: "close",
      danger: true,
      when: allowed_actions.includes("cancel"),
      ask: { title: texts.cancelTitle(id), text: texts.cancelText, stay: texts.keep },
      call: { method: "POST", path: `/waves/${id}/cancel` },
      done: texts.cancelledDone(id),
    },
  ];
}

const removal = ({ id, status }: WaveRecord, order: WaveOrder, etag: string | null): Action => ({
  title: texts.remove,
  icon: "close",
  danger: true,
  permission: "floor.lead",
  match: etag,
  when: order.open && (awaitsRelease(status) || isPickable(status)),
  ask: { title: texts.removeTitle(order.order_number), text: texts.removeText },
  call: { method: "DELETE", path: `/waves/${id}/orders/${order.order_id}` },
  done: texts.removed(order.order_number),
});
