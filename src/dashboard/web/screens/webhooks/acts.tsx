import { useState } from "preact/hooks";
import { patch, post, remove } from "../../api/client.ts";
import type { TestResult, Webhook } from "../../api/developer_types.ts";
import { navigate, to } from "../../browser/router.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/confirm.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import type { Field } from "../../kit/fields.tsx";
import { Form, FormDialog } from "../../kit/form.tsx";
import { ActionMenu } from "../../kit/menu.tsx";
import { refused, said } from "../../shell/toasts.tsx";
import { words } from "../../texts/common.ts";
import { webhookTexts as texts } from "../../texts/webhooks.ts";
import { eventTypes } from "../events/types.ts";
import { TestExchange } from "./exchange.tsx";
import { bodyOf, valuesOf, webhookFields } from "./fields.tsx";
import { NewSecret } from "./list.tsx";
import { RecoverDialog } from "./recovery.tsx";

type Open = "change" | "rotate" | "recover" | null;

interface Props {
  readonly webhook: Webhook;
  readonly etag: string | null;
}

/** The actions on a webhook. */
export function Acts({ webhook, etag }: Props) {
  const [open, setOpen] = useState<Open>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => setOpen(null);
  const { id, active } = webhook;
  const setActive = async (next: boolean) => {
    await patch<Webhook>(`/webhooks/${id}`, { active: next }, { match: etag });
    said(next ? texts.resumed : texts.paused);
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
    said(texts.removed);
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
            : { title: texts.resume, icon: "play", run: () => void setActive(true).catch(refused) },
          { title: texts.remove, icon: "delete", danger: true, run: () => void destroy() },
        ]}
      />
      <Button title={texts.change} icon="edit" onClick={() => setOpen("change")} />
      {open === "change" && (
        <FormDialog
          title={texts.changeTitle}
          wide
          fields={webhookFields(false)}
          first={valuesOf(webhook)}
          submit={words.save}
          unchanged={false}
          onClose={close}
          onSubmit={async (values, key) => {
            await patch<Webhook>(`/webhooks/${id}`, bodyOf(values), { key, match: etag });
            said(texts.saved);
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

const overlapField: Field = {
  kind: "select",
  name: "overlap_seconds",
  label: texts.overlap,
  required: true,
  options: Object.entries(texts.overlaps).map(([value, title]) => ({ value, title })),
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

/** Sends a test event and shows the answer. */
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
