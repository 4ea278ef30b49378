import { useQuery } from "../../api/query.ts";
import type { BadgeState, NewBadge, User } from "../../api/types.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog, openDialog } from "../../components/dialog.tsx";
import type { FormField } from "../../components/fields.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card } from "../../components/page.tsx";
import { DescriptionList, Time } from "../../components/values.tsx";
import { badgeTexts as texts } from "../../text/badges.ts";
import { words } from "../../text/common.ts";
import { profileTexts } from "../../text/profile.ts";

const pinField = {
  kind: "text",
  name: "pin",
  label: texts.pin,
  help: texts.pinHelp,
  mono: true,
  required: true,
  autocomplete: "off",
} as const satisfies FormField;

/** The state of a user's badge and PIN. */
function BadgeFacts({ of: { badge_made_at, pin, locked_until } }: { readonly of: BadgeState }) {
  const tone = { unset: "warning", temporary: "info", own: "good" } as const;
  return (
    <DescriptionList
      facts={[
        [texts.made, badge_made_at === null ? texts.noBadge : <Time at={badge_made_at} />],
        [texts.pin, <Badge tone={tone[pin]}>{texts.pins[pin]}</Badge>],
        locked_until === null ? null : [texts.locked, <Time at={locked_until} />],
      ]}
    />
  );
}

interface BadgeDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** The badge and PIN of a user, with what an administrator can do about them. */
export function BadgeDialog({ user: { id, name }, onClose }: BadgeDialogProps) {
  const { data: badge, problem, loading, reload } = useQuery<BadgeState>(`/users/${id}/badge`);
  const has_badge = badge !== undefined && badge.badge_made_at !== null;
  const make: Action = {
    title: has_badge ? texts.replace : texts.make,
    button: "primary",
    ...(has_badge && { ask: { title: texts.replace, text: texts.replaceText } }),
    call: { method: "POST", path: `/users/${id}/badge` },
    after: (made: NewBadge) => openDialog((close) => <BadgeCard name={name} badge={made} onDone={close} />),
  };
  const setPin: Action = {
    title: texts.setPin,
    ask: { title: texts.setPin, text: texts.setPinText(name), fields: [pinField] },
    call: (_, body) => ({ method: "PUT", path: `/users/${id}/pin`, body }),
    done: texts.pinSet,
  };
  const removeBadge: Action = {
    title: texts.remove,
    danger: true,
    when: has_badge,
    ask: { title: texts.remove, text: texts.removeText },
    call: { method: "DELETE", path: `/users/${id}/badge` },
    done: texts.removed,
  };
  return (
    <Dialog title={texts.badgeTitle(name)} onClose={onClose}>
      <p class="dialog-text">{texts.badgeText}</p>
      {problem && <Notice problem={problem} onRetry={reload} />}
      {loading && <Skeleton lines={2} />}
      {badge && <BadgeFacts of={badge} />}
      <footer class="dialog-acts">
        <ActionButton of={removeBadge} />
        <ActionButton of={setPin} />
        <ActionButton of={make} />
      </footer>
    </Dialog>
  );
}

interface BadgeCardProps {
  readonly name: string;
  readonly badge: NewBadge;
  readonly onDone: () => void;
}

/** A new badge, shown once to print it. */
function BadgeCard({ name, badge: { code, barcode_svg }, onDone }: BadgeCardProps) {
  return (
    <Dialog title={texts.newTitle(name)} onClose={onDone} mayClose={() => false}>
      <p class="dialog-text">{texts.newText}</p>
      <figure class="badge-card">
        <figcaption>{name}</figcaption>
        <img alt={code} src={`data:image/svg+xml,${encodeURIComponent(barcode_svg)}`} />
        <code>{code}</code>
      </figure>
      <footer class="dialog-acts">
        <Button icon="print" title={words.print} onClick={() => window.print()} />
        <Button kind="primary" title={words.done} onClick={onDone} />
      </footer>
    </Dialog>
  );
}

/** The user's own badge PIN. */
export function PinCard() {
  const { data: badge, problem, loading, reload } = useQuery<BadgeState>("/users/me/badge");
  const set: Action = {
    title: badge?.pin === "own" ? texts.changeOwn : texts.setOwn,
    ask: {
      title: texts.own,
      text: texts.ownText,
      fields: [
        { ...pinField, type: "password" },
        {
          kind: "text",
          type: "password",
          name: "current_password",
          label: profileTexts.yourPassword,
          required: true,
          autocomplete: "current-password",
        },
      ],
    },
    call: (_, body) => ({ method: "PUT", path: "/users/me/pin", body }),
    done: texts.pinSet,
  };
  return (
    <Card title={texts.own} acts={<ActionButton of={set} />}>
      {problem && <Notice problem={problem} onRetry={reload} />}
      {loading && <Skeleton lines={2} />}
      {badge && <BadgeFacts of={badge} />}
    </Card>
  );
}
