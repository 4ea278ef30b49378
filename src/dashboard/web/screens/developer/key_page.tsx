import { useState } from "preact/hooks";
import { patch, post } from "../../api/client.ts";
import type { ApiKey, MadeKey } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { navigate, to } from "../../browser/router.ts";
import { Badge } from "../../components/badge.tsx";
import { Button, LinkButton } from "../../components/button.tsx";
import type { FormField } from "../../components/fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { DescriptionList, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { keyTexts as texts } from "../../text/keys.ts";
import { titles } from "../../text/navigation.ts";
import { keyFields, NewSecret } from "./key_fields.tsx";

/** One API key: its settings, rejected IP addresses and actions. */
export function KeyScreen({ params }: ScreenProps) {
  const { data: key, etag, problem, loading, reload } = useQuery<ApiKey>(`/keys/${params["id"]}`);
  const back = { href: to("/settings/keys"), title: titles.keys };
  if (loading) return <Skeleton />;
  if (!key) {
    return (
      <Page title={titles.key} back={back}>
        {problem && <Notice problem={problem} onRetry={reload} />}
      </Page>
    );
  }
  return (
    <Page
      title={key.name}
      back={back}
      badge={<Badge state={key.status} />}
      owned={key}
      below={<code>{`${key.prefix}…${key.last_four}`}</code>}
      acts={<Acts apiKey={key} etag={etag} />}
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
    <Card title={texts.details}>
      <DescriptionList
        facts={[
          [texts.level, texts.levels[key.permission]],
          [texts.rate, limit === null ? texts.default_rate : limit === 0 ? texts.noLimit : count(limit)],
          [texts.lastUsed, key.last_used_at === null ? texts.never : <Time at={key.last_used_at} />],
          [texts.created, <Time at={key.created_at} />],
          [texts.expires, key.expires_at && <Time at={key.expires_at} exact />],
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
  const allow = async (address: string) => {
    try {
      await patch<ApiKey>(`/keys/${key.id}`, { ip_list: [...ip_list, address] }, { match: etag });
      showSuccess(texts.allowed(address));
    } catch (error) {
      showRefused(error);
    }
  };
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
                    <Button title={texts.allow} onClick={() => void allow(address)} />
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
    options: optionsOf(texts.overlaps),
  },
];

const revokeFields: readonly FormField[] = [
  {
    kind: "select",
    name: "when",
    label: texts.when,
    required: true,
    options: [
      { value: "now", title: texts.now },
      { value: "later", title: texts.later },
    ],
  },
  { kind: "date", name: "at", label: texts.at, required: true, when: ({ when }) => when === "later" },
  { kind: "switch", name: "allow_lockout", label: texts.lockout, help: texts.lockoutHelp },
];

type OpenKeyDialog = "change" | "rotate" | "revoke" | null;

function Acts({ apiKey: key, etag }: KeyProps & { readonly etag: string | null }) {
  const [open, setOpen] = useState<OpenKeyDialog>(null);
  const [made, setMade] = useState<MadeKey | null>(null);
  const close = () => setOpen(null);
  const done = () => {
    if (made !== null) navigate(to(`/settings/keys/${made.id}`));
    setMade(null);
  };
  if (key.status !== "active" && made === null) return null;
  return (
    <>
      <Button title={texts.revoke} kind="danger" onClick={() => setOpen("revoke")} />
      {key.replaced_by === null && <Button title={texts.rotate} icon="refresh" onClick={() => setOpen("rotate")} />}
      <Button title={texts.edit} icon="edit" onClick={() => setOpen("change")} />
      {open === "change" && (
        <FormDialog
          title={texts.editTitle(key.name)}
          fields={keyFields(false)}
          record={key}
          submit={words.save}
          unchanged={false}
          onClose={close}
          onSubmit={async (_values, id, body) => {
            await patch<ApiKey>(`/keys/${key.id}`, body, { key: id, match: etag });
            showSuccess(texts.saved(key.name));
          }}
        />
      )}
      {open === "rotate" && (
        <FormDialog
          title={texts.rotateTitle(key.name)}
          text={texts.rotateText}
          fields={overlapFields}
          first={{ overlap_seconds: "86400" }}
          submit={texts.rotate}
          onClose={close}
          onSubmit={async ({ overlap_seconds }, id) => {
            const body = { overlap_seconds: Number(overlap_seconds) };
            const { data } = await post<MadeKey>(`/keys/${key.id}/rotate`, body, { key: id });
            setMade(data);
          }}
        />
      )}
      {open === "revoke" && (
        <FormDialog
          title={texts.revokeTitle(key.name)}
          text={texts.revokeText}
          fields={revokeFields}
          first={{ when: "now" }}
          submit={texts.revoke}
          danger
          onClose={close}
          onSubmit={async ({ when, at, allow_lockout }, id) => {
            const body = { ...(when === "later" && { at }), ...(allow_lockout === true && { allow_lockout }) };
            await post<ApiKey>(`/keys/${key.id}/revoke`, body, { key: id });
            showSuccess(when === "later" ? texts.revokedLater(key.name) : texts.revokedNow(key.name));
          }}
        />
      )}
      {made && <NewSecret made={made} onDone={done} />}
    </>
  );
}
