import { useState } from "preact/hooks";
import { callDashboard } from "../../api/client.ts";
import { navigate, to } from "../../browser/router.ts";
import { Form } from "../../kit/form.tsx";
import { Notice } from "../../kit/notice.tsx";
import { said } from "../../shell/toasts.tsx";
import { signInTexts as texts } from "../../texts/sign_in.ts";
import { newPasswordFields, newPasswordOf } from "../sign_in/new_password.ts";
import { OpenCard } from "../sign_in/open_card.tsx";
import { tokenInAddress } from "../sign_in/token.ts";

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
          fields={newPasswordFields(texts.newPassword)}
          first={{ password: "", again: "" }}
          submit={texts.resetSubmit}
          onSubmit={async (values) => {
            await callDashboard("POST", "/reset", { token, password: newPasswordOf(values) });
            said(texts.resetDone);
            navigate(to("/sign-in"), { replace: true, force: true });
          }}
        />
      )}
    </OpenCard>
  );
}
