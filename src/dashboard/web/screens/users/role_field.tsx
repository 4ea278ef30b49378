import { lacks } from "../../api/session.ts";
import type { Role } from "../../api/types.ts";
import type { Field } from "../../kit/fields.tsx";
import { userTexts as texts } from "../../texts/users.ts";

/** The roles that there are at a merchant, or in the house; what people of a merchant are told is theirs. */
function rolesAt(roles: readonly Role[], merchant: unknown) {
  if ((merchant ?? "") === "") return roles;
  return roles.flatMap(({ name, merchant: there }) => (there === null ? [] : [{ name, ...there }]));
}

/**
 * A field for the role: in the house, or at the merchant of the form. Roles with more permissions than the user has
 * cannot be chosen.
 */
export function roleField(roles: readonly Role[]): Field {
  return {
    name: "role",
    kind: "custom",
    label: texts.role,
    required: true,
    render: ({ value, set, id, problem, values }) => {
      const wrong = problem();
      return (
        <div class="role-choices" role="radiogroup" aria-label={texts.role}>
          {rolesAt(roles, values["merchant_id"]).map(({ name: role, description, permissions }) => (
            <label key={role} class="role-choice">
              <input
                type="radio"
                name={id}
                value={role}
                checked={value === role}
                disabled={lacks(permissions.map((one) => one.name))}
                onChange={() => set(role)}
              />
              <span>
                <strong>{texts.roles[role]}</strong>
                <small>{description}</small>
              </span>
            </label>
          ))}
          {wrong && (
            <p class="field-wrong" role="alert">
              {wrong}
            </p>
          )}
        </div>
      );
    },
  };
}
