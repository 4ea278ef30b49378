import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { WarehouseRecord } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { ActionButton, Actions } from "../../components/action.tsx";
import { LinkButton } from "../../components/button.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { DataTable } from "../../components/table.tsx";
import { DescriptionList } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count, date, nothing } from "../../text/format.ts";
import { warehouseTexts as texts } from "../../text/warehouses.ts";
import { addBins, editWarehouse, editZone, newWarehouse, type WarehouseZone } from "./warehouse_dialogs.tsx";

/** The settings of the warehouses: zones, bins and working days. */
export function WarehousesScreen() {
  return (
    <Page title={texts.title} below={texts.intro} acts={<ActionButton of={newWarehouse} />}>
      <Warehouses />
    </Page>
  );
}

function Warehouses() {
  const { data, problem, loading, reload } = useQuery<readonly WarehouseRecord[]>("/inventory/locations");
  return (
    <div class="stack">
      {problem && <Notice problem={problem} onRetry={reload} />}
      {loading && <Skeleton lines={8} />}
      {data?.map((warehouse) => (
        <WarehouseCard key={warehouse.warehouse_id} warehouse={warehouse} />
      ))}
    </div>
  );
}

interface WarehouseCardProps {
  readonly warehouse: WarehouseRecord;
}

function WarehouseCard({ warehouse }: WarehouseCardProps) {
  const { warehouse_id, name, address, timezone, cutoff_time, working_days, holidays, priority } = warehouse;
  const place = [address.address_line1, address.city, address.state, address.postal_code, address.country];
  return (
    <Card
      title={name}
      acts={
        <>
          <LinkButton icon="bins" title={texts.showMap} href={to("/bins", { location: warehouse_id })} />
          <ActionButton of={editWarehouse(warehouse)} />
        </>
      }
    >
      {warehouse.example_address && <Notice kind="warning">{texts.exampleAddress}</Notice>}
      <DescriptionList
        facts={[
          [texts.printedName, address.name],
          [words.address, place.filter((part) => part).join(", ")],
          [texts.timezone, timezone.replaceAll("_", " ")],
          [texts.cutoff, cutoff_time],
          [texts.workingDays, working_days.map((day) => texts.weekdays[day]).join(", ")],
          [texts.holidays, holidays.length === 0 ? words.none : holidays.map(date).join(", ")],
          [texts.priority, count(priority)],
        ]}
      />
      <Zones warehouse={warehouse} />
    </Card>
  );
}

function Zones({ warehouse }: WarehouseCardProps) {
  const { location_zones: zones, name } = warehouse;
  return (
    <div class="house-zones">
      <header class="house-head">
        <h3>{texts.zones}</h3>
        <ActionButton of={editZone(warehouse, null)} />
      </header>
      <DataTable<WarehouseZone>
        name={`${texts.zones}: ${name}`}
        rows={zones}
        none={texts.noZones}
        id={({ zone_id }) => zone_id}
        columns={[
          { id: "zone", title: words.zone, code: "zone_id" },
          { id: "temperature", title: texts.temperature, cell: (zone) => texts.temperatures[zone.temperature_zone] },
          { id: "range", title: texts.range, cell: ({ temperature_range }) => temperature_range ?? nothing },
          { id: "bins", title: texts.bins, align: "right", cell: ({ bins }) => count(bins.length) },
          { id: "units", title: words.units, align: "right", cell: fillOf },
        ]}
        acts={
          may("operator.manage")
            ? (zone) => <Actions of={[addBins(warehouse, zone), editZone(warehouse, zone)]} />
            : undefined
        }
      />
    </div>
  );
}

function fillOf({ used, capacity }: WarehouseZone): string {
  return capacity === null ? count(used) : texts.fill(count(used), count(capacity));
}
