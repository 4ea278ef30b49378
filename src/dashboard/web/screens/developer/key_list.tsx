import type { ApiKey, MadeKey } from "../../api/developer_types.ts";
import { to } from "../../browser/router.ts";
import type { Action } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { openDialog } from "../../components/dialog.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { choice, ListPage } from "../../components/list_page.tsx";
import { merchantChoice, merchantIn } from "../../components/merchant_field.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { keyTexts as texts } from "../../text/keys.ts";
import { titles } from "../../text/navigation.ts";
import { keyFields, NewSecret } from "./key_fields.tsx";

const columns: readonly TableColumn<ApiKey>[] = [
  { id: "name", title: words.name, text: "name", wide: true },
  { id: "status", title: words.status, cell: ({ status }) => <Badge state={status} /> },
  { id: "level", title: texts.level, cell: ({ permission }) => texts.levels[permission] },
  { id: "key", title: texts.key, cell: ({ prefix, last_four }) => <code>{`${prefix}…${last_four}`}</code> },
  {
    id: "addresses",
    title: texts.addresses,
    cell: (it) => (it.ip_mode === "observe" ? <Observed observed={it.observed} /> : texts.modes[it.ip_mode]),
  },
  {
    id: "used",
    title: texts.lastUsed,
    cell: ({ last_used_at }) => (last_used_at === null ? texts.never : <Time at={last_used_at} />),
  },
  { id: "expires", title: words.expires, time: "expires_at", extra: true },
  { id: "created", title: words.created, time: "created_at", extra: true },
];

function Observed({ observed }: Pick<ApiKey, "observed">) {
  if (observed === null) return <>{texts.modes.observe}</>;
  return <Badge tone="warning">{texts.observedText(observed.denied)}</Badge>;
}

/** The API keys of the current environment. */
export function KeysScreen() {
  return (
    <ListPage<ApiKey>
      title={titles.keys}
      path="/keys"
      filters={[choice("status", words.status, optionsOf(texts.statuses))]}
      columns={columns}
      href={({ id }) => to(`/settings/keys/${id}`)}
      create={addKey()}
      empty={{ icon: "key", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

const addKey = (): Action => ({
  title: texts.add,
  ask: {
    title: texts.add,
    fields: [...merchantChoice({ or_operator: true }), ...keyFields(true)],
    submit: words.create,
  },
  call: (values, body) => ({ method: "POST", path: "/keys", body, merchant: merchantIn(values) }),
  after: (made: MadeKey) => openDialog((close) => <NewSecret made={made} onDone={close} />),
});
