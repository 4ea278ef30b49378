import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import type { MailSettings, MailTest } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import type { FormField } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { Code, CopyField, DescriptionList } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { mailTexts as texts } from "../../text/settings.ts";

/** The mail server, the e-mails sent, and a test. */
export function MailScreen() {
  const { data, problem, loading, reload } = useQuery<MailSettings>("/mail");
  return (
    <Page title={words.email} below={texts.intro} narrow>
      <div class="stack">
        {problem && <Notice problem={problem} onRetry={reload} />}
        {loading && <Skeleton lines={8} />}
        {data && (data.configured ? <Settings mail={data} /> : <NotSet />)}
        {data?.configured && <Test />}
        {data && <Sends mail={data} />}
      </div>
    </Page>
  );
}

function Settings({ mail: { server, from, to } }: { readonly mail: MailSettings }) {
  return (
    <Card title={texts.server}>
      <div class="stack">
        <DescriptionList
          facts={[
            [texts.server, server?.address],
            [texts.tls, server && texts.tlsOf[server.tls]],
            [texts.from, from],
            [texts.to, to.join(", ")],
          ]}
        />
        <p class="muted">{texts.setBy}</p>
      </div>
    </Card>
  );
}

/** The variables to set while there is no mail server. */
function NotSet() {
  return (
    <Card title={texts.none}>
      <div class="stack">
        <p>{texts.noneText}</p>
        <DescriptionList facts={texts.variables.map(([name, meaning]) => [name, meaning] as const)} />
        <h3>{texts.example}</h3>
        {texts.exampleLines.map((line) => (
          <p key={line}>
            <CopyField text={line} name={line.slice(0, line.indexOf("="))} />
          </p>
        ))}
        <p class="muted">{texts.exampleText}</p>
      </div>
    </Card>
  );
}

const fields: readonly FormField[] = [
  { kind: "text", name: "to", label: words.to, help: texts.testToHint, type: "email" },
];

function Test() {
  const [answer, setAnswer] = useState<MailTest | null>(null);
  const [busy, setBusy] = useState(false);
  const send = async (to: string) => {
    setAnswer(null);
    setBusy(true);
    try {
      // Each test gets a new idempotency key, so it is always sent.
      setAnswer((await post<MailTest>("/mail/test", to === "" ? {} : { to })).data);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title={words.test}>
      <Form
        fields={fields}
        guarded={false}
        submit={texts.test}
        onSubmit={(values) => send(String(values["to"] ?? "").trim())}
      />
      {busy && <p role="status">{texts.testing}</p>}
      {answer && <Answer answer={answer} />}
    </Card>
  );
}

function Answer({ answer: { accepted, to, refused, response } }: { readonly answer: MailTest }) {
  const recipients = to.join(", ");
  return (
    <div class="stack">
      <Notice kind={accepted ? "done" : "problem"}>
        <p>{accepted ? texts.accepted(recipients) : texts.rejected(recipients)}</p>
        {refused.length > 0 && <p>{texts.rejectedOf(refused.join(", "))}</p>}
        {accepted && <p>{texts.acceptedText}</p>}
      </Notice>
      <Code name={texts.answer} text={response} />
    </div>
  );
}

function Sends({ mail: { sends, configured } }: { readonly mail: MailSettings }) {
  return (
    <Card title={configured ? texts.sends : texts.wouldSend}>
      <DescriptionList
        facts={sends.map(({ kind, to, description }) => [
          texts.kinds[kind],
          <>
            {description} <span class="muted">({texts.toWhom[to]})</span>
          </>,
        ])}
      />
    </Card>
  );
}
