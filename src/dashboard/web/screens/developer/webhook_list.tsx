import type { MadeWebhook, Notice as OperatorNotice, Webhook } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { navigate, to } from "../../browser/router.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { openDialog, SecretDialog } from "../../components/dialog.tsx";
import { ListPage } from "../../components/list_page.tsx";
import { merchantChoice, merchantIn } from "../../components/merchant_field.tsx";
import { Notice } from "../../components/notice.tsx";
import { RecordName } from "../../components/record_name.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { titles } from "../../text/navigation.ts";
import { webhookTexts as texts } from "../../text/webhooks.ts";
import { eventTypes } from "./event_types.ts";
import { webhookFields } from "./webhook_fields.tsx";

const columns: readonly TableColumn<Webhook>[] = [
  { id: "url", title: texts.url, cell: ({ url }) => <code class="cut">{url}</code>, wide: true },
  { id: "status", title: words.status, cell: ({ status }) => <Badge state={status} /> },
  { id: "description", title: texts.description, text: "description" },
  { id: "events", title: texts.events, cell: ({ events }) => texts.eventsOf(events.length, eventTypes.length) },
  { id: "failures", title: texts.failures, number: "consecutive_failures" },
  { id: "created", title: words.created, time: "created_at", extra: true },
];

/** All webhooks, with notices about them. */
export function WebhooksScreen() {
  return (
    <ListPage<Webhook>
      title={titles.webhooks}
      path="/webhooks"
      above={<Notices />}
      columns={columns}
      href={({ id }) => to(`/settings/webhooks/${id}`)}
      create={addWebhook()}
      empty={{ icon: "webhook", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

const addWebhook = (): Action => ({
  title: texts.add,
  permission: "webhooks.manage",
  ask: {
    title: texts.add,
    submit: words.create,
    wide: true,
    fields: [...merchantChoice({ or_operator: true }), ...webhookFields(true)],
  },
  call: (values, body) => ({ method: "POST", path: "/webhooks", body, merchant: merchantIn(values) }),
  after: ({ id, secret }: MadeWebhook) =>
    openDialog((close) => {
      const onDone = () => {
        close();
        navigate(to(`/settings/webhooks/${id}`));
      };
      return <NewSecret secret={secret} onDone={onDone} />;
    }),
});

/** Shows a signing secret, which cannot be shown again. */
export function NewSecret({ secret, onDone }: { readonly secret: string; readonly onDone: () => void }) {
  return <SecretDialog title={texts.secretTitle} secret={secret} text={texts.secretText} onDone={onDone} />;
}

/** The unacknowledged notices of one webhook, or of all. */
export function Notices({ of }: { readonly of?: string }) {
  const { data = [] } = useQuery<readonly OperatorNotice[]>("/notices", { acknowledged: false, limit: 20 });
  const shown = data.filter(({ subscription_id }) => of === undefined || subscription_id === of);
  const acknowledge = (id: string): Action => ({
    title: texts.seen,
    permission: "webhooks.manage",
    call: { method: "POST", path: `/notices/${id}/acknowledge` },
  });
  return (
    <>
      {shown.map(({ id, message, created_at, subscription_id }) => (
        <Notice key={id} kind="warning">
          <p>
            {message} <Time at={created_at} />
          </p>
          <p class="row">
            {of === undefined && subscription_id !== null && <RecordName id={subscription_id} />}
            {subscription_id === null && <a href={to("/settings/backups")}>{titles.backups}</a>}
            <ActionButton of={acknowledge(id)} />
          </p>
        </Notice>
      ))}
    </>
  );
}
