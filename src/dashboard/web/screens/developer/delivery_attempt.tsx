import type { Attempt, TestResult, WholeAttempt } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Code, Headers, pretty, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { webhookTexts as texts } from "../../text/webhooks.ts";

interface Exchanged extends Pick<Attempt, "status" | "error" | "duration_ms"> {
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string | null };
  readonly url: string;
  readonly response: {
    readonly status_code: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
    readonly truncated: boolean;
  } | null;
}

/** The request and the response of an attempt. */
function Exchange({ status, error, duration_ms, request, url, response }: Exchanged) {
  return (
    <div class="exchange">
      <p class="row">
        <Badge of="attempt" state={status} />
        {response && <span>{texts.answerStatus(response.status_code)}</span>}
        {duration_ms !== null && <span class="muted">{texts.took(count(duration_ms))}</span>}
      </p>
      {error && <Notice kind="problem">{`${error.message} (${error.code})`}</Notice>}
      <section>
        <h3>{words.response}</h3>
        {response === null ? (
          <p class="muted">{texts.noAnswer}</p>
        ) : (
          <>
            <Code name={`${words.response}: ${texts.body}`} text={pretty(response.body || texts.emptyBody)} />
            {response.truncated && <p class="muted">{texts.cut}</p>}
            <details>
              <summary>{texts.headers}</summary>
              <Headers name={`${words.response}: ${texts.headers}`} headers={response.headers} />
            </details>
          </>
        )}
      </section>
      <section>
        <h3>{texts.request}</h3>
        <p>
          <code class="cut">{`POST ${url}`}</code>
        </p>
        {request.body === null ? (
          <p class="muted">{texts.noBody}</p>
        ) : (
          <Code name={`${texts.request}: ${texts.body}`} text={pretty(request.body)} />
        )}
        <details>
          <summary>{texts.headers}</summary>
          <Headers name={`${texts.request}: ${texts.headers}`} headers={request.headers} />
        </details>
      </section>
    </div>
  );
}

/** The response to a test event. */
export function TestExchange({ result }: { readonly result: TestResult }) {
  const { request, response, ...rest } = result;
  const answered = response === null ? null : { ...response, body: response.body_excerpt };
  return <Exchange {...rest} url={request.url} request={request} response={answered} />;
}

interface AttemptDialogProps {
  readonly webhook_id: string;
  readonly attempt_id: string;
  readonly onClose: () => void;
  readonly onResend: (attempt: WholeAttempt) => void;
}

/** A dialog with the request and response of an attempt. */
export function AttemptDialog({ webhook_id, attempt_id, onClose, onResend }: AttemptDialogProps) {
  const { data: attempt, problem, loading } = useQuery<WholeAttempt>(`/webhooks/${webhook_id}/logs/${attempt_id}`);
  return (
    <Dialog title={attempt?.event_type ?? texts.attempt} wide onClose={onClose}>
      {loading && <Skeleton />}
      {problem && <Notice problem={problem} />}
      {attempt && (
        <>
          <p class="muted">
            <Time at={attempt.started_at} exact /> ·{" "}
            {texts.attemptOf(count(attempt.attempt), count(attempt.max_attempts))}
          </p>
          <Exchange {...attempt} />
          {may("webhooks.manage") && attempt.trigger !== "test" && (
            <footer class="dialog-acts">
              <Button icon="redo" title={texts.resend} onClick={() => onResend(attempt)} />
            </footer>
          )}
        </>
      )}
    </Dialog>
  );
}
