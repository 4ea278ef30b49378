import { isPickable, waveModes } from "../../../../floor/floor.transitions.ts";
import type { PlainWave } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Badge, stateOptions } from "../../components/badge.tsx";
import { choice, ListPage } from "../../components/list_page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { floorTexts } from "../../text/floor.ts";
import { count } from "../../text/format.ts";
import { titles } from "../../text/navigation.ts";
import { waveTexts as texts } from "../../text/waves.ts";
import { useWarehouses } from "../stock/stock_links.ts";
import { usePickers, WaveProgress } from "./wave_progress.tsx";

/** The waves, with their progress and who picks them. */
export function WavesScreen() {
  const { several, nameOf, filter } = useWarehouses();
  const pickerOf = usePickers();
  const columns: readonly TableColumn<PlainWave>[] = [
    { id: "id", title: texts.wave, text: "id" },
    { id: "status", title: words.status, cell: ({ status }) => <Badge of="wave" state={status} /> },
    { id: "mode", title: texts.mode, wide: true, cell: ({ mode }) => floorTexts.modes[mode] },
    { id: "warehouse", title: words.warehouse, when: several, cell: ({ warehouse_id }) => nameOf(warehouse_id) },
    { id: "orders", title: words.orders, align: "right", cell: ({ progress }) => count(progress.orders) },
    {
      id: "progress",
      title: texts.progress,
      cell: ({ status, progress }) => isPickable(status) && <WaveProgress of={progress} />,
    },
    { id: "by", title: texts.picking, cell: ({ id }) => pickerOf(id) },
    { id: "ship_by", title: texts.shipBy, time: "ship_by" },
    { id: "planned_by", title: texts.plannedBy, extra: true, cell: ({ created_by }) => created_by.name },
    { id: "created", title: words.created, time: "created_at" },
  ];
  return (
    <ListPage<PlainWave>
      title={titles.waves}
      path="/waves"
      filters={[
        choice("status", words.status, stateOptions("wave")),
        choice(
          "mode",
          texts.mode,
          waveModes.map((value) => ({ value, title: floorTexts.modes[value] })),
        ),
        filter(words.warehouse, "warehouse_id"),
      ]}
      columns={columns}
      href={({ id }) => to(`/waves/${id}`)}
      create={{ title: titles.planWave, permission: "floor.lead", href: to("/waves/new") }}
      empty={{ icon: "stack", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}
