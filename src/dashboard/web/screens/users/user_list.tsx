import { useState } from "preact/hooks";
import { patch, remove } from "../../api/client.ts";
import { several } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import { may, session } from "../../api/session.ts";
import type { Role, User } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { Badge, MerchantMark } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog.tsx";
import type { FormField } from "../../components/fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { List } from "../../components/list_page.tsx";
import { ActionMenu, type MenuItem } from "../../components/menu.tsx";
import { EmptyState } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { Time } from "../../components/values.tsx";
import { merchantTexts } from "../../text/merchants.ts";
import { titles } from "../../text/navigation.ts";
import { userTexts as texts } from "../../text/users.ts";
import { Invitations, InviteDialog } from "./invitations.tsx";
import { RolesTable, roleField } from "./roles.tsx";

/** The actions on a user. Users cannot disable themselves here. */
function userActs(user: User, changeRole: () => void): MenuItem[] {
  const isMe = user.id === session.value?.user.id;
  const showDone = () => navigate(to("/settings/audit", { actor: user.id }));
  return [
    { title: texts.changeRole, icon: "shield", run: changeRole, disabled: isMe },
    ...(may("audit.read") ? [{ title: texts.whatTheyDid, icon: "list" as const, run: showDone }] : []),
    { title: texts.endSessions, icon: "signOut", run: () => void endSessions(user), disabled: isMe },
    user.status === "active"
      ? { title: texts.disable, icon: "pause", danger: true, run: () => void disable(user), disabled: isMe }
      : { title: texts.enable, icon: "play", run: () => void enable(user) },
  ];
}

function endSessions({ id, name }: User): Promise<boolean> {
  return confirm({
    title: texts.endSessionsTitle(name),
    text: texts.endSessionsText,
    act: texts.endSessions,
    run: async () => {
      await remove(`/users/${id}/sessions`);
      showSuccess(texts.sessionsEnded(name));
    },
  });
}

function disable({ id, name }: User): Promise<boolean> {
  return confirm({
    title: texts.disableTitle(name),
    text: texts.disableText,
    act: texts.disable,
    danger: true,
    run: async () => {
      await patch(`/users/${id}`, { status: "disabled" });
      showSuccess(texts.disabled(name));
    },
  });
}

async function enable({ id, name }: User): Promise<void> {
  try {
    await patch(`/users/${id}`, { status: "active" });
    showSuccess(texts.enabled(name));
  } catch (error) {
    showRefused(error);
  }
}

/** A dialog to change the role of a user. */
function ChangeRole({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const { id, name, role, memberships } = user;
  const { data: roles = [] } = useQuery<readonly Role[]>("/roles");
  // A user with several memberships has a role in each.
  const options = memberships.map(({ merchant }) => ({
    value: merchant?.code ?? "",
    title: merchant?.name ?? merchantTexts.forOperator,
  }));
  const where: FormField = { kind: "select", name: "merchant_id", label: texts.memberOf, required: false, options };
  const first = memberships.find((one) => one.role === role)?.merchant?.code ?? "";
  return (
    <FormDialog
      title={texts.changeRoleTitle(name)}
      text={texts.changeRoleText}
      fields={[...(options.length > 1 ? [where] : []), roleField(roles)]}
      first={{ role, merchant_id: first }}
      submit={texts.changeRole}
      unchanged={false}
      onClose={onClose}
      onSubmit={async ({ role: chosen, merchant_id }, key) => {
        const body = { role: chosen, ...(options.length > 1 ? { merchant_id: merchant_id || null } : {}) };
        const { data } = await patch<User>(`/users/${id}`, body, { key });
        showSuccess(texts.roleChanged(name, texts.roles[data.role]));
      }}
    />
  );
}

const roleOptions = optionsOf(texts.roles);
const statusOptions = optionsOf(texts.statuses);

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

const columns: readonly TableColumn<User>[] = [
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

/** The role of a user. For several memberships, each role with its merchant or the operator. */
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
