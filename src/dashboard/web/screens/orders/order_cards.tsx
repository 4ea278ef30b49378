import type { Order } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Card } from "../../components/page.tsx";
import { DescriptionList, type DescriptionRow, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { countryName } from "../../text/countries_and_units.ts";
import { money } from "../../text/format.ts";
import { orderTexts as texts } from "../../text/order.ts";
import { stateWords } from "../../text/states.ts";
import { mayAct } from "./order_actions.tsx";

type EnvelopeAddress = Pick<
  Order["shipping_address"],
  "address_line1" | "address_line2" | "city" | "state" | "postal_code" | "country"
>;

/** A postal address on several lines. */
export function Envelope({ place }: { readonly place: EnvelopeAddress }) {
  const { address_line1, address_line2, city, state, postal_code, country } = place;
  return (
    <>
      {[address_line1, address_line2, [city, state, postal_code].filter(Boolean).join(" "), countryName(country)]
        .filter(Boolean)
        .map((line) => (
          <div key={line}>{line}</div>
        ))}
    </>
  );
}

/** The shipping address, its check and the suggested address. */
export function AddressCard({ order, etag }: { readonly order: Order; readonly etag: string | null }) {
  const { shipping_address: address, customer } = order;
  const check = address.verification;
  const changeable = ["pending", "processing", "on_hold"].includes(order.status) && mayAct("hold");
  const accept: Action = {
    title: texts.accept,
    icon: "check",
    when: changeable,
    ask: {
      title: texts.acceptTitle,
      text: (
        <>
          <p>{texts.acceptText}</p>
          {check?.suggestion && <Envelope place={check.suggestion} />}
        </>
      ),
    },
    call: { method: "POST", path: `/orders/${order.id}/accept_suggestion` },
    match: etag,
    done: texts.done["address"] ?? "",
  };
  return (
    <Card
      title={order.fulfillment_type === "pickup" ? texts.buyerAddress : texts.address}
      acts={
        <Badge tone={address.is_verified ? "good" : check?.status === "error" ? "bad" : "warning"}>
          {address.is_verified ? texts.verified : texts.unverified}
        </Badge>
      }
    >
      <address>
        {address.name && <b>{address.name}</b>}
        {address.company && <div>{address.company}</div>}
        <Envelope place={address} />
        {address.phone && <div class="muted">{address.phone}</div>}
      </address>
      {order.warnings && <div class="address-check bad">{texts.nameless}</div>}
      {check && [...check.errors, ...check.warnings].length > 0 && (
        <div class={check.errors.length > 0 ? "address-check bad" : "address-check"}>
          <p>{check.errors.length > 0 ? texts.addressWrong : texts.addressDoubt}</p>
          <ul>
            {[...check.errors, ...check.warnings].map(({ field, message }) => (
              <li key={`${field} ${message}`}>
                {stateWords(field)}: {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {check?.suggestion && !address.is_verified && (
        <div class="suggestion">
          <small>{texts.suggestion}</small>
          <Envelope place={check.suggestion} />
          <ActionButton of={accept} />
        </div>
      )}
      <p class="order-customer">
        <small class="muted">{words.customer}</small>
        <a href={to(`/customers/${customer.id}`)}>{customer.name}</a>
        <a href={`mailto:${encodeURIComponent(customer.email)}`} class="muted">
          {customer.email}
        </a>
      </p>
    </Card>
  );
}

/** The details of an order. */
export function DetailsCard({ order }: { readonly order: Order }) {
  const facts: DescriptionRow[] = [
    [texts.packingNote, order.packing_note],
    [texts.notes, order.order_notes],
    order.fulfillment_type === "pickup" ? [texts.pickup, words.yes] : null,
    order.requires_cold_storage ? [texts.cold, words.yes] : null,
    order.priority === 0 ? null : [words.priority, String(order.priority)],
    order.allow_backorder ? null : [texts.backorders, words.no],
    order.warehouse_id === null ? null : [words.warehouse, <code>{order.warehouse_id}</code>],
    order.source.platform === "api" ? null : [words.source, stateWords(order.source.platform)],
    order.source.external_id === null ? null : [texts.externalId, <code>{order.source.external_id}</code>],
    [texts.created, <Time at={order.created_at} exact />],
    [words.updated, <Time at={order.updated_at} />],
  ];
  return (
    <Card title={words.details}>
      <DescriptionList facts={facts} />
    </Card>
  );
}

/** The amounts of an order. */
export function MoneyCard({ order }: { readonly order: Order }) {
  const { subtotal, shipping_amount, currency } = order;
  return (
    <Card title={texts.money}>
      <dl class="sums">
        <dt>{words.items}</dt>
        <dd>{money(subtotal, currency)}</dd>
        <dt>{words.shipping}</dt>
        <dd>{money(shipping_amount, currency)}</dd>
        <dt>{words.total}</dt>
        <dd>
          <b>{money(subtotal + shipping_amount, currency)}</b>
        </dd>
      </dl>
    </Card>
  );
}

/** The metadata of an order. */
export function MetadataCard({ order }: { readonly order: Order }) {
  const entries = Object.entries(order.metadata as Record<string, unknown>);
  if (entries.length === 0) return null;
  return (
    <Card title={texts.metadata}>
      <DescriptionList
        facts={entries.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])}
      />
    </Card>
  );
}
