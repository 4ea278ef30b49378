import { patch } from "../../api/client.ts";
import { several } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import { may, session } from "../../api/session.ts";
import type { Role, User } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge, MerchantMark, stateOptions } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { openDialog } from "../../components/dialog.tsx";
import type { FormField } from "../../components/fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { choice, List } from "../../components/list_page.tsx";
import { Page } from "../../components/page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { Time } from "../../components/values.tsx";
import { badgeTexts } from "../../text/badges.ts";
import { words } from "../../text/common.ts";
import { merchantTexts } from "../../text/merchants.ts";
import { titles } from "../../text/navigation.ts";
import { userTexts as texts } from "../../text/users.ts";
import { BadgeDialog } from "./badge_dialog.tsx";
import { Invitations, InviteDialog } from "./invitations.tsx";
import { RolesTable, roleField } from "./roles.tsx";

/** The actions on a user. Users cannot disable themselves here. */
function userActions(user: User): readonly Action[] {
  const { id, name, status } = user;
  const disabled = id === session.value?.user.id;
  const change = (next: User["status"]): Pick<Action, "when" | "call"> => ({
    when: status !== next,
    call: { method: "PATCH", path: `/users/${id}`, body: { status: next } },
  });
  return [
    {
      title: texts.changeRole,
      icon: "shield",
      disabled,
      run: () => openDialog((close) => <ChangeRole user={user} onClose={close} />),
    },
    {
      title: badgeTexts.badge,
      icon: "scan",
      when: user.memberships.some(({ merchant_id }) => merchant_id === null),
      run: () => openDialog((close) => <BadgeDialog user={user} onClose={close} />),
    },
    { title: texts.whatTheyDid, icon: "list", permission: "audit.read", href: to("/settings/audit", { actor: id }) },
    {
      title: texts.endSessions,
      icon: "signOut",
      disabled,
      done: texts.sessionsEnded(name),
      ask: { title: texts.endSessionsTitle(name), text: texts.endSessionsText },
      call: { method: "DELETE", path: `/users/${id}/sessions` },
    },
    {
      title: texts.disable,
      icon: "pause",
      danger: true,
      disabled,
      ...change("disabled"),
      done: texts.disabled(name),
      ask: { title: texts.disableTitle(name), text: texts.disableText },
    },
    { title: texts.enable, icon: "play", ...change("active"), done: texts.enabled(name) },
  ];
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

/** Users, invitations and roles. */
export function UsersScreen() {
  const invite = (
    <Button
      kind="primary"
      icon="plus"
      title={texts.invite}
      onClick={() => openDialog((close) => <InviteDialog onClose={close} />)}
    />
  );
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
    </Page>
  );
}

const columns: readonly TableColumn<User>[] = [
  {
    id: "name",
    title: words.name,
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
  { id: "status", title: words.status, cell: ({ status }) => <Badge of="user" state={status} /> },
  {
    id: "factor",
    title: texts.factor,
    cell: ({ second_factor: on }) => <Badge tone={on ? "good" : "neutral"}>{on ? words.on : texts.off}</Badge>,
  },
  {
    id: "seen",
    title: words.lastSeen,
    cell: ({ last_seen_at }) => (last_seen_at === null ? texts.never : <Time at={last_seen_at} />),
  },
  { id: "created", title: texts.created, time: "created_at", extra: true },
];

/** The role of a user. For several memberships, each role with its merchant or the operator. */
function Roles({ user: { role, memberships } }: { readonly user: User }) {
  if (!several.value) return <>{texts.roles[role]}</>;
  return (
    <ul class="user-roles">
      {memberships.map((one) => (
        <li key={one.merchant_id}>
          {texts.roles[one.role]} <MerchantMark of={one.merchant_id} />
          {one.status === "disabled" && <Badge of="user" state={one.status} />}
        </li>
      ))}
    </ul>
  );
}

function Users() {
  return (
    <List<User>
      name={texts.tabs.users}
      path="/users"
      search={{ param: "q", hint: texts.search }}
      filters={[
        choice("role", texts.role, optionsOf(texts.roles)),
        choice("status", words.status, stateOptions("user")),
      ]}
      columns={columns}
      rowName={({ name }) => name}
      rowActs={(user) => may("users.manage") && <Actions of={userActions(user)} />}
      empty={{ icon: "users", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}
