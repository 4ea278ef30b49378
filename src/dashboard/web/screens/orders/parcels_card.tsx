import { refresh, useQuery } from "../../api/query.ts";
import type { LabelRecord, Order, OrderParcel } from "../../api/types.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { openPrintable } from "../../components/document_dialog.tsx";
import { Icon } from "../../components/icon.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card } from "../../components/page.tsx";
import { useReloadOn } from "../../components/reading.ts";
import { CarrierName, ServiceName } from "../../components/record_name.tsx";
import { CopyField } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count, date, money } from "../../text/format.ts";
import { orderTexts as texts } from "../../text/order.ts";
import { firstWhy, whyBody, whyUndone } from "./action_forms.ts";
import { addExternalLabel } from "./external_label.tsx";
import { buyLabel } from "./label_dialog.tsx";
import { voidLabel } from "./label_rates.tsx";
import { labelDocument, parcelName } from "./order_facts.ts";

/** The parcels of an order, with labels and tracking. */
export function ParcelsCard({ order }: { readonly order: Order }) {
  const shipments = useQuery<readonly OrderParcel[]>("/shipments", { order_id: order.id, limit: 100 });
  const labels = useQuery<readonly LabelRecord[]>("/shipping/labels", { order_id: order.id, limit: 100 });
  useReloadOn(order.revision, shipments.reload, labels.reload);
  const { data: parcels, problem } = shipments;
  const failed = labels.data?.filter(({ status, shipment_id }) => status === "error" || shipment_id === null) ?? [];
  return (
    <Card title={words.parcels} acts={order.allowed_actions.includes("ship") && <LabelActs order={order} />}>
      {problem && <Notice problem={problem} />}
      {failed.flatMap(({ label_id, error }) =>
        error === null ? (
          []
        ) : (
          <Notice key={label_id} kind="warning">
            {texts.labelError}: {error.message}
          </Notice>
        ),
      )}
      {parcels?.length === 0 && <p class="muted">{texts.noParcels}</p>}
      <div class="parcels">
        {parcels?.map((parcel) => (
          <OneParcel
            key={parcel.id}
            parcel={parcel}
            name={parcelName(order.shipments, parcel)}
            order={order}
            label={labels.data?.find(({ label_id }) => label_id === parcel.label_ids[0]) ?? null}
          />
        ))}
      </div>
    </Card>
  );
}

const LabelActs = ({ order }: { readonly order: Order }) => (
  <>
    <ActionButton of={addExternalLabel(order)} />
    <ActionButton of={buyLabel(order)} />
  </>
);

/** The one state that a parcel is shown in. A tracking of "pending" only means that no carrier has scanned it yet. */
const stateOf = ({ status, tracking_status }: OrderParcel): string =>
  status === "voided" || tracking_status === "pending" ? status : (tracking_status ?? status);

interface OneParcelProps {
  readonly parcel: OrderParcel;
  readonly name: string;
  readonly order: Order;
  readonly label: LabelRecord | null;
}

function OneParcel({ parcel, name, order, label }: OneParcelProps) {
  const { id, status, carrier, service, tracking_number, items } = parcel;
  const valid = label?.status === "completed" && status !== "voided";
  return (
    <section class={status === "voided" ? "parcel voided" : "parcel"} aria-label={name}>
      <header>
        <Badge state={stateOf(parcel)} />
        <span>
          {carrier && <CarrierName carrier={carrier} />}{" "}
          {service && (
            <span class="muted">
              <ServiceName carrier={carrier} service={service} />
            </span>
          )}
        </span>
        {parcel.estimated_delivery_day && status !== "delivered" && (
          <span class="muted">
            {texts.estimated} {date(parcel.estimated_delivery_day)}
          </span>
        )}
        {label?.cost != null && (
          <span class="muted parcel-cost">
            {texts.labelCost} {money(label.cost, label.currency)}
            {label.external && ` (${texts.labelElsewhere})`}
          </span>
        )}
      </header>
      <div class="parcel-number">
        {tracking_number ? <CopyField text={tracking_number} name={words.trackingNumber} /> : <b>{name}</b>}
        {parcel.tracking_url && (
          <a href={parcel.tracking_url} target="_blank" rel="noreferrer">
            {texts.follow} <Icon name="external" size={13} />
          </a>
        )}
      </div>
      {label?.status === "processing" && <p class="muted">{texts.labelProcessing}</p>}
      <ul class="parcel-items">
        {items.map(({ line_id, sku, quantity }) => (
          <li key={line_id}>
            {count(quantity)} × <code>{sku}</code>
          </li>
        ))}
      </ul>
      <footer class="parcel-acts">
        {valid && label.documents.length > 0 && (
          <Button icon="print" title={texts.printLabel} onClick={() => openPrintable(labelDocument(label, name))} />
        )}
        {status !== "voided" && (
          <Button
            icon="page"
            title={texts.slip}
            onClick={() =>
              openPrintable({
                title: `${texts.packingSlip} ${name}`,
                path: `/orders/${parcel.order_id}/packing_slip`,
                params: { shipment_id: id },
                name: `${parcel.order_number}-packing-slip.pdf`,
              })
            }
          />
        )}
        {!valid && items.length > 0 && status === "pending" && <ActionButton of={reopen(order, parcel, name)} />}
        {label && status === "pending" && <ActionButton of={voidLabel(label, name)} />}
      </footer>
    </section>
  );
}

/** Cancels a packed parcel without a label, so that its units can be packed again. */
const reopen = (order: Order, { id, tracking_number }: OrderParcel, name: string): Action => ({
  title: texts.acts["reopen"] ?? "",
  icon: "open",
  button: "plain",
  permission: "orders.fulfill",
  when: tracking_number === null && order.allowed_actions.includes("unpack"),
  ask: { title: texts.reopenTitle(name), text: texts.reopenText, fields: whyUndone, first: firstWhy },
  call: (values) => ({ method: "POST", path: `/orders/${order.id}/shipments/${id}/reopen`, body: whyBody(values) }),
  done: texts.done["reopen"] ?? "",
  after: () => refresh(new Set(["orders", "shipments"])),
});
