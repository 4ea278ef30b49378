import { saveFile } from "../../api/client.ts";
import { nameOf } from "../../api/names.ts";
import type { AuditEntry } from "../../api/types.ts";
import { base, query, type TabEnvironment, tabEnvironment, to } from "../../browser/router.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { choice, type ListFilter, ListPage } from "../../components/list_page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { words as common } from "../../text/common.ts";
import { nothing } from "../../text/format.ts";
import { titles } from "../../text/navigation.ts";
import { auditTexts as texts } from "../../text/settings.ts";

/** An operation's name as words: `createOrder` as "Create order". */
function actionWords(action: string): string {
  const known = texts.actions[action];
  if (known !== undefined) return known;
  const words = action.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The details of an action, in a short text. */
function factWords(facts: Readonly<Record<string, unknown>>): string {
  return Object.entries(facts)
    .map(([name, value]) => (Array.isArray(value) ? value.join(", ") : `${name.replaceAll("_", " ")}: ${value}`))
    .join("; ");
}

// The screen of each kind of resource, by the prefix of its id.
const screens: Readonly<Record<string, (id: string) => string>> = {
  ord: (id) => `/orders/${id}`,
  prd: (id) => `/products/${id}`,
  cus: (id) => `/customers/${id}`,
  ret: (id) => `/returns/${id}`,
  lot: (id) => `/lots/${id}`,
  rcv: (id) => `/receipts/${id}`,
  lbl: (id) => `/shipping/labels/${id}`,
  mer: (id) => `/settings/merchants/${id}`,
  whk: (id) => `/settings/webhooks/${id}`,
  key: () => "/settings/keys",
  usr: () => "/settings/users",
  inv: () => "/settings/users?tab=invitations",
};

/** The address of a resource's screen in its environment, or null if it has none. */
function placeOf(target: string, mode: TabEnvironment): string | null {
  const [prefix = "", number] = target.split("_");
  const screen = number !== undefined && /^\d+$/.test(number) ? screens[prefix] : undefined;
  if (screen === undefined) return null;
  const path = screen(target);
  return `${base}${path}${mode === "test" ? `${path.includes("?") ? "&" : "?"}mode=test` : ""}`;
}

const filters: readonly ListFilter[] = [
  { kind: "date", param: "created_after", title: texts.from },
  { kind: "date", param: "created_before", title: texts.before },
  choice("mode", texts.environment, optionsOf(texts.environments)),
];

// Filters that only links set. They are shown once they are set.
const linkedFilters: readonly ListFilter[] = [
  { kind: "text", param: "actor", title: texts.actor },
  { kind: "text", param: "action", title: texts.action },
  { kind: "text", param: "target", title: texts.target },
];

const targets_shown_max = 3;

const columns: readonly TableColumn<AuditEntry>[] = [
  { id: "when", title: common.when, time: "created_at" },
  {
    id: "who",
    title: texts.who,
    cell: ({ actor }) => (
      <a class="who" href={to("/settings/audit", { actor: actor.id })}>
        <span>{actor.name}</span>
      </a>
    ),
  },
  {
    id: "what",
    title: texts.what,
    cell: ({ action }) => <a href={to("/settings/audit", { action })}>{actionWords(action)}</a>,
  },
  { id: "target", title: texts.target, wide: true, cell: (entry) => <Targets entry={entry} /> },
  {
    id: "details",
    title: common.details,
    cell: ({ facts }) => <span class="facts-short">{factWords(facts) || nothing}</span>,
  },
  {
    id: "mode",
    title: texts.environment,
    cell: ({ mode }) => <Badge tone={mode === "test" ? "warning" : "neutral"}>{texts.environments[mode]}</Badge>,
  },
  { id: "address", title: texts.address, extra: true, cell: ({ ip_address }) => ip_address ?? nothing },
  {
    id: "request",
    title: texts.request,
    extra: true,
    cell: ({ request_id }) => (request_id === null ? nothing : <code>{request_id}</code>),
  },
  { id: "answer", title: common.response, align: "right", extra: true, cell: ({ status }) => status ?? nothing },
];

export function AuditScreen() {
  const shown = [...filters, ...linkedFilters.filter(({ param }) => query.value.has(param))];
  const params = Object.fromEntries(
    ["q", ...[...filters, ...linkedFilters].map(({ param }) => param)].map((param) => [param, query.value.get(param)]),
  );
  const save = () => saveFile("/audit/export.csv", "audit.csv", "text/csv", params).catch(showRefused);
  return (
    <ListPage<AuditEntry>
      title={titles.audit}
      path="/audit"
      search={{ param: "q", hint: texts.search }}
      filters={shown}
      columns={columns}
      rowName={({ action }) => actionWords(action)}
      acts={<Button icon="download" title={texts.csv} onClick={save} />}
      empty={{ icon: "list", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

// Other resources may be deleted or belong to the other environment.
const lasting = /^(?:ord|prd|cus|usr|key)_/;
const called = (target: string, entry: AuditEntry) =>
  (entry.mode === tabEnvironment.value && lasting.test(target) ? nameOf(target) : null) ?? target;

function Targets({ entry }: { readonly entry: AuditEntry }) {
  const { targets, mode } = entry;
  if (targets.length === 0) return <>{nothing}</>;
  return (
    <span class="targets">
      {targets.slice(0, targets_shown_max).map((target) => {
        const place = placeOf(target, mode);
        return place === null ? (
          <code key={target}>{called(target, entry)}</code>
        ) : (
          <a key={target} href={place}>
            {called(target, entry)}
          </a>
        );
      })}
      {targets.length > targets_shown_max && <small>{texts.more(targets.length - targets_shown_max)}</small>}
    </span>
  );
}
