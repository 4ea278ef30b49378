import type { ApiKey, MadeKey } from "../../api/developer_types.ts";
import { navigate, to } from "../../browser/router.ts";
import { type Action, ActionButton, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { openDialog } from "../../components/dialog.tsx";
import type { FormField } from "../../components/fields.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { Card, Columns, Page } from "../../components/page.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import { DescriptionList, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { keyTexts as texts } from "../../text/keys.ts";
import { keyFields, NewSecret } from "./key_fields.tsx";

/** One API key: its settings, rejected IP addresses and actions. */
export const KeyScreen = recordScreen("/keys/:id", KeyPage);

function KeyPage({ record: key, etag, back }: RecordProps<ApiKey>) {
  return (
    <Page
      title={key.name}
      back={back}
      badge={<Badge state={key.status} />}
      owned={key}
      below={<code>{`${key.prefix}…${key.last_four}`}</code>}
      acts={key.status === "active" && <Actions of={keyActions(key, etag)} />}
    >
      <Columns main={<Addresses apiKey={key} etag={etag} />} side={<Details apiKey={key} />} />
    </Page>
  );
}

interface KeyProps {
  /** Not named `key`, which Preact reserves. */
  readonly apiKey: ApiKey;
}

function Details({ apiKey: key }: KeyProps) {
  const limit = key.rate_limit_per_minute;
  const ending = key.status === "revoked" ? texts.revoked : texts.revokes;
  return (
    <Card title={words.details}>
      <DescriptionList
        facts={[
          [texts.level, texts.levels[key.permission]],
          [texts.rate, limit === null ? texts.default_rate : limit === 0 ? texts.noLimit : count(limit)],
          [texts.lastUsed, key.last_used_at === null ? texts.never : <Time at={key.last_used_at} />],
          [words.created, <Time at={key.created_at} />],
          [words.expires, key.expires_at && <Time at={key.expires_at} exact />],
          key.revoked_at === null ? null : [ending, <Time at={key.revoked_at} exact />],
          key.replaced_by === null
            ? null
            : [texts.replacedBy, <a href={to(`/settings/keys/${key.replaced_by}`)}>{key.replaced_by}</a>],
        ]}
      />
      <p class="card-more">
        <LinkButton icon="list" title={texts.requests} href={to(`/settings/requests?actor=${key.id}`)} />
      </p>
    </Card>
  );
}

function Addresses({ apiKey: key, etag }: KeyProps & { readonly etag: string | null }) {
  const { ip_mode, ip_list, observed } = key;
  const allow = (address: string): Action => ({
    title: texts.allow,
    match: etag,
    done: texts.allowed(address),
    call: { method: "PATCH", path: `/keys/${key.id}`, body: { ip_list: [...ip_list, address] } },
  });
  return (
    <>
      <Card title={texts.addresses}>
        <DescriptionList
          facts={[
            [texts.addressMode, texts.modes[ip_mode]],
            ip_mode === "off" ? null : [texts.list, <code class="lines">{ip_list.join("\n")}</code>],
          ]}
        />
      </Card>
      {ip_mode === "observe" && (
        <Card title={texts.observed}>
          {observed === null ? (
            <p>{texts.observedNone}</p>
          ) : (
            <>
              <p>{texts.observedText(observed.denied)}</p>
              <ul class="lines-with-acts">
                {observed.addresses.map(({ address, at }) => (
                  <li key={address}>
                    <code>{address}</code>
                    <span class="muted">
                      <Time at={at} />
                    </span>
                    <ActionButton of={allow(address)} />
                  </li>
                ))}
              </ul>
            </>
          )}
        </Card>
      )}
    </>
  );
}

const overlapFields: readonly FormField[] = [
  {
    kind: "select",
    name: "overlap_seconds",
    label: texts.overlap,
    required: true,
    first: "86400",
    sent: Number,
    options: optionsOf(texts.overlaps),
  },
];

const revokeFields: readonly FormField[] = [
  {
    kind: "select",
    name: "when",
    label: words.when,
    required: true,
    options: [
      { value: "now", title: texts.now },
      { value: "later", title: texts.later },
    ],
  },
  { kind: "date", name: "at", label: words.on, required: true, when: ({ when }) => when === "later" },
  { kind: "switch", name: "allow_lockout", label: texts.lockout, help: texts.lockoutHelp },
];

/** The actions on a key. */
function keyActions(key: ApiKey, etag: string | null): readonly Action[] {
  const { id, name } = key;
  return [
    {
      title: words.edit,
      icon: "edit",
      button: true,
      match: etag,
      done: texts.saved(name),
      ask: { title: texts.editTitle(name), fields: keyFields(false), record: key },
      call: { method: "PATCH", path: `/keys/${id}` },
    },
    {
      title: texts.rotate,
      icon: "refresh",
      button: true,
      when: key.replaced_by === null,
      ask: { title: texts.rotateTitle(name), text: texts.rotateText, fields: overlapFields },
      call: { method: "POST", path: `/keys/${id}/rotate` },
      after: (made: MadeKey) => openDialog((close) => <NewSecret made={made} onDone={() => openKey(made, close)} />),
    },
    {
      title: texts.revoke,
      button: true,
      danger: true,
      ask: { title: texts.revokeTitle(name), text: texts.revokeText, fields: revokeFields, first: { when: "now" } },
      call: ({ when, at, allow_lockout }) => {
        const body = { ...(when === "later" && { at }), ...(allow_lockout === true && { allow_lockout }) };
        return { method: "POST", path: `/keys/${id}/revoke`, body };
      },
      done: (_data, { when }) => (when === "later" ? texts.revokedLater(name) : texts.revokedNow(name)),
    },
  ];
}

function openKey({ id }: MadeKey, close: () => void): void {
  close();
  navigate(to(`/settings/keys/${id}`));
}
