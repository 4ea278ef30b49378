import { useEffect, useState } from "preact/hooks";
import { callDashboard } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { enterBy } from "../../api/session.ts";
import type { Invited } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { Form } from "../../kit/form.tsx";
import { Notice } from "../../kit/notice.tsx";
import { words } from "../../texts/common.ts";
import { signInTexts as texts } from "../../texts/sign_in.ts";
import { userTexts } from "../../texts/users.ts";
import { newPasswordFields, newPasswordOf } from "../sign_in/new_password.ts";
import { OpenCard } from "../sign_in/open_card.tsx";
import { tokenInAddress } from "../sign_in/token.ts";
import { Join } from "./join.tsx";

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
  // Whether there is an account is told by a link alone that proves the address.
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
          ...newPasswordFields(texts.newPassword),
        ]}
        first={{ name: name ?? "", password: "", again: "" }}
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
