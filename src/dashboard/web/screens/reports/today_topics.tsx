import type { ComponentChildren } from "preact";
import { isOperatorUser } from "../../api/session.ts";
import type { Overview, Topic } from "../../api/types.ts";
import { MerchantMark } from "../../components/badge.tsx";
import { Icon, type IconName } from "../../components/icon.tsx";
import { now } from "../../components/now.ts";
import { Card } from "../../components/page.tsx";
import { ago, count, date, dateWithin } from "../../text/format.ts";
import { todayTexts as texts } from "../../text/today.ts";
import { ExceptionsLink } from "./exceptions.tsx";
import { listOf, sampleOf } from "./today_departures.tsx";

const icons: Readonly<Record<string, IconName>> = {
  hold: "pause",
  backorder: "boxes",
  putback: "return",
  failed_label: "truck",
  failed_import: "download",
  failed_report: "upload",
  failing_webhook: "webhook",
  count_difference: "clipboard",
};

type TopicSample = Topic["samples"][number];

function titleOf({ kind, reason }: Topic): string {
  if (reason === null) return texts.kinds[kind];
  return `${texts.kinds[kind]}: ${texts.holdReasons[reason as keyof typeof texts.holdReasons] ?? reason}`;
}

/** The suggested action for a topic, for operator or merchant users. */
function todoOf({ kind, reason }: Topic): string {
  const own: Partial<Record<string, string>> = isOperatorUser.value ? {} : texts.todoOfMerchants;
  const of_hold: Partial<Record<string, string>> = isOperatorUser.value ? texts.todoOfHolds : {};
  return of_hold[reason ?? ""] ?? own[kind] ?? texts.todo[kind as keyof typeof texts.todo];
}

/** The topics that need attention. */
export function WaitingCard({ topics }: { readonly topics: readonly Topic[] }) {
  return (
    <Card title={texts.waiting} acts={<ExceptionsLink />}>
      {topics.length === 0 && (
        <p class="today-quiet">
          <Icon name="done" size={18} />
          {texts.nothingWaits}
        </p>
      )}
      <ul class="topics">
        {topics.map((topic) => (
          <li key={`${topic.kind} ${topic.reason}`}>
            <span class={`topic-icon ${topic.kind.startsWith("fail") ? "bad" : ""}`}>
              <Icon name={icons[topic.kind] ?? "info"} />
            </span>
            <div class="topic-text">
              <p class="topic-head">
                <a href={listOf(topic.target)}>{titleOf(topic)}</a>
                <span class="count">{count(topic.count)}</span>
                {topic.oldest_at && <small>{texts.since(ago(topic.oldest_at, now.value))}</small>}
              </p>
              <p class="topic-todo">{todoOf(topic)}</p>
              <Samples topic={topic} note={noteOf} />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The note next to a topic's sample. */
function noteOf({ kind }: Topic, { quantity }: TopicSample): string | null {
  if (quantity === null) return null;
  return kind === "count_difference" ? texts.lines(quantity) : texts.units(quantity);
}

// Several merchants may have one SKU.
const keyOf = ({ id, name, merchant_id }: TopicSample) => `${id} ${name} ${merchant_id}`;

/** The merchant of a sample. Renders nothing for the operator's own records. */
function Owner({ of }: { readonly of: TopicSample }) {
  return <MerchantMark of={of.merchant_id ?? undefined} />;
}

interface SamplesProps {
  readonly topic: Topic;
  readonly note: (topic: Topic, sample: TopicSample) => string | null;
}

/** The first samples of a topic as links, and the number of others. */
function Samples({ topic, note }: SamplesProps) {
  const { kind, samples, count: all } = topic;
  return (
    <ul class="samples">
      {samples.map((sample) => {
        const more = note(topic, sample);
        return (
          <li key={keyOf(sample)}>
            <a href={sampleOf(kind, sample)}>{sample.name === "" ? sample.id : sample.name}</a>
            <Owner of={sample} />
            {more && <small> {more}</small>}
          </li>
        );
      })}
      {all > samples.length && (
        <li>
          <a class="muted" href={listOf(topic.target)}>
            {texts.more(all - samples.length)}
          </a>
        </li>
      )}
    </ul>
  );
}

/** Expected receipts, expiring lots and low stock. */
export function SideTopics({ overview }: { readonly overview: Overview }) {
  const { receipts_late, receipts_today, expiring_lots, low_stock } = overview;
  const hasReceipts = receipts_late.count + receipts_today.count > 0;
  return (
    <div class="today-columns">
      <Card title={texts.receipts}>
        {!hasReceipts && <p class="today-note">{texts.noReceipts}</p>}
        {[receipts_late, receipts_today].map(
          (topic) =>
            topic.count > 0 && (
              <Rows key={topic.kind} topic={topic} heading={texts.kinds[topic.kind]} tone={topic === receipts_late}>
                {({ at, quantity }) =>
                  [
                    texts.units(quantity ?? 0),
                    at === null ? "" : texts.expected(dateWithin(at) === null ? ago(at, now.value) : date(at)),
                  ].join(" · ")
                }
              </Rows>
            ),
        )}
      </Card>
      <Card title={texts.expiring}>
        {expiring_lots.count === 0 && <p class="today-note">{texts.noExpiring}</p>}
        {expiring_lots.count > 0 && (
          <Rows topic={expiring_lots}>
            {({ parent, at, quantity }) => `${parent} · ${texts.units(quantity ?? 0)} · ${texts.expires(date(at))}`}
          </Rows>
        )}
      </Card>
      <Card title={texts.low}>
        {low_stock.count === 0 && <p class="today-note">{texts.noLow}</p>}
        {low_stock.count > 0 && (
          <Rows topic={low_stock}>{({ quantity, threshold }) => texts.availableOf(quantity ?? 0, threshold ?? 0)}</Rows>
        )}
      </Card>
    </div>
  );
}

interface RowsProps {
  readonly topic: Topic;
  readonly heading?: string;
  /** Whether it is overdue. */
  readonly tone?: boolean;
  readonly children: (sample: TopicSample) => ComponentChildren;
}

function Rows({ topic, heading, tone = false, children }: RowsProps) {
  const { kind, samples, count: all, target } = topic;
  return (
    <>
      {heading && <h3 class={tone ? "rows-head bad" : "rows-head"}>{heading}</h3>}
      <ul class="rows">
        {samples.map((sample) => (
          <li key={keyOf(sample)}>
            <a href={sampleOf(kind, sample)}>{sample.name === "" ? sample.id : sample.name}</a>
            <Owner of={sample} />
            <small>{children(sample)}</small>
          </li>
        ))}
      </ul>
      {all > samples.length && (
        <a class="rows-all" href={listOf(target)}>
          {texts.all(all)}
        </a>
      )}
    </>
  );
}
