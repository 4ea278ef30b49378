import { useState } from "preact/hooks";
import { patch, saveFile, sendCsv } from "../../api/client.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { CardHistory, RateCard } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog.tsx";
import type { FormField } from "../../components/fields.tsx";
import { chooseFile } from "../../components/file_input.tsx";
import { FormDialog } from "../../components/form.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { ActionMenu } from "../../components/menu.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { DescriptionList, Timeline } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count, money, plainMoney, share } from "../../text/format.ts";
import { shippingTexts } from "../../text/shipping.ts";
import { PriceTable } from "./price_table.tsx";
import { CardState, inEffect } from "./rate_card_list.tsx";

const texts = shippingTexts.cards;

/** One rate card: its price table, terms and history. */
export function CardScreen({ params }: ScreenProps) {
  const path = `/shipping/rate-cards/${params["id"]}`;
  const { data: card, etag, problem, loading, reload } = useQuery<RateCard>(path);
  const [refusal, setRefusal] = useState<ApiProblem | null>(null);
  const [changing, setChanging] = useState(false);
  const back = { href: to("/shipping/rate-cards"), title: texts.title };
  if (loading) return <Skeleton />;
  if (!card) {
    return (
      <Page title={texts.one} back={back}>
        {problem && <Notice problem={problem} onRetry={reload} />}
      </Page>
    );
  }
  const acts = <Acts card={card} etag={etag} onProblem={setRefusal} onChange={() => setChanging(true)} />;
  return (
    <Page
      title={card.name}
      back={back}
      badge={<CardState card={card} />}
      below={
        <>
          <code>{card.service}</code> · {inEffect(card)} · {texts.version(card.version)}
        </>
      }
      acts={acts}
    >
      {card.sample && <Notice kind="warning">{texts.sampleText}</Notice>}
      {refusal && <Notice problem={refusal} />}
      <Card title={texts.prices}>
        <p class="muted">{texts.pricesText}</p>
        <PriceTable key={card.version} card={card} etag={etag} />
      </Card>
      <Columns main={<Terms card={card} />} side={<History path={path} />} />
      {changing && <ChangeCard card={card} etag={etag} onClose={() => setChanging(false)} />}
    </Page>
  );
}

interface ActProps {
  readonly card: RateCard;
  readonly etag: string | null;
  readonly onProblem: (problem: ApiProblem | null) => void;
  readonly onChange: () => void;
}

function Acts({ card, etag, onProblem, onChange }: ActProps) {
  const { id, name, active } = card;
  const path = `/shipping/rate-cards/${id}`;
  const exportCsv = () => saveFile(`/shipping/rate-cards/${id}/export.csv`, `${card.service}.csv`).catch(showRefused);
  const turn = async (on: boolean) => {
    await patch(path, { active: on }, { match: etag });
    showSuccess(on ? texts.on(name) : texts.off(name));
  };
  const switchOff = () =>
    confirm({
      title: texts.offTitle(name),
      text: texts.offText,
      act: texts.switchOff,
      danger: true,
      run: () => turn(false),
    });
  const importCsv = () =>
    chooseFile(async (file) => {
      const run = () => sendCsv(`/shipping/rate-cards/${id}/import`, file, { match: etag });
      const [title, text] = [texts.importTitle(file.name, name), texts.importText(count(card.prices.length))];
      if (!(await confirm({ title, text, act: texts.importAct, danger: true, run }))) return;
      onProblem(null);
      showSuccess(texts.imported);
    }, onProblem);
  if (!may("shipping.manage")) return <Button icon="download" title={texts.exportCsv} onClick={exportCsv} />;
  return (
    <>
      <ActionMenu
        items={[
          { title: texts.exportCsv, icon: "download", run: exportCsv },
          { title: texts.importCsv, icon: "upload", run: importCsv },
          active
            ? { title: texts.switchOff, icon: "pause", danger: true, run: switchOff }
            : { title: texts.switchOn, icon: "play", run: () => void turn(true).catch(showRefused) },
        ]}
      />
      <Button icon="edit" title={texts.edit} onClick={onChange} />
    </>
  );
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
          [texts.cutOff, card.cut_off],
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

function History({ path }: { readonly path: string }) {
  const { data } = useQuery<readonly CardHistory[]>(`${path}/history`, { limit: 10 });
  if (data === undefined || data.length === 0) return null;
  return (
    <Card title={texts.history}>
      <Timeline
        entries={data.map(({ version, created_at, actor }) => ({
          id: String(version),
          at: created_at,
          title: texts.version(version),
          by: actor.name,
        }))}
      />
    </Card>
  );
}

const weekdays = optionsOf(texts.days);

const fields: readonly FormField[] = [
  { kind: "text", name: "name", label: texts.name, required: true },
  { kind: "text", name: "cut_off", label: texts.cutOff, help: texts.cutOffHelp, required: true, width: "half" },
  { kind: "number", name: "fuel", label: texts.fuel, unit: "%", width: "half" },
  { kind: "multi-select", name: "ship_days", label: texts.shipDays, options: weekdays },
  { kind: "switch", name: "saturday_delivery", label: texts.saturday, width: "half" },
  { kind: "switch", name: "sunday_delivery", label: texts.sunday, width: "half" },
  { kind: "money", name: "minimum", label: texts.minimum, width: "half" },
  { kind: "number", name: "divisor", label: texts.divisor, width: "half" },
];

function ChangeCard({ card, etag, onClose }: Pick<ActProps, "card" | "etag"> & { readonly onClose: () => void }) {
  const { name, cut_off, ship_days, saturday_delivery, sunday_delivery, minimum, dimensional } = card;
  const first = {
    name,
    cut_off,
    ship_days,
    saturday_delivery,
    sunday_delivery,
    fuel: String(card.fuel_basis_points / 100),
    minimum: minimum === null ? "" : plainMoney(minimum.price, card.currency),
    divisor: dimensional === null ? "" : String(dimensional.divisor),
  };
  return (
    <FormDialog
      title={`${texts.edit}: ${name}`}
      fields={fields.map((field) => (field.kind === "money" ? { ...field, currency: card.currency } : field))}
      first={first}
      submit={words.save}
      unchanged={false}
      onClose={onClose}
      onSubmit={async ({ fuel, minimum: least, divisor, ...values }, key) => {
        const cost = minimum !== null && least === first.minimum ? { cost: minimum.cost } : {};
        const body = {
          ...values,
          fuel_basis_points: Math.round(Number(fuel) * 100),
          minimum: least === "" ? null : { price: least, ...cost },
          dimensional: divisor === "" ? null : { ...dimensional, divisor: Number(divisor) },
        };
        await patch<RateCard>(`/shipping/rate-cards/${card.id}`, body, { key, match: etag });
        showSuccess(texts.saved(name));
      }}
    />
  );
}
