import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { chosenMerchant, openMerchants, several } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import { seesHouse } from "../../api/session.ts";
import type { LinkedInvitation, Role } from "../../api/types.ts";
import { Dialog } from "../../kit/dialog.tsx";
import type { Field } from "../../kit/fields.tsx";
import { Form } from "../../kit/form.tsx";
import { SecretOnce } from "../../kit/values.tsx";
import { merchantTexts } from "../../texts/merchants.ts";
import { userTexts as texts } from "../../texts/users.ts";
import { roleField } from "./role_field.tsx";

/** The field for where somebody is invited to: to the house, or to a merchant. */
function memberField(): readonly Field[] {
  if (!several.value) return [];
  const options = openMerchants.value.map(({ code, name }) => ({
    value: code,
    title: merchantTexts.option(code, name),
  }));
  const choice = { kind: "select", name: "merchant_id", label: texts.memberOf, help: texts.memberOfHelp } as const;
  return [{ ...choice, required: false, empty: merchantTexts.forHouse, options }];
}

/** Invites somebody, and shows the link. */
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
          { name: "email", kind: "text", type: "email", label: texts.email, required: true, focus: true },
          { name: "name", kind: "text", label: texts.inviteName },
          ...memberField(),
          roleField(roles),
        ]}
        first={{ email: "", name: "", merchant_id: chosenMerchant.value?.code ?? "", role: "office" }}
        submit={texts.inviteSubmit}
        onCancel={onClose}
        onSubmit={async ({ email, name, role, merchant_id }, key) => {
          const where = seesHouse.value && several.value ? { merchant_id: merchant_id || null } : {};
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
export function LinkDialog({ invitation: { email, link, proof }, onClose }: LinkProps) {
  // If the service does not know its own address, the address of this page is used.
  const whole = link.startsWith("/") ? `${location.origin}${link}` : link;
  return (
    <Dialog title={texts.linkTitle} onClose={onClose}>
      <SecretOnce
        secret={whole}
        name={texts.linkName}
        text={texts.linkTexts[proof](email)}
        done={texts.linkDone}
        onDone={onClose}
      />
    </Dialog>
  );
}
