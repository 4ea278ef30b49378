import { useState } from "preact/hooks";
import { problemOf } from "../../api/problem.ts";
import { signIn } from "../../api/session.ts";
import { navigate } from "../../browser/router.ts";
import { Form } from "../../components/form.tsx";
import { words } from "../../text/common.ts";
import { signInTexts as texts } from "../../text/sign_in.ts";
import { backTo, OpenCard } from "./sign_in_card.tsx";

interface EnteredCredentials {
  readonly email: string;
  readonly password: string;
}

const goIn = () => navigate(backTo(), { replace: true, force: true });

/** Signs in with email and password, then with a code if two-factor authentication is on. */
export function SignInScreen() {
  const [credentials, setCredentials] = useState<EnteredCredentials | null>(null);
  if (credentials !== null) return <CodeForm credentials={credentials} onOther={() => setCredentials(null)} />;
  return (
    <OpenCard title={texts.title}>
      <Form
        guarded={false}
        fields={[
          {
            name: "email",
            kind: "text",
            label: words.email,
            type: "email",
            autocomplete: "username",
            required: true,
            focus: true,
          },
          {
            name: "password",
            kind: "text",
            label: words.password,
            type: "password",
            required: true,
            autocomplete: "current-password",
          },
        ]}
        submit={texts.submit}
        onSubmit={async (values) => {
          const entered = { email: String(values["email"]), password: String(values["password"]) };
          try {
            await signIn(entered);
          } catch (error) {
            if (problemOf(error).code !== "second_factor_required") throw error;
            setCredentials(entered);
            return;
          }
          goIn();
        }}
      />
      <p class="open-note">
        {texts.forgotten}
        <code>{texts.forgottenCommand}</code>
      </p>
    </OpenCard>
  );
}

function CodeForm({
  credentials,
  onOther,
}: {
  readonly credentials: EnteredCredentials;
  readonly onOther: () => void;
}) {
  const [recovery, setRecovery] = useState(false);
  return (
    <OpenCard title={texts.codeTitle} text={credentials.email}>
      <Form
        key={String(recovery)}
        guarded={false}
        fields={[
          {
            name: "code",
            kind: "text",
            required: true,
            focus: true,
            mono: true,
            label: recovery ? texts.recoveryCode : words.code,
            help: recovery ? texts.recoveryHelp : texts.codeHelp,
            autocomplete: recovery ? "off" : "one-time-code",
          },
        ]}
        submit={texts.submit}
        onSubmit={async (values) => {
          await signIn({ ...credentials, code: String(values["code"]).trim() });
          goIn();
        }}
      />
      <p class="open-acts">
        <button type="button" class="plain link" onClick={() => setRecovery(!recovery)}>
          {recovery ? texts.useApp : texts.useRecovery}
        </button>
        <button type="button" class="plain link" onClick={onOther}>
          {texts.other}
        </button>
      </p>
    </OpenCard>
  );
}
