import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { problemOf } from "../../api/problem.ts";
import { session, signIn } from "../../api/session.ts";
import type { Invited } from "../../api/types.ts";
import type { Field } from "../../kit/fields.tsx";
import { Form } from "../../kit/form.tsx";
import { Notice } from "../../kit/notice.tsx";
import { actFor } from "../../shell/viewing.tsx";
import { signInTexts as texts } from "../../texts/sign_in.ts";
import { OpenCard } from "../sign_in/open_card.tsx";

interface Props {
  readonly invited: Invited;
  readonly token: string;
  readonly text: string;
}

/** Accepts an invitation for users who have an account, and shows others which link creates one. */
export function Join({ invited: { email, merchant, proof }, token, text }: Props) {
  const [asks_code, setAsksCode] = useState(false);
  const isIn = session.value?.user.email === email;
  const password = { name: "password", kind: "text", label: texts.password, type: "password" } as const;
  const code = { name: "code", kind: "text", label: texts.code, help: texts.codeHelp, mono: true } as const;
  const fields: readonly Field[] = [
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
        first={{ password: "", code: "" }}
        submit={texts.join}
        onSubmit={async ({ password: entered, code: given }) => {
          const codes = given === "" ? {} : { code: String(given).trim() };
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
