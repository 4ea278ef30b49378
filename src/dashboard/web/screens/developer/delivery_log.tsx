import type { Attempt, Delivery, Webhook } from "../../api/developer_types.ts";
import { type Action, ActionButton, act } from "../../components/action.tsx";
import { Badge, stateOptions } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { openDialog } from "../../components/dialog.tsx";
import { choice, List } from "../../components/list_page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { webhookTexts as texts } from "../../text/webhooks.ts";
import { AttemptDialog } from "./delivery_attempt.tsx";
import { testWebhook } from "./webhook_actions.tsx";

const resend = (webhook_id: string, delivery_id: string, event_type: string): Action => ({
  title: texts.resend,
  icon: "redo",
  permission: "webhooks.manage",
  done: texts.resent,
  ask: { title: texts.resendTitle(event_type), text: texts.resendText },
  call: { method: "POST", path: `/webhooks/${webhook_id}/deliveries/${delivery_id}/redeliver` },
});

const attemptColumns: readonly TableColumn<Attempt>[] = [
  { id: "event", title: words.event, code: "event_type", wide: true },
  { id: "status", title: words.status, cell: ({ status }) => <Badge of="attempt" state={status} /> },
  {
    id: "answer",
    title: words.response,
    cell: ({ response, error }) => (response === null ? (error?.code ?? texts.noAnswer) : response.status_code),
  },
  {
    id: "attempt",
    title: texts.attempt,
    cell: ({ attempt, max_attempts }) => texts.attemptOf(count(attempt), count(max_attempts)),
  },
  { id: "trigger", title: texts.trigger, cell: ({ trigger }) => texts.triggers[trigger] },
  { id: "took", title: words.duration, number: "duration_ms" },
  { id: "at", title: words.when, time: "started_at" },
];

/** The attempts of a webhook, with request and response. */
export function Log({ webhook }: { readonly webhook: Webhook }) {
  const show = (id: string) =>
    openDialog((close) => (
      <AttemptDialog
        webhook_id={webhook.id}
        attempt_id={id}
        onClose={close}
        onResend={({ delivery_id, event_type }) => {
          close();
          act(resend(webhook.id, delivery_id, event_type));
        }}
      />
    ));
  return (
    <List<Attempt>
      name={texts.log}
      path={`/webhooks/${webhook.id}/logs`}
      filters={[choice("status", words.status, stateOptions("attempt"))]}
      columns={attemptColumns}
      rowActs={({ id }) => (
        <Button kind="plain" icon="eye" iconOnly title={texts.showAttempt} onClick={() => show(id)} />
      )}
      empty={{
        icon: "list",
        title: texts.logEmpty,
        text: texts.logEmptyText,
        act: <ActionButton of={testWebhook(webhook)} />,
      }}
    />
  );
}

const deliveryColumns: readonly TableColumn<Delivery>[] = [
  { id: "event", title: words.event, code: "event_type", wide: true },
  { id: "status", title: words.status, cell: ({ status }) => <Badge of="delivery" state={status} /> },
  { id: "attempts", title: texts.attempts, number: "attempts" },
  { id: "next", title: texts.nextAttempt, time: "next_attempt_at" },
  { id: "sequence", title: texts.sequence, number: "sequence", extra: true },
  { id: "at", title: words.when, time: "created_at" },
];

/** The deliveries of a webhook and their state. */
export function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  return (
    <List<Delivery>
      name={texts.deliveries}
      path={`/webhooks/${webhook.id}/deliveries`}
      filters={[choice("status", words.status, stateOptions("delivery"))]}
      columns={deliveryColumns}
      rowActs={({ id, event_type }) => <ActionButton of={resend(webhook.id, id, event_type)} name={texts.resend} />}
      empty={{ icon: "list", title: texts.deliveriesEmpty, text: texts.deliveriesEmptyText }}
    />
  );
}
