import { signal } from "@preact/signals";
import { openDocument, post } from "../../api/client.ts";
import { useCarrierNames } from "../../api/names.ts";
import { refresh, useQuery } from "../../api/query.ts";
import type { CarrierList, ManifestRecord, PlainManifest, ShippedManifest, WarehouseRecord } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { openDialog } from "../../components/dialog.tsx";
import type { FormField } from "../../components/fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { ListPage } from "../../components/list_page.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { CarrierName, RecordName } from "../../components/record_name.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { Figure, Figures, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count, date, weight } from "../../text/format.ts";
import { shippingTexts } from "../../text/shipping.ts";

const texts = shippingTexts.manifests;
const grams_in_pound = 453.59237;

const columns: readonly TableColumn<PlainManifest>[] = [
  { id: "carrier", title: words.carrier, cell: ({ carrier }) => <CarrierName carrier={carrier} /> },
  { id: "id", title: words.manifest, code: "manifest_id", extra: true },
  { id: "warehouse", title: words.warehouse, text: "warehouse_name", wide: true },
  { id: "date", title: words.day, cell: (it) => date(it.date) },
  { id: "parcels", title: words.parcels, number: "label_count" },
  { id: "by", title: texts.by, extra: true, cell: ({ created_by }) => <RecordName id={created_by.id} plain /> },
  { id: "made", title: words.created, time: "created_at" },
];

