import { useQuery } from "../../api/query.ts";
import { lacks } from "../../api/session.ts";
import type { Role } from "../../api/types.ts";
import { FieldError, type FormField } from "../../components/fields.tsx";
import { Icon } from "../../components/icon.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { words as common } from "../../text/common.ts";
import { userTexts as texts } from "../../text/users.ts";

/** The roles of a merchant or of the operator. For merchant users, the API lists only theirs. */
function rolesAt(roles: readonly Role[], merchant: unknown) {
  if ((merchant ?? "") === "") return roles;
  return roles.flatMap(({ name, merchant: there }) => (there === null ? [] : [{ name, ...there }]));
}

/**
 * A field for the role at the operator or at the form's merchant. Roles with more permissions than the user has cannot
 * be chosen.
 */
export function roleField(roles: readonly Role[]): FormField {
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
          <FieldError text={wrong} />
        </div>
      );
    },
  };
}

/** A table of the permissions of each role: a row per permission, a column per role. */
export function RolesTable() {
  const { data: roles, problem, loading, reload } = useQuery<readonly Role[]>("/roles");
  if (loading) return <Skeleton lines={10} />;
  if (!roles) return problem && <Notice problem={problem} onRetry={reload} />;
  // The owner has all permissions.
  const all = roles.flatMap(({ permissions }) => permissions);
  const words = [...new Map(all.map((one) => [one.name, one])).values()];
  const groups = Map.groupBy(words, ({ name }) => name.split(".")[0] ?? "");
  return (
    <>
      <p class="roles-text">{texts.rolesText}</p>
      <dl class="roles-told">
        {roles.map(({ name, description }) => (
          <div key={name}>
            <dt>{texts.roles[name]}</dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      <section class="roles-box" aria-label={texts.tabs.roles} tabIndex={0}>
        <table class="roles">
          <thead>
            <tr>
              <th scope="col">{texts.permission}</th>
              {roles.map(({ name }) => (
                <th key={name} scope="col" class="center">
                  {texts.roles[name]}
                </th>
              ))}
            </tr>
          </thead>
          {[...groups].map(([group, permissions]) => (
            <tbody key={group}>
              <tr class="roles-group">
                <th colSpan={roles.length + 1} scope="rowgroup">
                  {texts.groups[group] ?? group}
                </th>
              </tr>
              {permissions.map((permission) => (
                <RoleLine key={permission.name} permission={permission} roles={roles} />
              ))}
            </tbody>
          ))}
        </table>
      </section>
    </>
  );
}

interface RoleLineProps {
  readonly permission: Role["permissions"][number];
  readonly roles: readonly Role[];
}

function RoleLine({ permission, roles }: RoleLineProps) {
  return (
    <tr>
      <th scope="row">{permission.description}</th>
      {roles.map(({ name, permissions }) => {
        const has = permissions.some((one) => one.name === permission.name);
        return (
          <td key={name} class="center" data-label={texts.roles[name]}>
            {has && <Icon name="check" />}
            <span class="unseen">{has ? common.yes : common.no}</span>
          </td>
        );
      })}
    </tr>
  );
}
