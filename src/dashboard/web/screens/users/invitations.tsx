import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import type { Invitation, LinkedInvitation } from "../../api/types.ts";
import { Badge } from "../../kit/badge.tsx";
import { confirm } from "../../kit/confirm.tsx";
import { EmptyState } from "../../kit/empty_state.tsx";
import { List } from "../../kit/list_page.tsx";
import { ActionMenu, type MenuItem } from "../../kit/menu.tsx";
import type { Column } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { refused, said } from "../../shell/toasts.tsx";
import { userTexts as texts } from "../../texts/users.ts";
import { LinkDialog } from "./invite.tsx";

const statusOptions = Object.entries(texts.invitationStatuses).map(([value, title]) => ({ value, title }));
const tones = { open: "info", accepted: "good", revoked: "neutral", expired: "warning" } as const;

const columns: readonly Column<Invitation>[] = [
  {
    id: "email",
    title: texts.email,
    wide: true,
    cell: ({ email, name }) => (
      <span class="who">
        <strong>{email}</strong>
        {name && <small>{name}</small>}
      </span>
    ),
  },
  { id: "role", title: texts.role, cell: ({ role }) => texts.roles[role] },
  {
    id: "status",
    title: texts.status,
    cell: ({ status }) => <Badge tone={tones[status]}>{texts.invitationStatuses[status]}</Badge>,
  },
  { id: "mail", title: texts.mail, cell: ({ mail_status }) => texts.mails[mail_status] },
  { id: "by", title: texts.invitedBy, cell: ({ invited_by }) => invited_by.name },
  { id: "expires", title: texts.expires, cell: ({ expires_at }) => <Time at={expires_at} /> },
];

/** The invitations. */
export function Invitations({ invite }: { readonly invite: ComponentChildren }) {
  const [linked, setLinked] = useState<LinkedInvitation | null>(null);
  const resend = async ({ id }: Invitation) => {
    try {
      const { data } = await post<LinkedInvitation>(`/invitations/${id}/resend`);
      setLinked(data);
    } catch (error) {
      refused(error);
    }
  };
  const revoke = ({ id, email }: Invitation) =>
    confirm({
      title: texts.revokeTitle(email),
      text: texts.revokeText,
      act: texts.revoke,
      danger: true,
      run: async () => {
        await post(`/invitations/${id}/revoke`);
        said(texts.revoked);
      },
    });
  const acts = (one: Invitation): MenuItem[] => [
    { title: texts.resend, icon: "link", run: () => void resend(one) },
    { title: texts.revoke, icon: "close", danger: true, run: () => void revoke(one) },
  ];
  const isPending = ({ status }: Invitation) => status === "open" || status === "expired";
  return (
    <>
      <List<Invitation>
        name={texts.tabs.invitations}
        path="/invitations"
        search={{ param: "q", hint: texts.search }}
        filters={[{ kind: "choice", param: "status", title: texts.status, options: statusOptions }]}
        columns={columns}
        id={({ id }) => id}
        rowName={({ email }) => email}
        rowActs={(one) => (isPending(one) ? <ActionMenu items={acts(one)} /> : null)}
        empty={<EmptyState icon="mail" title={texts.noInvitationsTitle} text={texts.noInvitationsText} act={invite} />}
      />
      {linked && <LinkDialog invitation={linked} onClose={() => setLinked(null)} />}
    </>
  );
}
