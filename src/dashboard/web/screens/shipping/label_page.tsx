import { openDocument } from "../../api/client.ts";
import type { LabelRecord } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { ActionButton } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { CopyField, DescriptionList, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { date, money, weight } from "../../text/format.ts";
import { shippingTexts } from "../../text/shipping.ts";
import { SampleNotice, voidLabel } from "../orders/label_rates.tsx";
import { LabelState } from "./label_list.tsx";
import { Breakdown } from "./rates.tsx";

const texts = shippingTexts.labels;
const types = { pdf: "application/pdf", png: "image/png", zpl: "application/zpl", html: "text/html" } as const;

/** One label: its parcel, cost and documents, and a button to void it. */
export const LabelScreen = recordScreen("/shipping/labels/:id", LabelPage);

function LabelPage({ record: label, back }: RecordProps<LabelRecord>) {
  const name = label.tracking_number ?? label.label_id;
  const warnings = label.warnings.filter(({ code }) => code !== "sample_rates");
  return (
    <Page
      title={name}
      back={back}
      badge={<LabelState label={label} />}
      owned={label}
      acts={<ActionButton of={{ ...voidLabel(label, name), title: texts.voidLabel, icon: "close", button: true }} />}
    >
      {label.error && <Notice kind="problem">{label.error.message}</Notice>}
      <SampleNotice of={[label]} />
      {warnings.length > 0 && (
        <Notice kind="warning">
          <strong>{texts.warnings}</strong>
          <ul>
            {warnings.map(({ field, message }) => (
              <li key={`${field} ${message}`}>{message}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Columns
        main={
          <>
            <Parcel label={label} />
            <Documents label={label} />
          </>
        }
        side={
          <>
            <Card title={words.to}>
              <Place address={label.to_address} />
            </Card>
            <Card title={texts.from}>
              <Place address={label.from_address} />
            </Card>
            {label.breakdown && (
              <Card title={words.price}>
                <Breakdown parts={label.breakdown} total={label.cost} currency={label.currency} />
              </Card>
            )}
          </>
        }
      />
    </Page>
  );
}

function Parcel({ label }: { readonly label: LabelRecord }) {
  const { package: box, tracking_number, tracking_url, order_id, return_id } = label;
  const sides = box.dimensions && `${box.dimensions.length} × ${box.dimensions.width} × ${box.dimensions.height}`;
  return (
    <Card title={words.parcel}>
      <DescriptionList
        facts={[
          [words.order, <a href={to(`/orders/${order_id}`)}>{order_id}</a>],
          return_id === null ? null : [words.return_, <a href={to(`/returns/${return_id}`)}>{return_id}</a>],
          [words.carrier, label.carrier],
          [words.service, label.service],
          // Merchant users do not see the carrier account.
          label.account_id === null && !isDrawn(label) ? null : [texts.account, label.account_id ?? texts.ownAccount],
          [words.trackingNumber, tracking_number && <CopyField text={tracking_number} name={words.trackingNumber} />],
          tracking_url === null
            ? null
            : [
                texts.trackPage,
                <a href={tracking_url} target="_blank" rel="noreferrer">
                  {tracking_url}
                </a>,
              ],
          [words.weight, weight(box.weight, box.weight_unit)],
          [words.size, sides && `${sides} ${box.dimensions?.unit ?? ""}`],
          [texts.billable, label.billable_weight && `${label.billable_weight} lb`],
          [words.zone, label.zone],
          box.value === null ? null : [texts.value, money(box.value, "USD")],
          [texts.insured, box.insurance ? words.yes : words.no],
          [
            texts.cost,
            <>
              {money(label.cost, label.currency)} {label.sample && <Badge tone="warning">{texts.samplePrice}</Badge>}
            </>,
          ],
          [texts.carrierCost, money(label.carrier_cost, label.currency)],
          [words.arrives, label.delivery_day && date(label.delivery_day)],
          [texts.created, <Time at={label.created_at} />],
        ]}
      />
    </Card>
  );
}

const drawn = ["pdf", "png", "zpl"] as const;

/** Whether we draw the label ourselves, in every format. A carrier's documents come in one format. */
const isDrawn = ({ account_id, documents }: LabelRecord) =>
  account_id === null && drawn.every((format) => documents.some((document) => document.format === format));

function Documents({ label }: { readonly label: LabelRecord }) {
  const { documents, label_id } = label;
  const formats = isDrawn(label) ? drawn : [];
  const open = (format: keyof typeof types, document?: number) =>
    openDocument(`/shipping/labels/${label_id}/document`, types[format], { format, document }).catch(showRefused);
  if (label.label_url === null && documents.length === 0)
    return <Card title={texts.documents}>{texts.noDocuments}</Card>;
  return (
    <Card title={texts.documents}>
      <div class="shipping-documents row">
        {formats.map((format) => (
          <Button key={format} icon="print" title={texts.open_(format.toUpperCase())} onClick={() => open(format)} />
        ))}
        {formats.length === 0 &&
          documents.map(({ kind, format }, at) => (
            <Button
              key={`${kind} ${at}`}
              icon="print"
              title={`${texts.documentKinds[kind]} (${format.toUpperCase()})`}
              onClick={() => open(format, at)}
            />
          ))}
      </div>
    </Card>
  );
}

function Place({ address }: { readonly address: LabelRecord["to_address"] }) {
  const { name, company, street1, street2, city, state, zip, country } = address;
  const lines = [name, company, street1, street2, [city, state, zip].filter(Boolean).join(" "), country];
  return (
    <address class="shipping-place">
      {lines.filter(Boolean).map((line) => (
        <div key={line}>{line}</div>
      ))}
    </address>
  );
}
