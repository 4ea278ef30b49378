import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { WarehouseRecord } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { ActionMenu } from "../../components/menu.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { DataTable } from "../../components/table.tsx";
import { DescriptionList } from "../../components/values.tsx";
import { count, date, nothing } from "../../text/format.ts";
import { warehouseTexts as texts } from "../../text/warehouses.ts";
import { BinsDialog, ChangeWarehouse, NewWarehouse, type WarehouseZone, ZoneDialog } from "./warehouse_dialogs.tsx";

/** Shows a dialog, which receives the function that closes it. */
type Show = (dialog: (close: () => void) => JSX.Element) => void;

/** The settings of the warehouses: zones, bins and working days. */
export function WarehousesScreen() {
  const [dialog, setDialog] = useState<JSX.Element | null>(null);
  const show: Show = (made) => setDialog(made(() => setDialog(null)));
  const add = may("house.manage") && (
    <Button
      kind="primary"
      icon="plus"
      title={texts.add}
      onClick={() => show((close) => <NewWarehouse onClose={close} />)}
    />
  );
  return (
    <Page title={texts.title} below={texts.intro} acts={add}>
      <Warehouses show={show} />
      {dialog}
    </Page>
  );
}

function Warehouses({ show }: { readonly show: Show }) {
  const { data, problem, loading, reload } = useQuery<readonly WarehouseRecord[]>("/inventory/locations");
  return (
    <div class="stack">
      {problem && <Notice problem={problem} onRetry={reload} />}
      {loading && <Skeleton lines={8} />}
      {data?.map((warehouse) => (
        <WarehouseCard key={warehouse.warehouse_id} warehouse={warehouse} show={show} />
      ))}
    </div>
  );
}

interface WarehouseCardProps {
  readonly warehouse: WarehouseRecord;
  readonly show: Show;
}

function WarehouseCard({ warehouse, show }: WarehouseCardProps) {
  const { warehouse_id, name, address, timezone, cutoff_time, working_days, holidays, priority } = warehouse;
  const manages = may("house.manage");
  const place = [address.address_line1, address.city, address.state, address.postal_code, address.country];
  return (
    <Card
      title={name}
      acts={
        <>
          <LinkButton icon="bins" title={texts.showMap} href={to("/bins", { location: warehouse_id })} />
          {manages && (
            <Button
              icon="edit"
              title={texts.edit}
              onClick={() => show((close) => <ChangeWarehouse warehouse={warehouse} onClose={close} />)}
            />
          )}
        </>
      }
    >
      {warehouse.example_address && <Notice kind="warning">{texts.exampleAddress}</Notice>}
      <DescriptionList
        facts={[
          [texts.printedName, address.name],
          [texts.address, place.filter((part) => part).join(", ")],
          [texts.timezone, timezone.replaceAll("_", " ")],
          [texts.cutoff, cutoff_time],
          [texts.workingDays, working_days.map((day) => texts.weekdays[day]).join(", ")],
          [texts.holidays, holidays.length === 0 ? texts.noHolidays : holidays.map(date).join(", ")],
          [texts.priority, count(priority)],
        ]}
      />
      <Zones warehouse={warehouse} show={show} />
    </Card>
  );
}

function Zones({ warehouse, show }: WarehouseCardProps) {
  const manages = may("house.manage");
  const { location_zones: zones, name } = warehouse;
  const acts = (zone: WarehouseZone) => (
    <ActionMenu
      items={[
        {
          title: texts.addBins,
          icon: "bins",
          run: () => show((close) => <BinsDialog warehouse={warehouse} zone={zone} onClose={close} />),
        },
        {
          title: texts.editZone,
          icon: "edit",
          run: () => show((close) => <ZoneDialog warehouse={warehouse} zone={zone} onClose={close} />),
        },
      ]}
    />
  );
  return (
    <div class="house-zones">
      <header class="house-head">
        <h3>{texts.zones}</h3>
        {manages && (
          <Button
            icon="plus"
            title={texts.addZone}
            onClick={() => show((close) => <ZoneDialog warehouse={warehouse} zone={null} onClose={close} />)}
          />
        )}
      </header>
      {zones.length === 0 && <p class="muted">{texts.noZones}</p>}
      {zones.length > 0 && (
        <DataTable<WarehouseZone>
          name={`${texts.zones}: ${name}`}
          rows={zones}
          id={({ zone_id }) => zone_id}
          columns={[
            { id: "zone", title: texts.zone, cell: ({ zone_id }) => <code>{zone_id}</code> },
            { id: "temperature", title: texts.temperature, cell: (zone) => texts.temperatures[zone.temperature_zone] },
            { id: "range", title: texts.range, cell: ({ temperature_range }) => temperature_range ?? nothing },
            { id: "bins", title: texts.bins, align: "right", cell: ({ bins }) => count(bins.length) },
            { id: "units", title: texts.units, align: "right", cell: fillOf },
          ]}
          {...(manages ? { acts } : {})}
        />
      )}
    </div>
  );
}

function fillOf({ used, capacity }: WarehouseZone): string {
  return capacity === null ? count(used) : texts.fill(count(used), count(capacity));
}
