import { patch, remove } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { may, session } from "../../api/session.ts";
import type { Role, User } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { confirm } from "../../kit/confirm.tsx";
import type { Field } from "../../kit/fields.tsx";
import { FormDialog } from "../../kit/form.tsx";
import type { MenuItem } from "../../kit/menu.tsx";
import { refused, said } from "../../shell/toasts.tsx";
import { merchantTexts } from "../../texts/merchants.ts";
import { userTexts as texts } from "../../texts/users.ts";
import { roleField } from "./role_field.tsx";

/** The actions on a user. Users cannot disable themselves here. */
export function userActs(user: User, changeRole: () => void): MenuItem[] {
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
      said(texts.sessionsEnded(name));
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
      said(texts.disabled(name));
    },
  });
}

async function enable({ id, name }: User): Promise<void> {
  try {
    await patch(`/users/${id}`, { status: "active" });
    said(texts.enabled(name));
  } catch (error) {
    refused(error);
  }
}

/** A dialog to change the role of a user. */
export function ChangeRole({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const { id, name, role, memberships } = user;
  const { data: roles = [] } = useQuery<readonly Role[]>("/roles");
  // Who is a member of several has a role in each.
  const options = memberships.map(({ merchant }) => ({
    value: merchant?.code ?? "",
    title: merchant?.name ?? merchantTexts.forHouse,
  }));
  const where: Field = { kind: "select", name: "merchant_id", label: texts.memberOf, required: false, options };
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
        said(texts.roleChanged(name, texts.roles[data.role]));
      }}
    />
  );
}
