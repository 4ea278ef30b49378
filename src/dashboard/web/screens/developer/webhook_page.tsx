import type { Webhook } from "../../api/developer_types.ts";
import { may } from "../../api/session.ts";
import { Badge } from "../../components/badge.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { DescriptionList, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { titles } from "../../text/navigation.ts";
import { webhookTexts as texts } from "../../text/webhooks.ts";
import { Deliveries, Log } from "./delivery_log.tsx";
import { eventTypes } from "./event_types.ts";
import { RecoveryProgress, WebhookActs } from "./webhook_actions.tsx";
import { Notices } from "./webhook_list.tsx";

/** One webhook: its state, log, deliveries and actions. */
export const WebhookScreen = recordScreen("/webhooks/:id", WebhookPage);

function WebhookPage({ record: webhook, etag, back }: RecordProps<Webhook>) {
  return (
    <Page
      title={new URL(webhook.url).host}
      back={back}
      badge={<Badge state={webhook.status} />}
      owned={webhook}
      below={<code class="cut">{webhook.url}</code>}
      acts={may("webhooks.manage") && <WebhookActs webhook={webhook} etag={etag} />}
    >
      <Notices of={webhook.id} />
      <RecoveryProgress webhook={webhook} />
      <Tabs
        name={titles.webhook}
        tabs={[
          { id: "log", title: texts.log, content: () => <Log webhook={webhook} /> },
          { id: "deliveries", title: texts.deliveries, content: () => <Deliveries webhook={webhook} /> },
          { id: "details", title: words.details, content: () => <Details webhook={webhook} /> },
        ]}
      />
    </Page>
  );
}

function Details({ webhook }: { readonly webhook: Webhook }) {
  const { circuit, backlog, disabled_reason, rate_limit_per_second, version, payload } = webhook;
  return (
    <Columns
      main={
        <Card title={texts.health}>
          {disabled_reason && <Notice kind="problem">{texts.disabledReasons[disabled_reason]}</Notice>}
          <DescriptionList
            facts={[
              [
                texts.circuit,
                circuit.state === "open" ? (
                  <>
                    {texts.circuitOpen} <Time at={circuit.next_probe_at} />
                  </>
                ) : (
                  texts.circuitClosed
                ),
              ],
              [texts.failures, count(webhook.consecutive_failures)],
              webhook.failing_since === null ? null : [texts.failingSince, <Time at={webhook.failing_since} exact />],
              webhook.paused_until === null ? null : [texts.pausedUntil, <Time at={webhook.paused_until} exact />],
              [texts.skipped, count(backlog.skipped)],
            ]}
          />
        </Card>
      }
      side={
        <Card title={words.details}>
          <DescriptionList
            facts={[
              [texts.description, webhook.description],
              [texts.events, texts.eventsOf(webhook.events.length, eventTypes.length)],
              [texts.chosen, <code class="lines">{webhook.events.join("\n")}</code>],
              [texts.version, texts.versions[version]],
              version === "v2" ? [texts.payload, texts.payloads[payload]] : null,
              [texts.retries, count(webhook.retry_limit)],
              rate_limit_per_second === null ? null : [texts.rate, count(rate_limit_per_second)],
              webhook.previous_secret_expires_at === null
                ? null
                : [texts.oldSecret, <Time at={webhook.previous_secret_expires_at} exact />],
              [words.created, <Time at={webhook.created_at} />],
            ]}
          />
        </Card>
      }
    />
  );
}
