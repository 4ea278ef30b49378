import { signIn } from "../../api/session.ts";
import { Form } from "../../kit/form.tsx";
import { base, navigate, query } from "../../shell/router.ts";
import { signInTexts as texts } from "../../texts/sign_in.ts";

/** Only addresses of the dashboard are gone back to: a link may hold anything. */
const backTo = () => {
  const back = query.value.get("back") ?? base;
  return back === base || back.startsWith(`${base}/`) || back.startsWith(`${base}?`) ? back : base;
};

/** Asks who this is. */
export function SignInScreen() {
  return (
    <div class="card sign-in">
      <h1>{texts.title}</h1>
      <Form
        fields={[
          { name: "email", kind: "text", label: texts.email, type: "email", autocomplete: "username", required: true },
          {
            name: "password",
            kind: "text",
            label: texts.password,
            type: "password",
            autocomplete: "current-password",
            required: true,
          },
        ]}
        first={{ email: "", password: "" }}
        submit={texts.submit}
        onSubmit={async (values) => {
          await signIn({ email: String(values["email"]), password: String(values["password"]) });
          navigate(backTo(), { replace: true, force: true });
        }}
      />
    </div>
  );
}
