import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { ApiProblem } from "../../api/problem.ts";
import { base, query, to } from "../../browser/router.ts";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { Icon } from "../../components/icon.tsx";
import { words } from "../../text/common.ts";
import { signInTexts as texts } from "../../text/sign_in.ts";

/** The address to open after signing in. Only dashboard addresses are allowed, because a link could name any other. */
export function backTo(): string {
  const back = query.value.get("back") ?? "";
  return back.startsWith(`${base}/`) || back.startsWith(`${base}?`) ? back : to("/");
}

/** The fields for a new password and its confirmation. */
export function newPasswordFields(label: string): FormField[] {
  const common = { kind: "text", type: "password", autocomplete: "new-password", required: true } as const;
  return [
    { ...common, name: "password", label, help: texts.passwordHelp },
    { ...common, name: "again", label: texts.again },
  ];
}

/** The new password. Throws a field error if the confirmation differs. */
export function newPasswordOf(values: FormValues): string {
  const password = String(values["password"]);
  if (password === values["again"]) return password;
  const details = [{ field: "again", message: texts.notSame }];
  throw new ApiProblem(422, { error: { code: "validation_failed", message: texts.notSame, details } });
}

interface OpenCardProps {
  readonly title: string;
  readonly text?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A screen without a session: one card in the middle. */
export function OpenCard({ title, text, children }: OpenCardProps) {
  useEffect(() => {
    document.title = `${title} · ${words.product}`;
  }, [title]);
  return (
    <div class="card sign-in">
      <p class="open-mark">
        <Icon name="box" size={20} />
        {words.product}
      </p>
      <h1>{title}</h1>
      {text && <p class="open-text">{text}</p>}
      {children}
    </div>
  );
}

/** The secret of a link. It follows the # of the address, so that it reaches no server and no log. */
export const tokenInAddress = (): string => location.hash.slice(1);
