import { saveFile } from "../../api/documents.ts";
import { nameOf } from "../../api/names.ts";
import type { AuditEntry } from "../../api/types.ts";
import { query, to } from "../../browser/router.ts";
import { world } from "../../browser/world.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty_state.tsx";
import { type Filter, ListPage } from "../../kit/list_page.tsx";
import type { Column } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { refused } from "../../shell/toasts.tsx";
import { auditTexts as texts } from "../../texts/audit.ts";
import { nothing } from "../../texts/format.ts";
import { titles } from "../../texts/navigation.ts";
import { actionWords, factWords, placeOf } from "./words.ts";

const filters: readonly Filter[] = [
  { kind: "date", param: "from", title: texts.from },
  { kind: "date", param: "to", title: texts.before },
  {
    kind: "choice",
    param: "world",
    title: texts.world,
    options: Object.entries(texts.worlds).map(([value, title]) => ({ value, title })),
  },
];

// Filters that only links set. They are shown once they are set.
const linkedFilters: readonly Filter[] = [
  { kind: "text", param: "actor", title: texts.actor },
  { kind: "text", param: "action", title: texts.action },
  { kind: "text", param: "target", title: texts.target },
];

const targets_shown_max = 3;

const columns: readonly Column<AuditEntry>[] = [
  { id: "when", title: texts.when, cell: ({ created_at }) => <Time at={created_at} /> },
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
    title: texts.details,
    cell: ({ facts }) => <span class="facts-short">{factWords(facts) || nothing}</span>,
  },
  {
    id: "world",
    title: texts.world,
    cell: ({ world }) => <Badge tone={world === "test" ? "warning" : "neutral"}>{texts.worlds[world]}</Badge>,
  },
  { id: "address", title: texts.address, extra: true, cell: ({ ip_address }) => ip_address ?? nothing },
  {
    id: "request",
    title: texts.request,
    extra: true,
    cell: ({ request_id }) => (request_id === null ? nothing : <code>{request_id}</code>),
  },
  { id: "answer", title: texts.answer, align: "right", extra: true, cell: ({ status }) => status ?? nothing },
];

/** Who did what. */
export function AuditScreen() {
  const shown = [...filters, ...linkedFilters.filter(({ param }) => query.value.has(param))];
  const params = Object.fromEntries(
    ["q", ...[...filters, ...linkedFilters].map(({ param }) => param)].map((param) => [param, query.value.get(param)]),
  );
  const save = () => saveFile("/audit/export.csv", "audit.csv", "text/csv", params).catch(refused);
  return (
    <ListPage<AuditEntry>
      name={titles.audit}
      title={titles.audit}
      path="/audit"
      search={{ param: "q", hint: texts.search }}
      filters={shown}
      columns={columns}
      id={({ id }) => id}
      rowName={({ action }) => actionWords(action)}
      acts={<Button icon="download" title={texts.csv} onClick={save} />}
      empty={<EmptyState icon="list" title={texts.emptyTitle} text={texts.emptyText} />}
    />
  );
}

// The rest may be gone, or lie in the other environment.
const lasting = /^(?:ord|prd|cus|usr|key)_/;
const called = (target: string, entry: AuditEntry) =>
  (entry.world === world.value && lasting.test(target) ? nameOf(target) : null) ?? target;

function Targets({ entry }: { readonly entry: AuditEntry }) {
  const { targets, world: of } = entry;
  if (targets.length === 0) return <>{nothing}</>;
  return (
    <span class="targets">
      {targets.slice(0, targets_shown_max).map((target) => {
        const place = placeOf(target, of);
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