export function ManifestsScreen() {
  return (
    <ListPage<PlainManifest>
      title={texts.title}
      path="/shipping/manifests"
      filters={[
        { kind: "text", param: "carrier", title: words.carrier },
        { kind: "date", param: "date", title: words.day },
      ]}
      columns={columns}
      id={({ manifest_id }) => manifest_id}
      href={({ manifest_id }) => to(`/shipping/manifests/${manifest_id}`)}
      create={{
        title: texts.add,
        permission: "shipping.buy",
        run: () => openDialog((close) => <AddManifest onClose={close} />),
      }}
      empty={{ icon: "clipboard", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

function AddManifest({ onClose }: { readonly onClose: () => void }) {
  const { data } = useQuery<CarrierList>("/shipping/carriers");
  const { data: warehouses } = useQuery<readonly WarehouseRecord[]>("/inventory/locations");
  if (data === undefined || warehouses === undefined) return null;
  const carriers = new Map(data.carriers.map(({ code, name }) => [code, name]));
  const fields: readonly FormField[] = [
    {
      kind: "select",
      name: "carrier",
      label: words.carrier,
      required: true,
      options: [...carriers].map(([value, title]) => ({ value, title })),
    },
    {
      kind: "select",
      name: "warehouse_id",
      label: words.warehouse,
      required: true,
      options: warehouses.map(({ warehouse_id, name }) => ({ value: warehouse_id, title: name })),
      when: () => warehouses.length > 1,
    },
    { kind: "date", name: "date", label: words.day },
  ];
  const first = { carrier: data.carriers[0]?.code ?? "", warehouse_id: warehouses[0]?.warehouse_id ?? "", date: "" };
  return (
    <FormDialog
      title={texts.add}
      text={texts.addText}
      fields={fields}
      first={first}
      submit={words.create}
      onClose={onClose}
      onSubmit={async ({ date: day, ...values }, key) => {
        const body = { ...values, ...(day === "" ? {} : { date: day }) };
        const { data: made } = await post<PlainManifest>("/shipping/manifests", body, { key });
        showSuccess(texts.made_(made.label_count));
        navigate(to(`/shipping/manifests/${made.manifest_id}`));
      }}
    />
  );
}

type ManifestRow = ManifestRecord["parcels"][number];

const parcelColumns: readonly TableColumn<ManifestRow>[] = [
  { id: "tracking", title: words.trackingNumber, code: "tracking_number" },
  {
    id: "order",
    title: words.order,
    cell: ({ order_id, order_number }) => <a href={to(`/orders/${order_id}`)}>{order_number}</a>,
  },
  { id: "service", title: words.service, text: "service" },
  {
    id: "to",
    title: words.to,
    wide: true,
    cell: ({ to_address: { name, city, state, zip, country } }) =>
      [name, [city, state, zip].filter(Boolean).join(" "), country].join(", "),
  },
  { id: "weight", title: words.weight, align: "right", cell: (it) => weight(it.weight, it.weight_unit) },
  {
    id: "state",
    title: words.status,
    cell: ({ label_status, shipment_status }) =>
      label_status === "voided" ? (
        <Badge of="label" state={label_status} tone="warning" />
      ) : (
        <Badge state={shipment_status} />
      ),
  },
];

/** The parcels that were refused when their manifest was shipped, by manifest, until it is shipped again. */
const refusedParcels = signal<Readonly<Record<string, ShippedManifest["results"]>>>({});

/** Ships all parcels of a manifest that have not left. */
const collected = ({ manifest_id, parcels }: ManifestRecord): Action => {
  const waiting = parcels.filter((one) => one.shipment_status === "pending").length;
  return {
    title: texts.ship,
    icon: "truck",
    permission: "orders.fulfill",
    when: waiting > 0,
    ask: { title: texts.shipTitle(waiting), text: texts.shipText },
    call: { method: "POST", path: `/shipping/manifests/${manifest_id}/ship` },
    done: ({ shipped }: ShippedManifest) => texts.shipped(shipped),
    after: ({ results }: ShippedManifest) => {
      const refused = results.filter(({ outcome }) => outcome === "refused");
      refusedParcels.value = { ...refusedParcels.peek(), [manifest_id]: refused };
      refresh(new Set(["orders", "shipments"]));
    },
  };
};

/** The parcels that could not be shipped, each with its reason. */
function Refused({ of }: { readonly of: ShippedManifest["results"] }) {
  if (of.length === 0) return null;
  return (
    <Notice kind="warning">
      <p>{texts.refused(of.length)}</p>
      <ul>
        {of.map(({ label_id, order_id, order_number, error }) => (
          <li key={label_id}>
            <a href={to(`/orders/${order_id}`)}>{order_number}</a> {error?.message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** Pounds, rounded to two decimals. */
const inHundredths = (grams: number) => Math.round((grams * 100) / grams_in_pound) / 100;

/** One manifest and its parcels. */
export const ManifestScreen = recordScreen("/shipping/manifests/:id", ManifestPage);

function ManifestPage({ record: manifest, back }: RecordProps<ManifestRecord>) {
  const { carrierName } = useCarrierNames();
  const { data: warehouses = [] } = useQuery<readonly WarehouseRecord[]>("/inventory/locations");
  const { manifest_id, carrier, warehouse_name, total_weight_grams, parcels } = manifest;
  const inPounds = warehouses.some(({ name, address }) => name === warehouse_name && address?.country === "US");
  const print = () => openDocument(`/shipping/manifests/${manifest_id}/document`).catch(showRefused);
  return (
    <Page
      title={`${carrierName(carrier)} · ${date(manifest.date)}`}
      back={back}
      below={
        <>
          {warehouse_name} · <Time at={manifest.created_at} />
        </>
      }
      acts={
        <>
          <ActionButton of={collected(manifest)} />
          <Button kind="primary" icon="print" title={words.print} onClick={print} />
        </>
      }
    >
      <Refused of={refusedParcels.value[manifest_id] ?? []} />
      <Figures>
        <Figure name={words.parcels} value={count(parcels.length)} />
        <Figure
          name={words.weight}
          value={inPounds ? weight(inHundredths(total_weight_grams), "lb") : weight(total_weight_grams / 1000, "kg")}
        />
      </Figures>
      <Card title={words.parcels} flush>
        <DataTable
          name={words.parcels}
          rows={parcels}
          columns={parcelColumns}
          id={({ label_id }) => label_id}
          href={({ label_id }) => to(`/shipping/labels/${label_id}`)}
        />
      </Card>
    </Page>
  );
}
