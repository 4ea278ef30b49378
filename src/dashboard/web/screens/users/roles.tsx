import { useQuery } from "../../api/query.ts";
import type { Role } from "../../api/types.ts";
import { Icon } from "../../kit/icon.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { userTexts as texts } from "../../texts/users.ts";

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
                <Line key={permission.name} permission={permission} roles={roles} />
              ))}
            </tbody>
          ))}
        </table>
      </section>
    </>
  );
}

interface LineProps {
  readonly permission: Role["permissions"][number];
  readonly roles: readonly Role[];
}

function Line({ permission, roles }: LineProps) {
  return (
    <tr>
      <th scope="row">{permission.description}</th>
      {roles.map(({ name, permissions }) => {
        const has = permissions.some((one) => one.name === permission.name);
        return (
          <td key={name} class="center" data-label={texts.roles[name]}>
            {has && <Icon name="check" />}
            <span class="unseen">{has ? texts.may : texts.mayNot}</span>
          </td>
        );
      })}
    </tr>
  );
}
