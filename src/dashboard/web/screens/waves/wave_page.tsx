import { awaitsRelease, isPickable } from "../../../../floor/floor.transitions.ts";
import type { WaveRecord } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { DescriptionList, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { floorTexts } from "../../text/floor.ts";
import { count } from "../../text/format.ts";
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
        }
      />
    </Page>
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
