import { useEffect } from "preact/hooks";
import { post } from "../../api/client.ts";
import type { Recovery, Webhook } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { query, setQuery } from "../../browser/router.ts";
import { Button } from "../../kit/button.tsx";
import type { Field } from "../../kit/fields.tsx";
import { FormDialog } from "../../kit/form.tsx";
import { Notice } from "../../kit/notice.tsx";
import { today } from "../../kit/now.ts";
import { words } from "../../texts/common.ts";
import { count } from "../../texts/format.ts";
import { webhookTexts as texts } from "../../texts/webhooks.ts";

const fields: readonly Field[] = [
  { kind: "date", name: "since", label: texts.since, required: true, width: "half" },
  {
    kind: "multi-select",
    name: "statuses",
    label: texts.which,
    required: true,
    options: Object.entries(texts.statuses).map(([value, title]) => ({ value, title })),
  },
];

/** Asks which missed deliveries to recover. */
export function RecoverDialog({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
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
