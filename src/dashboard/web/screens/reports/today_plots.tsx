import type { ComponentChildren } from "preact";
import { day_ms } from "../../../../core/time.ts";
import type { Params } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { isOperatorUser } from "../../api/session.ts";
import type { CarrierCostReport, OnTimeReport, OrdersReport, PickingReport } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { today } from "../../components/now.ts";
import { Card } from "../../components/page.tsx";
import { Plot } from "../../components/plot.tsx";
import { words } from "../../text/common.ts";
import { count, money, roundMoney, share, shortDate } from "../../text/format.ts";
import { todayTexts as texts } from "../../text/today.ts";
import { carrierSeries, hoursOf, ordersSeries, sumOf } from "./report_series.ts";

const days = 14;

/** The last days from today. The server counts days in the time zone of the warehouse and leaves out future ones. */
function lastDays(): Params {
  const from = new Date(Date.parse(today()) - (days - 1) * day_ms).toISOString().slice(0, 10);
  return { from };
}

interface PlotCardProps<Report> {
  readonly title: string;
  readonly params: Params;
  /** The report of the plot. */
  readonly name: string;
  readonly isEmpty: (report: Report) => boolean;
  readonly empty: string;
  readonly children: (report: Report) => ComponentChildren;
}

function PlotCard<Report>({ title, params, name, isEmpty, empty, children }: PlotCardProps<Report>) {
  const { data, problem, loading, reload } = useQuery<Report>(`/reports/${name}`, params);
  return (
    <Card
      title={title}
      acts={
        <a class="plot-link" href={to(`/reports/${name}`)} aria-label={`${texts.openReport}: ${title}`}>
          {texts.openReport}
        </a>
      }
    >
      {problem && <Notice problem={problem} onRetry={reload} />}
      <div class="plot-room">
        {loading && <Skeleton lines={6} />}
        {data && (isEmpty(data) ? <p class="today-note">{empty}</p> : children(data))}
      </div>
    </Card>
  );
}

/** Four plots of the last days, each with a link to its report. */
export function Plots() {
  const period = lastDays();
  return (
    <div class="plots">
      <PlotCard<OrdersReport>
        title={texts.plotOrders}
        params={period}
        name="orders"
        isEmpty={({ totals }) => totals.total === 0}
        empty={texts.noOrders}
      >
        {({ rows }) => (
          <Plot
            name={texts.plotOrders}
            across={words.day}
            kind="bars"
            labels={rows.map(({ from }) => shortDate(from))}
            series={ordersSeries(rows)}
            format={count}
            rest={(series) => count(sumOf(series))}
          />
        )}
      </PlotCard>
      <PlotCard<OnTimeReport>
        title={texts.plotOnTime}
        params={period}
        name="on_time"
        isEmpty={({ totals }) => totals.on_time_share === null}
        empty={texts.noOnTime}
      >
        {({ rows, totals }) => (
          <Plot
            name={texts.plotOnTime}
            across={words.day}
            kind="line"
            labels={rows.map(({ from }) => shortDate(from))}
            series={[{ name: texts.share, color: "--plot-1", values: rows.map((row) => row.on_time_share) }]}
            max={1}
            format={(value) => share(value)}
            rest={() => share(totals.on_time_share)}
          />
        )}
      </PlotCard>
      {isOperatorUser.value && <Picked period={period} />}
      {isOperatorUser.value && (
        <PlotCard<CarrierCostReport>
          title={texts.plotCost}
          params={period}
          name="carrier_cost"
          isEmpty={({ rows }) => rows.length === 0}
          empty={texts.noCosts}
        >
          {(report) => <Costs report={report} />}
        </PlotCard>
      )}
    </div>
  );
}

/** Today's picks by hour. Without any yet, those of the last day with picks. */
function Picked({ period }: { readonly period: Params }) {
  const params = { ...period, group_by: "hour" };
  return (
    <PlotCard<PickingReport>
      title={texts.plotPicked}
      params={params}
      name="units_picked"
      isEmpty={({ rows }) => rows.length === 0}
      empty={texts.noPicks}
    >
      {({ rows, to: last_day }) => {
        const picked_on = rows.at(-1)?.from ?? "";
        const { labels, values } = hoursOf(rows, picked_on);
        const name = picked_on === last_day ? texts.unitsToday : texts.unitsOn(shortDate(picked_on));
        const units = { name, color: "--plot-3", values };
        return (
          <Plot
            name={texts.plotPicked}
            across={texts.hour}
            kind="bars"
            labels={labels}
            series={[units]}
            format={count}
            rest={(series) => count(sumOf(series))}
          />
        );
      }}
    </PlotCard>
  );
}

function Costs({ report }: { readonly report: CarrierCostReport }) {
  const { labels, series, currency } = carrierSeries(report);
  return (
    <Plot
      name={texts.plotCost}
      across={words.day}
      kind="bars"
      labels={labels.map(shortDate)}
      series={series}
      format={(value) => money(value, currency)}
      scale={(value) => roundMoney(value, currency)}
      rest={(one) => money(sumOf(one), currency)}
    />
  );
}
