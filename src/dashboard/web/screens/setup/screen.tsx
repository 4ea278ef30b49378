import { useState } from "preact/hooks";
import { enterBy } from "../../api/session.ts";
import { navigate, to } from "../../browser/router.ts";
import { Form } from "../../kit/form.tsx";
import { Notice } from "../../kit/notice.tsx";
import { signInTexts as texts } from "../../texts/sign_in.ts";
import { newPasswordFields, newPasswordOf } from "../sign_in/new_password.ts";
import { OpenCard } from "../sign_in/open_card.tsx";
import { tokenInAddress } from "../sign_in/token.ts";

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
          { name: "email", kind: "text", type: "email", label: texts.email, autocomplete: "username", required: true },
          ...newPasswordFields(texts.newPassword),
        ]}
        first={{ name: "", email: "", password: "", again: "" }}
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
