import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { navigate, query, to } from "../../browser/router.ts";
import { Icon } from "../../components/icon.tsx";
import { SearchField } from "../../components/list_page.tsx";
import { EmptyState } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import {
  groupOf,
  groupsOf,
  listed,
  type Screen,
  type ScreenGroup,
  type ScreenProps,
  screensOf,
} from "../../components/screen.ts";
import { useRowKeys } from "../../components/table.tsx";
import { overviewTexts as texts } from "../../text/settings_cards.ts";
import { cardStates } from "./card_states.tsx";
import { searchSettings } from "./settings_search.ts";

const groups = (): readonly ScreenGroup[] => listed.sections.flatMap(groupsOf);

/** All settings by group, and a search over them. */
export function SettingsScreen({ title }: ScreenProps) {
  useRowKeys();
  const typed = query.value.get("q") ?? "";
  const found = typed === "" ? null : searchSettings(groups().flatMap(screensOf), typed);
  const open = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    // The typed text is part of the address only after a short pause.
    const now = (event.target as HTMLInputElement).value;
    const [first] = searchSettings(groups().flatMap(screensOf), now);
    if (now.trim() !== "" && first) navigate(to(first.entry.path));
  };
  return (
    <Page title={title}>
      <div class="settings-search" role="search" onKeyDown={open}>
        <SearchField param="q" hint={texts.search} />
        <span role="status" class="unseen">
          {found && texts.found(found.length)}
        </span>
      </div>
      {found === null && (
        <div class="settings-groups">
          {groups().map((group) => (
            <Group key={group.id} group={group} />
          ))}
        </div>
      )}
      {found?.length === 0 && <EmptyState icon="search" title={texts.nothing(typed)} text={texts.nothingHint} />}
      {found && found.length > 0 && (
        <ul class="settings-cards">
          {found.map(({ entry, keywords }) => (
            <SettingsCard key={entry.path} screen={entry}>
              {[groupOf(entry)?.title, keywords.length > 0 && texts.includes(keywords)].filter(Boolean).join(" · ")}
            </SettingsCard>
          ))}
        </ul>
      )}
    </Page>
  );
}

/** A group with links to its settings. Phones show its title and line only. */
function Group({ group }: { readonly group: ScreenGroup }) {
  return (
    <section class="settings-group" data-row>
      <a class="settings-group-head row-link" href={to(group.path)}>
        <Icon name={group.icon} size={20} />
        <div>
          <h2>{group.title}</h2>
          <p>{group.line}</p>
        </div>
        <Icon name="right" />
      </a>
      <ul>
        {screensOf(group).map(({ path, title }) => (
          <li key={path}>
            <a href={to(path)}>{title}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The settings of one group, as cards with their current state. */
export function SettingsGroupScreen({ params, title }: ScreenProps) {
  useRowKeys();
  const group = groups().find(({ id }) => id === params["group"]);
  useEffect(() => {
    if (group === undefined) navigate(to("/settings"), { replace: true });
  }, [group]);
  if (group === undefined) return null;
  return (
    <Page title={group.title} below={group.line} back={{ href: to("/settings"), title }}>
      <ul class="settings-cards">
        {screensOf(group).map((screen) => {
          const State = cardStates[screen.path];
          return (
            <SettingsCard key={screen.path} screen={screen}>
              {State && <State />}
            </SettingsCard>
          );
        })}
      </ul>
    </Page>
  );
}

interface SettingsCardProps {
  readonly screen: Screen;
  /** The small text at the end of the card. */
  readonly children: ComponentChildren;
}

function SettingsCard({ screen: { path, title, line }, children }: SettingsCardProps) {
  return (
    <li class="settings-card" data-row>
      <h2>
        <a class="row-link" href={to(path)}>
          {title}
        </a>
      </h2>
      <p>{line}</p>
      <small>{children}</small>
    </li>
  );
}
