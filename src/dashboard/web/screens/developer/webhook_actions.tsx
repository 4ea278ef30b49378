import { useEffect, useState } from "preact/hooks";
import { patch, post, remove } from "../../api/client.ts";
import type { Recovery, TestResult, Webhook } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { navigate, query, setQuery, to } from "../../browser/router.ts";
import { Button } from "../../components/button.tsx";
import { confirm, Dialog } from "../../components/dialog.tsx";
import type { FormField } from "../../components/fields.tsx";
import { Form, FormDialog } from "../../components/form.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { ActionMenu } from "../../components/menu.tsx";
import { Notice } from "../../components/notice.tsx";
import { today } from "../../components/now.ts";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { webhookTexts as texts } from "../../text/webhooks.ts";
import { TestExchange } from "./delivery_attempt.tsx";
import { eventTypes } from "./event_types.ts";
import { webhookFields } from "./webhook_fields.tsx";
import { NewSecret } from "./webhook_list.tsx";

const fields: readonly FormField[] = [
  { kind: "date", name: "since", label: texts.since, required: true, width: "half" },
  {
    kind: "multi-select",
    name: "statuses",
    label: texts.which,
    required: true,
    options: optionsOf(texts.statuses),
  },
];

/** Asks which missed deliveries to recover. */
function RecoverDialog({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  return (
    <FormDialog
      title={texts.recoverTitle}
      text={texts.recoverText}
      fields={fields}
      first={{ since: today(), statuses: ["exhausted", "skipped"] }}
      submit={texts.recover}
      onClose={onClose}
      onSubmit={async (values, key) => {
        const { data } = await post<Recovery>(`/webhooks/${webhook.id}/recover`, values, { key });
        setQuery({ recovery: data.id });
      }}
    />
  );
}

const look_ms = 1000;

/** The progress of the recovery in the address. */
export function RecoveryProgress({ webhook }: { readonly webhook: Webhook }) {
  const id = query.value.get("recovery");
  const {
    data: job,
    problem,
    reload,
  } = useQuery<Recovery>(id === null ? null : `/webhooks/${webhook.id}/recover/${id}`);
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

type OpenWebhookDialog = "change" | "rotate" | "recover" | null;

interface WebhookActsProps {
  readonly webhook: Webhook;
  readonly etag: string | null;
}

/** The actions on a webhook. */
export function WebhookActs({ webhook, etag }: WebhookActsProps) {
  const [open, setOpen] = useState<OpenWebhookDialog>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => setOpen(null);
  const { id, active } = webhook;
  const setActive = async (next: boolean) => {
    await patch<Webhook>(`/webhooks/${id}`, { active: next }, { match: etag });
    showSuccess(next ? texts.resumed : texts.paused);
  };
  const pause = () =>
    confirm({ title: texts.pauseTitle, text: texts.pauseText, act: texts.pause, run: () => setActive(false) });
  const destroy = async () => {
    const run = () => remove(`/webhooks/${id}`, { match: etag });
    const done = await confirm({
      title: texts.removeTitle,
      text: texts.removeText,
      act: texts.remove,
      danger: true,
      run,
    });
    if (!done) return;
    showSuccess(texts.removed);
    navigate(to("/settings/webhooks"), { replace: true });
  };
  return (
    <>
      <ActionMenu
        items={[
          { title: texts.recover, icon: "redo", run: () => setOpen("recover") },
          { title: texts.rotate, icon: "key", run: () => setOpen("rotate") },
          active
            ? { title: texts.pause, icon: "pause", run: () => void pause() }
            : { title: texts.resume, icon: "play", run: () => void setActive(true).catch(showRefused) },
          { title: texts.remove, icon: "delete", danger: true, run: () => void destroy() },
        ]}
      />
      <Button title={texts.edit} icon="edit" onClick={() => setOpen("change")} />
      {open === "change" && (
        <FormDialog
          title={texts.editTitle}
          wide
          fields={webhookFields(false)}
          record={webhook}
          submit={words.save}
          unchanged={false}
          onClose={close}
          onSubmit={async (_values, key, body) => {
            await patch<Webhook>(`/webhooks/${id}`, body, { key, match: etag });
            showSuccess(texts.saved);
          }}
        />
      )}
      {open === "rotate" && <RotateDialog id={id} onClose={close} onMade={setSecret} />}
      {open === "recover" && <RecoverDialog webhook={webhook} onClose={close} />}
      {secret !== null && <NewSecret secret={secret} onDone={() => setSecret(null)} />}
    </>
  );
}

interface RotateProps {
  readonly id: string;
  readonly onClose: () => void;
  readonly onMade: (secret: string) => void;
}

const overlapField: FormField = {
  kind: "select",
  name: "overlap_seconds",
  label: texts.overlap,
  required: true,
  options: optionsOf(texts.overlaps),
};

function RotateDialog({ id, onClose, onMade }: RotateProps) {
  return (
    <FormDialog
      title={texts.rotateTitle}
      text={texts.rotateText}
      fields={[overlapField]}
      first={{ overlap_seconds: "86400" }}
      submit={texts.rotate}
      onClose={onClose}
      onSubmit={async ({ overlap_seconds }, key) => {
        const body = { overlap_seconds: Number(overlap_seconds) };
        const { data } = await post<{ readonly secret: string }>(`/webhooks/${id}/rotate-secret`, body, { key });
        onMade(data.secret);
      }}
    />
  );
}

/** Sends a test event and shows the response. */
export function TestDialog({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
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
                label: texts.testEvent,
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
