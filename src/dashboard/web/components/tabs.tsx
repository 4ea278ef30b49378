import type { ComponentChildren } from "preact";
import { query, setQuery } from "../browser/router.ts";

/** A tab of a page. */
interface Tab {
  readonly id: string;
  readonly title: string;
  readonly count?: number | undefined;
  readonly content: () => ComponentChildren;
}

interface TabsProps {
  readonly tabs: readonly Tab[];
  readonly name: string;
  /** The query parameter that names the tab. */
  readonly param?: string;
}

/** Tabs of a page. The address names the one that is shown. */
export function Tabs({ tabs, name, param = "tab" }: TabsProps) {
  const current = tabs.find(({ id }) => id === query.value.get(param)) ?? tabs[0];
  if (current === undefined) return null;
  const choose = (id: string) => setQuery({ [param]: id === tabs[0]?.id ? null : id });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = tabs[(tabs.indexOf(current) + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    choose(next.id);
    document.getElementById(`tab-${param}-${next.id}`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={name} class="tab-list">
        {tabs.map(({ id, title, count }) => (
          <button
            key={id}
            id={`tab-${param}-${id}`}
            type="button"
            role="tab"
            aria-selected={id === current.id}
            aria-controls={`panel-${param}`}
            tabIndex={id === current.id ? 0 : -1}
            onClick={() => choose(id)}
            onKeyDown={onKeyDown}
          >
            {title}
            {count !== undefined && <span class="count">{count}</span>}
          </button>
        ))}
      </div>
      <div id={`panel-${param}`} role="tabpanel" aria-labelledby={`tab-${param}-${current.id}`}>
        {current.content()}
      </div>
    </div>
  );
}
