import type { ListedCard, RateCard } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import type { Action } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import type { FormField } from "../../components/fields.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { choice, ListPage } from "../../components/list_page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { dateTime, share } from "../../text/format.ts";
import { shippingTexts } from "../../text/shipping.ts";

const texts = shippingTexts.cards;

/** The period in which a card is in effect, as text. */
export function inEffect({
  effective_from,
  effective_to,
}: Pick<ListedCard, "effective_from" | "effective_to">): string {
  if (effective_from === null && effective_to === null) return texts.always;
  const until = effective_to === null ? "" : ` ${words.until} ${dateTime(effective_to)}`;
  return `${effective_from === null ? "" : dateTime(effective_from)}${until}`.trim();
}

/** The state of a card, and whether its prices are samples. */
export function CardState({ card }: { readonly card: Pick<ListedCard, "active" | "sample"> }) {
  return (
    <>
      <Badge tone={card.active ? "good" : "neutral"}>{card.active ? texts.active : texts.inactive}</Badge>{" "}
      {card.sample && <Badge tone="warning">{words.sample}</Badge>}
    </>
  );
}

const columns: readonly TableColumn<ListedCard>[] = [
  { id: "name", title: words.name, text: "name", wide: true },
  { id: "service", title: words.service, code: "service" },
  { id: "state", title: words.status, cell: (it) => <CardState card={it} /> },
  { id: "effect", title: texts.from, cell: inEffect },
  { id: "rows", title: texts.rows, number: "price_rows", extra: true },
  { id: "cutoff_time", title: texts.cutOffShort, text: "cutoff_time" },
  {
    id: "fuel",
    title: texts.fuel,
    align: "right",
    cell: ({ fuel_basis_points }) => share(fuel_basis_points / 10_000, 2),
  },
  { id: "updated", title: words.updated, time: "updated_at" },
];

/** The rate cards of the operator's own services. */
export function CardsScreen() {
  return (
    <ListPage<ListedCard>
      title={texts.title}
      path="/shipping/rate_cards"
      filters={[choice("active", words.status, optionsOf({ true: texts.active, false: texts.inactive }))]}
      columns={columns}
      href={({ id }) => to(`/shipping/rate_cards/${id}`)}
      create={addCard}
      empty={{ icon: "card", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

const fields: readonly FormField[] = [
  { kind: "text", name: "name", label: words.name, required: true, width: "half" },
  {
    kind: "text",
    name: "service",
    label: words.service,
    help: texts.serviceHelp,
    required: true,
    width: "half",
    mono: true,
  },
  { kind: "money", name: "price", label: texts.firstPrice, help: texts.firstPriceHelp, required: true, width: "half" },
  { kind: "number", name: "days", label: texts.firstDays, required: true, width: "half" },
  {
    kind: "text",
    name: "cutoff_time",
    label: texts.cutOff,
    help: texts.cutOffHelp,
    placeholder: "16:00",
    width: "half",
  },
];

const addCard: Action = {
  title: texts.add,
  permission: "shipping.manage",
  ask: { title: texts.add, submit: words.create, fields, first: { days: "3" } },
  call: ({ name, service, price, days, cutoff_time }) => ({
    method: "POST",
    path: "/shipping/rate_cards",
    body: {
      name,
      service,
      ...(cutoff_time === "" ? {} : { cutoff_time }),
      prices: [
        { zone: "*", up_to_pounds: 1, price },
        { zone: "*", up_to_pounds: null, price },
      ],
      transit_days: [{ zone: "*", days: Number(days) }],
      // Activated by the user once its prices are entered.
      active: false,
    },
  }),
  done: ({ name }: RateCard) => texts.saved(name),
  after: ({ id }: RateCard) => navigate(to(`/shipping/rate_cards/${id}`)),
};
