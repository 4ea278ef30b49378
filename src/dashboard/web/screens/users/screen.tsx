import { useState } from "preact/hooks";
import { several } from "../../api/merchants.ts";
import { may, session } from "../../api/session.ts";
import type { User } from "../../api/types.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty_state.tsx";
import { List } from "../../kit/list_page.tsx";
import { ActionMenu } from "../../kit/menu.tsx";
import { MerchantMark } from "../../kit/merchant_mark.tsx";
import { Page } from "../../kit/page.tsx";
import type { Column } from "../../kit/table.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { Time } from "../../kit/values.tsx";
import { titles } from "../../texts/navigation.ts";
import { userTexts as texts } from "../../texts/users.ts";
import { Invitations } from "./invitations.tsx";
import { InviteDialog } from "./invite.tsx";
import { RolesTable } from "./roles.tsx";
import { ChangeRole, userActs } from "./user_acts.tsx";

const roleOptions = Object.entries(texts.roles).map(([value, title]) => ({ value, title }));
const statusOptions = Object.entries(texts.statuses).map(([value, title]) => ({ value, title }));

/** Users, invitations and roles. */
export function UsersScreen() {
  const [inviting, setInviting] = useState(false);
  const invite = <Button kind="primary" icon="plus" title={texts.invite} onClick={() => setInviting(true)} />;
  return (
    <Page title={titles.users} acts={invite}>
      <Tabs
        name={titles.users}
        tabs={[
          { id: "users", title: texts.tabs.users, content: () => <Users /> },
          { id: "invitations", title: texts.tabs.invitations, content: () => <Invitations invite={invite} /> },
          { id: "roles", title: texts.tabs.roles, content: () => <RolesTable /> },
        ]}
      />
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Page>
  );
}

const columns: readonly Column<User>[] = [
  {
    id: "name",
    title: texts.name,
    wide: true,
    cell: ({ id, name, email }) => (
      <span class="who">
        <strong>
          {name} {id === session.value?.user.id && <span class="who-you">({texts.you})</span>}
        </strong>
        <small>{email}</small>
      </span>
    ),
  },
  { id: "role", title: texts.role, cell: (user) => <Roles user={user} /> },
  { id: "status", title: texts.status, cell: ({ status }) => <Badge state={status}>{texts.statuses[status]}</Badge> },
  {
    id: "factor",
    title: texts.factor,
    cell: ({ second_factor: on }) => <Badge tone={on ? "good" : "neutral"}>{on ? texts.on : texts.off}</Badge>,
  },
  {
    id: "seen",
    title: texts.lastSeen,
    cell: ({ last_seen_at }) => (last_seen_at === null ? texts.never : <Time at={last_seen_at} />),
  },
  { id: "created", title: texts.created, extra: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

/** The role of a user, and of who may be elsewhere each with the merchant or the house where it is. */
function Roles({ user: { role, memberships } }: { readonly user: User }) {
  if (!several.value) return <>{texts.roles[role]}</>;
  return (
    <ul class="user-roles">
      {memberships.map((one) => (
        <li key={one.merchant_id}>
          {texts.roles[one.role]} <MerchantMark of={one.merchant_id} />
          {one.status === "disabled" && <Badge state={one.status}>{texts.statuses[one.status]}</Badge>}
        </li>
      ))}
    </ul>
  );
}

function Users() {
  const [changing, setChanging] = useState<User | null>(null);
  return (
    <>
      <List<User>
        name={texts.tabs.users}
        path="/users"
        search={{ param: "q", hint: texts.search }}
        filters={[
          { kind: "choice", param: "role", title: texts.role, options: roleOptions },
          { kind: "choice", param: "status", title: texts.status, options: statusOptions },
        ]}
        columns={columns}
        id={({ id }) => id}
        rowName={({ name }) => name}
        rowActs={(user) =>
          may("users.manage") ? <ActionMenu items={userActs(user, () => setChanging(user))} /> : null
        }
        empty={<EmptyState icon="users" title={texts.emptyTitle} text={texts.emptyText} />}
      />
      {changing && <ChangeRole user={changing} onClose={() => setChanging(null)} />}
    </>
  );
}
