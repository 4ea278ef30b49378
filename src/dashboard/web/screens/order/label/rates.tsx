import type { Rate, Rates } from "../../../api/types.ts";
import { Badge } from "../../../kit/badge.tsx";
import { Notice } from "../../../kit/notice.tsx";
import { count, date, money } from "../../../texts/format.ts";
import { labelTexts as texts } from "../../../texts/order.ts";
import { SampleNotice } from "../../order_parts/label_notices.tsx";
import { rateKey } from "../../order_parts/rates.ts";

interface Props {
  readonly rates: Rates | null;
  readonly asking: boolean;
  readonly chosen: string | null;
  readonly onChoose: (key: string) => void;
}

/** A table of rates, cheapest first. The cheapest and the fastest are marked. */
export function RateTable({ rates, asking, chosen, onChoose }: Props) {
  const all = rates?.rates ?? [];
  const fastest = Math.min(...all.map(({ delivery_days }) => delivery_days ?? Number.POSITIVE_INFINITY));
  // The notice about samples says more than the message.
  const told = (rates?.messages ?? []).filter(({ code }) => code !== "sample_rates");
  return (
    <section class={asking ? "rates stale" : "rates"} aria-busy={asking} aria-label={texts.rates} aria-live="polite">
      {rates === null && asking && <p class="muted">{texts.asking}</p>}
      {rates !== null && all.length === 0 && <Notice kind="warning">{texts.noRates}</Notice>}
      <SampleNotice of={all} />
      {all.length > 0 && (
        <div class="table-box">
          <table class="table rate-table">
            <thead>
              <tr>
                <th scope="col">
                  <span class="unseen">{texts.choose}</span>
                </th>
                <th scope="col">{texts.carrier}</th>
                <th scope="col">{texts.service}</th>
                <th scope="col" class="right">
                  {texts.price}
                </th>
                <th scope="col" class="right">
                  {texts.days}
                </th>
                <th scope="col">{texts.arrives}</th>
                <th scope="col">{texts.account}</th>
              </tr>
            </thead>
            <tbody>
              {all.map((rate, at) => (
                <RateRow
                  key={rateKey(rate)}
                  rate={rate}
                  at={at}
                  fastest={rate.delivery_days === fastest}
                  chosen={rateKey(rate) === chosen}
                  onChoose={() => onChoose(rateKey(rate))}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {told.length > 0 && (
        <ul class="rate-messages">
          {told.map(({ carrier, service, code, message }) => (
            <li key={`${carrier} ${service} ${code}`} class="muted">
              {carrier} {service}: {message}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface RowProps {
  readonly rate: Rate;
  readonly at: number;
  readonly fastest: boolean;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}

function RateRow({ rate, at, fastest, chosen, onChoose }: RowProps) {
  const price = money(rate.rate, rate.currency);
  return (
    <tr class={chosen ? "linked chosen" : "linked"} onClick={onChoose}>
      <td class="select">
        <input
          type="radio"
          name="rate"
          checked={chosen}
          onChange={onChoose}
          aria-label={`${rate.carrier_name} ${rate.service_name} ${price}`}
        />
      </td>
      <td data-label={texts.carrier}>{rate.carrier_name}</td>
      <td data-label={texts.service}>
        <span class="rate-service">
          <span>{rate.service_name}</span>
          {at === 0 && <Badge tone="good">{texts.cheapest}</Badge>}
          {fastest && <Badge tone="info">{texts.fastest}</Badge>}
          {rate.sample && <Badge tone="warning">{texts.sample}</Badge>}
        </span>
      </td>
      <td class="right" data-label={texts.price}>
        <b>{price}</b>
      </td>
      <td class="right" data-label={texts.days}>
        {count(rate.delivery_days)}
      </td>
      <td data-label={texts.arrives}>{date(rate.delivery_day)}</td>
      <td data-label={texts.account}>
        <span class="muted">{rate.account_id ?? texts.own}</span>
      </td>
    </tr>
  );
}
