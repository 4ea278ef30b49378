// The fields for a new password, and its check.
import { ApiProblem } from "../../api/problem.ts";
import type { Field, Values } from "../../kit/fields.tsx";
import { signInTexts as texts } from "../../texts/sign_in.ts";

/** Two fields in which a password is chosen; the second one guards against a slip of the fingers. */
export function newPasswordFields(label: string): Field[] {
  const common = { kind: "text", type: "password", autocomplete: "new-password", required: true } as const;
  return [
    { ...common, name: "password", label, help: texts.passwordHelp },
    { ...common, name: "again", label: texts.again },
  ];
}

/** The password that was entered twice. Refuses, beside the second field, two that differ. */
export function newPasswordOf(values: Values): string {
  const password = String(values["password"]);
  if (password === values["again"]) return password;
  const details = [{ field: "again", message: texts.notSame }];
  throw new ApiProblem(422, { error: { code: "validation_failed", message: texts.notSame, details } });
}
