import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { chosenMerchant, several } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import { isOperatorUser } from "../../api/session.ts";
import type { Invitation, LinkedInvitation, Role } from "../../api/types.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge, stateOptions } from "../../components/badge.tsx";
import { Dialog, openDialog, SecretDialog } from "../../components/dialog.tsx";
import type { FormField } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { choice, List } from "../../components/list_page.tsx";
import { merchantOptions } from "../../components/merchant_field.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { merchantTexts } from "../../text/merchants.ts";
import { userTexts as texts } from "../../text/users.ts";
import { roleField } from "./roles.tsx";

/** The field for the membership of an invitation: the operator or a merchant. */
function memberField(): readonly FormField[] {
  if (!several.value) return [];
  const options = merchantOptions();
  const choice = { kind: "select", name: "merchant_id", label: texts.memberOf, help: texts.memberOfHelp } as const;
  return [{ ...choice, required: false, empty: merchantTexts.forOperator, options }];
}

/** Creates an invitation and shows its link. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const [made, setMade] = useState<LinkedInvitation | null>(null);
  const { data: roles = [] } = useQuery<readonly Role[]>("/roles");
  if (made !== null) return <LinkDialog invitation={made} onClose={onClose} />;
  return (
    <Dialog title={texts.inviteTitle} onClose={onClose}>
      <p class="dialog-text">{texts.inviteText}</p>
      <Form
        guarded={false}
        fields={[
          { name: "email", kind: "text", type: "email", label: words.email, required: true, focus: true },
          { name: "name", kind: "text", label: words.name },
          ...memberField(),
          roleField(roles),
        ]}
        first={{ merchant_id: chosenMerchant.value?.code ?? "", role: "office" }}
        submit={texts.inviteSubmit}
        onCancel={onClose}
        onSubmit={async ({ email, name, role, merchant_id }, key) => {
          const where = isOperatorUser.value && several.value ? { merchant_id: merchant_id || null } : {};
          const body = { email, role, ...where, ...(name ? { name } : {}) };
          const { data } = await post<LinkedInvitation>("/invitations", body, { key });
          setMade(data);
        }}
      />
    </Dialog>
  );
}

interface LinkProps {
  readonly invitation: LinkedInvitation;
  readonly onClose: () => void;
}

/** Shows the link of an invitation once. */
function LinkDialog({ invitation: { email, link, proof }, onClose }: LinkProps) {
  // If the service does not know its own address, the address of this page is used.
  const whole = link.startsWith("/") ? `${location.origin}${link}` : link;
  return (
    <SecretDialog
      title={texts.linkTitle}
      secret={whole}
      name={texts.linkName}
      text={texts.linkTexts[proof](email)}
      mayClose={() => true}
      onDone={onClose}
    />
  );
}

const columns: readonly TableColumn<Invitation>[] = [
  {
    id: "email",
    title: words.email,
    wide: true,
    cell: ({ email, name }) => (
      <span class="who">
        <strong>{email}</strong>
        {name && <small>{name}</small>}
      </span>
    ),
  },
  { id: "role", title: texts.role, cell: ({ role }) => texts.roles[role] },
  { id: "status", title: words.status, cell: ({ status }) => <Badge of="invitation" state={status} /> },
  { id: "mail", title: texts.mail, cell: ({ mail_status }) => texts.mails[mail_status] },
  { id: "by", title: texts.invitedBy, cell: ({ invited_by }) => invited_by.name },
  { id: "expires", title: texts.expires, time: "expires_at" },
];

export function Invitations({ invite }: { readonly invite: ComponentChildren }) {
  const acts = ({ id, email }: Invitation): readonly Action[] => [
    {
      title: texts.resend,
      icon: "link",
      call: { method: "POST", path: `/invitations/${id}/resend` },
      after: (linked: LinkedInvitation) => openDialog((close) => <LinkDialog invitation={linked} onClose={close} />),
    },
    {
      title: texts.revoke,
      icon: "close",
      danger: true,
      done: texts.revoked,
      ask: { title: texts.revokeTitle(email), text: texts.revokeText },
      call: { method: "POST", path: `/invitations/${id}/revoke` },
    },
  ];
  const isPending = ({ status }: Invitation) => status === "open" || status === "expired";
  return (
    <List<Invitation>
      name={texts.tabs.invitations}
      path="/invitations"
      search={{ param: "q", hint: texts.search }}
      filters={[choice("status", words.status, stateOptions("invitation"))]}
      columns={columns}
      rowName={({ email }) => email}
      rowActs={(one) => isPending(one) && <Actions of={acts(one)} />}
      empty={{ icon: "mail", title: texts.noInvitationsTitle, text: texts.noInvitationsText, act: invite }}
    />
  );
}
