import { saveFile, sendCsv } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { CardHistory, RateCard } from "../../api/types.ts";
import { type Action, Actions, act } from "../../components/action.tsx";
import type { FormField } from "../../components/fields.tsx";
import { chooseFile } from "../../components/file_input.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { Notice } from "../../components/notice.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import { DescriptionList, Timeline } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count, money, plainMoney, share } from "../../text/format.ts";
import { shippingTexts } from "../../text/shipping.ts";
import { PriceTable } from "./price_table.tsx";
import { CardState, inEffect } from "./rate_card_list.tsx";

const texts = shippingTexts.cards;

/** One rate card: its price table, terms and history. */
export const CardScreen = recordScreen("/shipping/rate_cards/:id", CardPage);

function CardPage({ record: card, etag, back }: RecordProps<RateCard>) {
  return (
    <Page
      title={card.name}
      back={back}
      badge={<CardState card={card} />}
      below={
        <>
          <code>{card.service}</code> · {inEffect(card)} · {texts.revision(card.revision)}
        </>
      }
      acts={<Acts card={card} etag={etag} />}
    >
      {card.sample && <Notice kind="warning">{texts.sampleText}</Notice>}
      <Card title={texts.prices}>
        <p class="muted">{texts.pricesText}</p>
        <PriceTable key={card.revision} card={card} etag={etag} />
      </Card>
      <Columns main={<Terms card={card} />} side={<History id={card.id} />} />
    </Page>
  );
}

function Acts({ card, etag }: { readonly card: RateCard; readonly etag: string | null }) {
  const { id, name, active, service, prices } = card;
  const manage = { permission: "shipping.manage", match: etag } as const;
  const turn = (on: boolean): Pick<Action, "permission" | "match" | "when" | "call"> => ({
    ...manage,
    when: active !== on,
    call: { method: "PATCH", path: `/shipping/rate_cards/${id}`, body: { active: on } },
  });
  const actions: readonly Action[] = [
    { ...changeCard(card), ...manage, button: true },
    {
      title: texts.exportCsv,
      icon: "download",
      button: !may("shipping.manage"),
      run: () => saveFile(`/shipping/rate_cards/${id}/export.csv`, `${service}.csv`),
    },
    {
      title: texts.importCsv,
      icon: "upload",
      ...manage,
      run: () =>
        chooseFile((file) =>
          act({
            title: texts.importAct,
            danger: true,
            done: texts.imported,
            ask: { title: texts.importTitle(file.name, name), text: texts.importText(count(prices.length)) },
            run: () => sendCsv(`/shipping/rate_cards/${id}/import`, file, { match: etag }),
          }),
        ),
    },
    {
      title: texts.switchOff,
      icon: "pause",
      danger: true,
      ...turn(false),
      done: texts.off(name),
      ask: { title: texts.offTitle(name), text: texts.offText },
    },
    { title: texts.switchOn, icon: "play", ...turn(true), done: texts.on(name) },
  ];
  return <Actions of={actions} />;
}

function Terms({ card }: { readonly card: RateCard }) {
  const { surcharges, dimensional, minimum, currency } = card;
  const charged = (Object.keys(texts.surchargeNames) as (keyof typeof texts.surchargeNames)[]).flatMap((name) => {
    const surcharge = surcharges[name];
    return surcharge === null ? [] : `${texts.surchargeNames[name]} ${money(surcharge.price, currency)}`;
  });
  const days = card.transit_days.map(({ zone, days: number }) => `${texts.transitZone(zone)}: ${number}`);
  return (
    <Card title={texts.terms}>
      <DescriptionList
        facts={[
          [texts.cutOff, card.cutoff_time],
          [texts.shipDays, card.ship_days.map((day) => texts.days[day]).join(", ")],
          [texts.transit, days.join(", ")],
          [texts.saturday, card.saturday_delivery ? words.yes : words.no],
          [texts.sunday, card.sunday_delivery ? words.yes : words.no],
          [texts.fuel, share(card.fuel_basis_points / 10_000, 2)],
          [texts.minimum, money(minimum?.price, currency)],
          [texts.divisor, dimensional?.divisor],
          [texts.surcharges, charged.join(", ")],
          [texts.currency, currency],
        ]}
      />
    </Card>
  );
}

function History({ id }: { readonly id: string }) {
  const { data } = useQuery<readonly CardHistory[]>(`/shipping/rate_cards/${id}/history`, { limit: 10 });
  if (data === undefined || data.length === 0) return null;
  return (
    <Card title={words.history}>
      <Timeline
        entries={data.map(({ revision, created_at, actor }) => ({
          id: String(revision),
          at: created_at,
          title: texts.revision(revision),
          by: actor.name,
        }))}
      />
    </Card>
  );
}

const weekdays = optionsOf(texts.days);

const fields: readonly FormField[] = [
  { kind: "text", name: "name", label: words.name, required: true },
  { kind: "text", name: "cutoff_time", label: texts.cutOff, help: texts.cutOffHelp, required: true, width: "half" },
  { kind: "number", name: "fuel", label: texts.fuel, unit: "%", width: "half" },
  { kind: "multi-select", name: "ship_days", label: texts.shipDays, options: weekdays },
  { kind: "switch", name: "saturday_delivery", label: texts.saturday, width: "half" },
  { kind: "switch", name: "sunday_delivery", label: texts.sunday, width: "half" },
  { kind: "money", name: "minimum", label: texts.minimum, width: "half" },
  { kind: "number", name: "divisor", label: texts.divisor, width: "half" },
];

function changeCard(card: RateCard): Action {
  const { name, cutoff_time, ship_days, saturday_delivery, sunday_delivery, minimum, dimensional } = card;
  const first = {
    name,
    cutoff_time,
    ship_days,
    saturday_delivery,
    sunday_delivery,
    fuel: String(card.fuel_basis_points / 100),
    minimum: minimum === null ? "" : plainMoney(minimum.price, card.currency),
    divisor: dimensional === null ? "" : String(dimensional.divisor),
  };
  return {
    title: words.edit,
    icon: "edit",
    done: texts.saved(name),
    ask: {
      title: `${words.edit}: ${name}`,
      fields: fields.map((field) => (field.kind === "money" ? { ...field, currency: card.currency } : field)),
      first,
      edits: true,
    },
    call: ({ fuel, minimum: least, divisor, ...values }) => {
      const cost = minimum !== null && least === first.minimum ? { cost: minimum.cost } : {};
      const body = {
        ...values,
        fuel_basis_points: Math.round(Number(fuel) * 100),
        minimum: least === "" ? null : { price: least, ...cost },
        dimensional: divisor === "" ? null : { ...dimensional, divisor: Number(divisor) },
      };
      return { method: "PATCH", path: `/shipping/rate_cards/${card.id}`, body };
    },
  };
}
