import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import type { Mode } from "../../kit/mode.ts";
import { money } from "../../kit/money.ts";
import type { Site } from "../../kit/site.ts";
import { trackingPagePath } from "../../orders/shipments/tracking_page.ts";
import type { Drawing } from "../../typesetting/drawings/drawing.ts";
import { type Address, addressView } from "../address.ts";
import type { Package } from "../parcel.ts";
import { listedDocuments, type StoredDocument } from "./documents/document.ts";
import { documentLinks, type LinkSigner, link_lifetime_ms } from "./documents/links.ts";
import type { LabelWarning } from "./face.ts";
import type { LabelStatus } from "./status.ts";

/** A label and what it cost. Until it is bought, it has neither a `drawing` of ours nor a document of its carrier. */
export interface Label {
  readonly id: number;
  readonly shipment_id: number;
  readonly order_id: number;
  readonly status: LabelStatus;
  readonly carrier: string;
  readonly service: string;
  readonly tracking_number: string | null;
  readonly cost_cents: number;
  readonly currency: string;
  readonly package: Package;
  readonly from_address: Address;
  readonly to_address: Address;
  readonly drawing: Drawing | null;
  readonly documents: readonly StoredDocument[];
  readonly warnings: readonly LabelWarning[];
  /** Equal for equal purchases. */
  readonly fingerprint: string;
  readonly created_at: number;
  readonly voided_at: number | null;
}

/** What the links of a label need: where the service is reached, who signs, whose data it is, and what time it is. */
export interface LinkContext {
  readonly origin: string;
  readonly site: Site;
  readonly signer: LinkSigner;
  readonly mode: Mode;
  readonly now: number;
}

/** The label as the API shows it, with links to its documents that need no key. */
export function labelView(label: Label, { origin, site, signer, mode, now }: LinkContext) {
  const expires = Math.floor((now + link_lifetime_ms) / 1000);
  const page = origin + trackingPagePath(site, { mode, shipment_id: label.shipment_id });
  const linkTo = documentLinks(origin, { label_id: label.id, mode, expires }, signer);
  const documents = listedDocuments(label).map(({ kind, ...wish }) => ({
    kind,
    format: wish.format,
    url: linkTo(wish),
  }));
  return {
    label_id: wireId("label", label.id),
    shipment_id: wireId("shipment", label.shipment_id),
    order_id: wireId("order", label.order_id),
    status: label.status,
    carrier: label.carrier,
    service: label.service,
    tracking_number: label.tracking_number,
    tracking_url: label.tracking_number === null ? null : page,
    cost: money(label.cost_cents),
    currency: label.currency,
    label_url: documents.find(({ kind }) => kind === "label")?.url ?? null,
    documents,
    package: packageView(label.package),
    from_address: addressView(label.from_address),
    to_address: addressView(label.to_address),
    warnings: label.warnings,
    created_at: iso(label.created_at),
    voided_at: isoOrNull(label.voided_at),
  };
}

function packageView({ weight, ...same }: Package) {
  return { weight: Number(weight), ...same };
}
