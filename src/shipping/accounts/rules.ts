import { type FieldProblem, invalidFields } from "../../kit/fault.ts";
import type { CredentialField, Credentials } from "./account.ts";

/** Credentials as a request gives them; null removes one. */
export type CredentialsInput = Readonly<Record<string, string | null>>;

/**
 * The credentials of an account after a change. Refuses: validation_failed, for a field that the connector does not
 * have, for a required field that is missing, and for a new address without the secrets that would be sent to it:
 * whoever changes the address must not be able to read them there.
 */
export function changedCredentials(
  fields: readonly CredentialField[],
  before: Credentials,
  input: CredentialsInput,
): Credentials {
  const problems: FieldProblem[] = [];
  const refuse = (name: string, code: string, message: string) =>
    problems.push({ field: `credentials.${name}`, code, message });
  const names = fields.map(({ name }) => name);
  for (const name of Object.keys(input)) {
    if (!names.includes(name)) refuse(name, "unknown_field", `is not one of: ${names.join(", ")}`);
  }
  const moved = fields.some(({ name }) => isAddress(name) && name in input && input[name] !== (before[name] ?? null));
  const after: Record<string, string> = {};
  for (const { name, secret, required, description } of fields) {
    const given = input[name];
    const value = given === undefined ? (before[name] ?? null) : given;
    if (value !== null) after[name] = value;
    else if (required) refuse(name, "required", `is required: ${description}`);
    const kept = given === undefined && before[name] !== undefined;
    if (secret && kept && moved) refuse(name, "required", "is required when the address changes");
  }
  if (problems.length > 0) throw invalidFields(problems);
  return after;
}

/** Whether a field holds the address of an API, which must be one that the service may call. */
export function isAddress(name: string): boolean {
  return name === "api_url";
}
