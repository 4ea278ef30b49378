import { useEffect, useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import type { Recovery, TestResult, Webhook } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { navigate, query, setQuery, to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog, openDialog } from "../../components/dialog.tsx";
import type { FormField } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { Notice } from "../../components/notice.tsx";
import { today } from "../../components/now.ts";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { webhookTexts as texts } from "../../text/webhooks.ts";
import { TestExchange } from "./delivery_attempt.tsx";
import { eventTypes } from "./event_types.ts";
import { webhookFields } from "./webhook_fields.tsx";
import { NewSecret } from "./webhook_list.tsx";

const fields: readonly FormField[] = [
  { kind: "date", name: "created_after", label: words.since, required: true, width: "half" },
  { kind: "multi-select", name: "statuses", label: texts.which, required: true, options: optionsOf(texts.statuses) },
];

/** Asks which missed deliveries to recover. */
const recover = ({ id }: Webhook): Action => ({
  title: texts.recover,
  icon: "redo",
  ask: {
    title: texts.recoverTitle,
    text: texts.recoverText,
    fields,
    first: { created_after: today(), statuses: ["exhausted", "skipped"] },
  },
  call: { method: "POST", path: `/webhooks/${id}/recoveries` },
  after: (recovery: Recovery) => setQuery({ recovery: recovery.id }),
});

const look_ms = 1000;

/** The progress of the recovery in the address. */
export function RecoveryProgress({ webhook }: { readonly webhook: Webhook }) {
  const id = query.value.get("recovery");
  const {
    data: job,
    problem,
    reload,
  } = useQuery<Recovery>(id === null ? null : `/webhooks/${webhook.id}/recoveries/${id}`);
  const running = job?.status === "running" || (job !== undefined && job.delivered + job.failed < job.total);
  useEffect(() => {
    if (!running || job?.status === "cancelled") return;
    const timer = setInterval(() => void reload(), look_ms);
    return () => clearInterval(timer);
  }, [running, id]);
  if (id === null) return null;
  if (problem && !job) return <Notice problem={problem} />;
  if (!job) return null;
  const { status, total, queued, delivered, failed } = job;
  const cancelled = status === "cancelled";
  return (
    <Notice kind={cancelled ? "warning" : running ? "info" : "done"}>
      <p>{cancelled ? texts.recoveryCancelled : running ? texts.recoveryRunning : texts.recoveryDone}</p>
      <progress
        max={Math.max(1, total)}
        value={total === 0 ? 1 : delivered + failed}
        aria-label={texts.recoveryRunning}
      />
      <p class="row">
        {texts.recoveryProgress(count(queued), count(total))} · {texts.recoveryOutcome(count(delivered), count(failed))}
        {!running && <Button title={words.dismiss} onClick={() => setQuery({ recovery: null })} />}
      </p>
    </Notice>
  );
}

/** The actions on a webhook. */
export function WebhookActs({ webhook, etag }: { readonly webhook: Webhook; readonly etag: string | null }) {
  const { id, active } = webhook;
  const setActive = (next: boolean): Pick<Action, "when" | "call" | "match"> => ({
    when: active !== next,
    call: { method: "PATCH", path: `/webhooks/${id}`, body: { active: next } },
    match: etag,
  });
  const edit: Action = {
    title: words.edit,
    icon: "edit",
    button: true,
    match: etag,
    done: texts.saved,
    ask: { title: texts.editTitle, wide: true, fields: webhookFields(false), record: webhook },
    call: { method: "PATCH", path: `/webhooks/${id}` },
  };
  const pause: Action = {
    title: words.pause,
    icon: "pause",
    ...setActive(false),
    done: texts.paused,
    ask: { title: texts.pauseTitle, text: texts.pauseText },
  };
  const resume: Action = { title: words.resume, icon: "play", ...setActive(true), done: texts.resumed };
  const remove: Action = {
    title: texts.remove,
    icon: "delete",
    danger: true,
    match: etag,
    done: texts.removed,
    ask: { title: texts.removeTitle, text: texts.removeText },
    call: { method: "DELETE", path: `/webhooks/${id}` },
    after: () => navigate(to("/settings/webhooks"), { replace: true }),
  };
  return <Actions of={[testWebhook(webhook), edit, recover(webhook), rotate(webhook), pause, resume, remove]} />;
}

const overlapField: FormField = {
  kind: "select",
  name: "overlap_seconds",
  label: texts.overlap,
  required: true,
  first: "86400",
  sent: Number,
  options: optionsOf(texts.overlaps),
};

const rotate = ({ id }: Webhook): Action => ({
  title: texts.rotate,
  icon: "key",
  ask: { title: texts.rotateTitle, text: texts.rotateText, fields: [overlapField] },
  call: { method: "POST", path: `/webhooks/${id}/rotate_secret` },
  after: ({ secret }: { readonly secret: string }) =>
    openDialog((close) => <NewSecret secret={secret} onDone={close} />),
});

/** Sends a test event. */
export const testWebhook = (webhook: Webhook): Action => ({
  title: texts.test,
  icon: "zap",
  button: true,
  permission: "webhooks.manage",
  run: () => openDialog((close) => <TestDialog webhook={webhook} onClose={close} />),
});

/** Sends a test event and shows the response. */
function TestDialog({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const [result, setResult] = useState<TestResult | null>(null);
  const types = webhook.events.length === 0 ? eventTypes : webhook.events;
  return (
    <Dialog title={texts.testTitle} wide onClose={onClose}>
      {result === null ? (
        <>
          <p class="dialog-text">{texts.testText}</p>
          <Form
            fields={[
              {
                kind: "select",
                name: "event",
                label: words.event,
                required: true,
                options: types.map((type) => ({ value: type, title: type })),
              },
            ]}
            first={{ event: types[0] ?? "order.created" }}
            submit={texts.testSend}
            guarded={false}
            onCancel={onClose}
            onSubmit={async (values, key) => {
              const { data } = await post<TestResult>(`/webhooks/${webhook.id}/test`, values, { key });
              setResult(data);
            }}
          />
        </>
      ) : (
        <>
          <TestExchange result={result} />
          <footer class="dialog-acts">
            <Button title={texts.testAgain} onClick={() => setResult(null)} />
            <Button kind="primary" title={words.close} onClick={onClose} />
          </footer>
        </>
      )}
    </Dialog>
  );
}
