import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import type { ListedCard, RateCard } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import type { FormField } from "../../components/fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { ListPage } from "../../components/list_page.tsx";
import { EmptyState } from "../../components/notice.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count, dateTime, share } from "../../text/format.ts";
import { shippingTexts } from "../../text/shipping.ts";

const texts = shippingTexts.cards;

/** The period in which a card is in effect, as text. */
export function inEffect({
  effective_from,
  effective_to,
}: Pick<ListedCard, "effective_from" | "effective_to">): string {
  if (effective_from === null && effective_to === null) return texts.always;
  const until = effective_to === null ? "" : ` ${texts.until} ${dateTime(effective_to)}`;
  return `${effective_from === null ? "" : dateTime(effective_from)}${until}`.trim();
}

/** The state of a card, and whether its prices are samples. */
export function CardState({ card }: { readonly card: Pick<ListedCard, "active" | "sample"> }) {
  return (
    <>
      <Badge tone={card.active ? "good" : "neutral"}>{card.active ? texts.active : texts.inactive}</Badge>{" "}
      {card.sample && <Badge tone="warning">{texts.sample}</Badge>}
    </>
  );
}

const columns: readonly TableColumn<ListedCard>[] = [
  { id: "name", title: texts.name, wide: true, cell: ({ name }) => name },
  { id: "service", title: texts.service, cell: ({ service }) => <code>{service}</code> },
  { id: "state", title: texts.state, cell: (it) => <CardState card={it} /> },
  { id: "effect", title: texts.from, cell: inEffect },
  { id: "rows", title: texts.rows, align: "right", cell: ({ price_rows }) => count(price_rows) },
  { id: "cut_off", title: texts.cutOff, cell: ({ cut_off }) => cut_off },
  {
    id: "fuel",
    title: texts.fuel,
    align: "right",
    cell: ({ fuel_basis_points }) => share(fuel_basis_points / 10_000, 2),
  },
  { id: "updated", title: texts.updated, cell: ({ updated_at }) => <Time at={updated_at} /> },
];

/** The rate cards of the operator's own services. */
export function CardsScreen() {
  const [adding, setAdding] = useState(false);
  const add = may("shipping.manage") && (
    <Button kind="primary" icon="plus" title={texts.add} onClick={() => setAdding(true)} />
  );
  return (
    <>
      <ListPage<ListedCard>
        name={texts.title}
        title={texts.title}
        path="/shipping/rate-cards"
        filters={[
          {
            kind: "choice",
            param: "active",
            title: texts.state,
            options: [
              { value: "true", title: texts.active },
              { value: "false", title: texts.inactive },
            ],
          },
        ]}
        columns={columns}
        id={({ id }) => id}
        href={({ id }) => to(`/shipping/rate-cards/${id}`)}
        acts={add}
        empty={<EmptyState icon="card" title={texts.emptyTitle} text={texts.emptyText} act={add} />}
      />
      {adding && <AddCard onClose={() => setAdding(false)} />}
    </>
  );
}

const fields: readonly FormField[] = [
  { kind: "text", name: "name", label: texts.name, required: true, width: "half" },
  {
    kind: "text",
    name: "service",
    label: texts.service,
    help: texts.serviceHelp,
    required: true,
    width: "half",
    mono: true,
  },
  { kind: "money", name: "price", label: texts.firstPrice, help: texts.firstPriceHelp, required: true, width: "half" },
  { kind: "number", name: "days", label: texts.firstDays, required: true, width: "half" },
  { kind: "text", name: "cut_off", label: texts.cutOff, help: texts.cutOffHelp, placeholder: "16:00", width: "half" },
];

function AddCard({ onClose }: { readonly onClose: () => void }) {
  return (
    <FormDialog
      title={texts.add}
      fields={fields}
      first={{ days: "3" }}
      submit={words.create}
      onClose={onClose}
      onSubmit={async ({ name, service, price, days, cut_off }, key) => {
        const body = {
          name,
          service,
          ...(cut_off === "" ? {} : { cut_off }),
          prices: [
            { zone: "*", up_to_pounds: 1, price },
            { zone: "*", up_to_pounds: null, price },
          ],
          transit_days: [{ zone: "*", days: Number(days) }],
          // Activated by the user once its prices are entered.
          active: false,
        };
        const { data } = await post<RateCard>("/shipping/rate-cards", body, { key });
        showSuccess(texts.saved(data.name));
        navigate(to(`/shipping/rate-cards/${data.id}`));
      }}
    />
  );
}
