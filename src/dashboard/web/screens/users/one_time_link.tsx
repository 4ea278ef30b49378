import { useEffect, useState } from "preact/hooks";
import { callDashboard, post } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { enterBy, session, signIn } from "../../api/session.ts";
import type { Invited } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import type { FormField } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { actFor } from "../../shell/banners.tsx";
import { badgeTexts } from "../../text/badges.ts";
import { words } from "../../text/common.ts";
import { signInTexts as texts } from "../../text/sign_in.ts";
import { userTexts } from "../../text/users.ts";
import { newPasswordFields, newPasswordOf, OpenCard, tokenInAddress } from "./sign_in_card.tsx";

const deviceTexts = badgeTexts.device;

interface JoinProps {
  readonly invited: Invited;
  readonly token: string;
  readonly text: string;
}

/** Accepts an invitation for users who have an account, and shows others which link creates one. */
function Join({ invited: { email, merchant, proof }, token, text }: JoinProps) {
  const [asks_code, setAsksCode] = useState(false);
  const isIn = session.value?.user.email === email;
  const password = { name: "password", kind: "text", label: words.password, type: "password" } as const;
  const code = { name: "code", kind: "text", label: words.code, help: texts.codeHelp, mono: true } as const;
  const fields: readonly FormField[] = [
    { ...password, required: true, autocomplete: "current-password", focus: true },
    ...(asks_code ? [{ ...code, required: true, autocomplete: "one-time-code" }] : []),
  ];
  return (
    <OpenCard title={texts.invitationTitle} text={text}>
      <p class="open-text">
        {texts.invitedAs} <strong>{email}</strong>. {!isIn && proof === "none" && texts.joinText}
      </p>
      {!isIn && proof !== "none" && <Notice kind="info">{texts.joinProofs[proof](email)}</Notice>}
      <Form
        guarded={false}
        fields={isIn ? [] : fields}
        submit={texts.join}
        onSubmit={async ({ password: entered, code }) => {
          const codes = code === "" ? {} : { code: String(code).trim() };
          try {
            if (!isIn) await signIn({ email, password: String(entered), ...codes });
          } catch (error) {
            if (problemOf(error).code !== "second_factor_required") throw error;
            setAsksCode(true);
            return;
          }
          await post("/users/me/memberships", { token });
          await actFor(merchant?.code ?? null);
        }}
      />
    </OpenCard>
  );
}

/** Accepts an invitation. */
export function InvitationScreen() {
  const [token] = useState(tokenInAddress);
  const [invited, setInvited] = useState<Invited | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  useEffect(() => {
    if (token === "") return;
    callDashboard<Invited>("POST", "/invitations/look", { token }).then(
      ({ data }) => setInvited(data),
      (error) => setProblem(problemOf(error)),
    );
  }, [token]);
  if (token === "" || problem !== null) {
    return (
      <OpenCard title={texts.invitationTitle}>
        {problem === null ? <Notice kind="info">{texts.invitationNoLink}</Notice> : <Notice problem={problem} />}
        <p class="open-acts">
          <a href={to("/sign-in")}>{texts.toSignIn}</a>
        </p>
      </OpenCard>
    );
  }
  if (invited === null) return null;
  const { email, name, role, merchant, invited_by } = invited;
  const text = texts.invitedBy(invited_by, merchant?.name ?? words.product, userTexts.roles[role]);
  // Only a link that proves the address reveals whether there is an account.
  if (invited.existing_user !== false) return <Join invited={invited} token={token} text={text} />;
  return (
    <OpenCard title={texts.invitationTitle} text={text}>
      <p class="open-text">
        {texts.invitedAs} <strong>{email}</strong>
      </p>
      <Form
        guarded={false}
        fields={[
          { name: "name", kind: "text", label: texts.name, autocomplete: "name", required: true, focus: true },
          ...newPasswordFields(words.password),
        ]}
        first={{ name: name ?? "" }}
        submit={texts.accept}
        onSubmit={async (values) => {
          const password = newPasswordOf(values);
          await enterBy("/invitations/accept", { token, name: values["name"], password });
          navigate(to("/"), { replace: true, force: true });
        }}
      />
    </OpenCard>
  );
}

/** Sets a new password by a link from the command line. */
export function ResetScreen() {
  const [token] = useState(tokenInAddress);
  return (
    <OpenCard title={texts.resetTitle} text={token === "" ? undefined : texts.resetText}>
      {token === "" ? (
        <Notice kind="info">{texts.resetNoLink}</Notice>
      ) : (
        <Form
          guarded={false}
          fields={newPasswordFields(words.password)}
          submit={texts.resetSubmit}
          onSubmit={async (values) => {
            await callDashboard("POST", "/reset", { token, password: newPasswordOf(values) });
            showSuccess(texts.resetDone);
            navigate(to("/sign-in"), { replace: true, force: true });
          }}
        />
      )}
    </OpenCard>
  );
}

/** Creates the first user, by the link that the first start printed. */
export function SetupScreen() {
  const [token] = useState(tokenInAddress);
  if (token === "") {
    return (
      <OpenCard title={texts.setupTitle}>
        <Notice kind="info">{texts.setupNoLink}</Notice>
        <p class="open-acts">
          <a href={to("/sign-in")}>{texts.toSignIn}</a>
        </p>
      </OpenCard>
    );
  }
  return (
    <OpenCard title={texts.setupTitle} text={texts.setupText}>
      <Form
        guarded={false}
        fields={[
          { name: "name", kind: "text", label: texts.name, autocomplete: "name", required: true, focus: true },
          { name: "email", kind: "text", type: "email", label: words.email, autocomplete: "username", required: true },
          ...newPasswordFields(words.password),
        ]}
        submit={texts.setupSubmit}
        onSubmit={async (values) => {
          const password = newPasswordOf(values);
          await enterBy("/setup", { token, name: values["name"], email: values["email"], password });
          navigate(to("/"), { replace: true, force: true });
        }}
      />
    </OpenCard>
  );
}

/** Makes this browser a floor device, by the link that an administrator made. */
export function DeviceScreen() {
  const [token] = useState(tokenInAddress);
  return (
    <OpenCard title={deviceTexts.title} text={token === "" ? undefined : deviceTexts.text}>
      {token === "" ? (
        <Notice kind="info">{deviceTexts.noLink}</Notice>
      ) : (
        <Form
          guarded={false}
          fields={[]}
          submit={deviceTexts.allow}
          onSubmit={async () => {
            await callDashboard("POST", "/device", { token });
            navigate(to("/floor/sign-in"), { replace: true, force: true });
          }}
        />
      )}
    </OpenCard>
  );
}
