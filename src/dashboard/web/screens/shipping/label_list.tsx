import { saveFile } from "../../api/client.ts";
import type { LabelRecord } from "../../api/types.ts";
import { query, to } from "../../browser/router.ts";
import { Badge, stateOptions } from "../../components/badge.tsx";
import { Button, LinkButton } from "../../components/button.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { choice, ListPage } from "../../components/list_page.tsx";
import { CarrierName, RecordName, ServiceName } from "../../components/record_name.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { money } from "../../text/format.ts";
import { shippingTexts } from "../../text/shipping.ts";

const texts = shippingTexts.labels;

/** The status of a label, and of a pending void. */
export function LabelState({ label }: { readonly label: LabelRecord }) {
  const { status, void_status } = label;
  return (
    <>
      <Badge of="label" state={status} />
      {void_status && status !== "voided" && <Badge of="void" state={void_status} />}
    </>
  );
}

function Cost({ cost, currency, sample }: LabelRecord) {
  return (
    <>
      {sample && <Badge tone="warning">{words.sample}</Badge>} {money(cost, currency)}
    </>
  );
}

const columns: readonly TableColumn<LabelRecord>[] = [
  {
    id: "tracking",
    title: words.trackingNumber,
    cell: (it) => <code>{it.tracking_number ?? texts.noNumber}</code>,
    wide: true,
  },
  { id: "status", title: words.status, cell: (it) => <LabelState label={it} /> },
  {
    id: "order",
    title: words.order,
    cell: ({ order_id, return_id }) => (
      <>
        <RecordName id={order_id} />
        {return_id && (
          <>
            {" "}
            <a href={to(`/returns/${return_id}`)}>{words.return_}</a>
          </>
        )}
      </>
    ),
  },
  { id: "carrier", title: words.carrier, cell: ({ carrier }) => <CarrierName carrier={carrier} /> },
  {
    id: "service",
    title: words.service,
    cell: ({ carrier, service }) => <ServiceName carrier={carrier} service={service} />,
  },
  { id: "zone", title: words.zone, extra: true, cell: ({ zone }) => zone ?? "–" },
  { id: "cost", title: texts.cost, align: "right", cell: Cost },
  {
    id: "carrier_cost",
    title: texts.carrierCost,
    align: "right",
    extra: true,
    cell: (it) => money(it.carrier_cost, it.currency),
  },
  { id: "created", title: texts.created, time: "created_at", sort: "created_at" },
];

export function LabelsScreen() {
  const saveCsv = () => {
    const params = Object.fromEntries([...query.value].filter(([name]) => exported.has(name)));
    saveFile("/shipping/labels/export.csv", "labels.csv", "text/csv", params).catch(showRefused);
  };
  return (
    <ListPage<LabelRecord>
      title={texts.title}
      path="/shipping/labels"
      search={{ param: "tracking_number", hint: words.trackingNumber }}
      filters={[
        choice("status", words.status, stateOptions("label")),
        { kind: "text", param: "carrier", title: words.carrier },
        choice("on_manifest", words.manifest, optionsOf({ true: texts.onManifest, false: texts.onNone })),
      ]}
      columns={columns}
      id={({ label_id }) => label_id}
      href={({ label_id }) => to(`/shipping/labels/${label_id}`)}
      acts={
        <>
          <Button icon="download" title={texts.exportCsv} onClick={saveCsv} />
          <LinkButton icon="ruler" title={texts.tryRates} href={to("/shipping/rates")} />
        </>
      }
      empty={{
        icon: "truck",
        title: texts.emptyTitle,
        text: texts.emptyText,
        act: <LinkButton kind="primary" title={texts.tryRates} href={to("/shipping/rates")} />,
      }}
    />
  );
}

const exported = new Set(["tracking_number", "status", "carrier", "on_manifest"]);
