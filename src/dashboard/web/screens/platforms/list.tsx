import type { Connection } from "../../api/developer_types.ts";
import { to } from "../../browser/router.ts";
import { Badge } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty_state.tsx";
import { ListPage } from "../../kit/list_page.tsx";
import type { Column } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { titles } from "../../texts/navigation.ts";
import { platformTexts as texts } from "../../texts/platforms.ts";

const columns: readonly Column<Connection>[] = [
  { id: "name", title: texts.name, cell: ({ name }) => name, wide: true },
  { id: "platform", title: texts.platform, cell: ({ platform }) => texts.platforms[platform] },
  { id: "status", title: texts.status, cell: ({ status }) => <Badge state={status} /> },
  { id: "store", title: texts.store, cell: ({ store_id }) => <code>{store_id}</code> },
  { id: "created", title: texts.created, cell: ({ created_at }) => <Time at={created_at} /> },
];

/** All connected stores. */
export function PlatformsScreen() {
  const add = <LinkButton kind="primary" icon="plus" title={texts.add} href={to("/settings/platforms/new")} />;
  return (
    <ListPage<Connection>
      name={titles.platforms}
      title={titles.platforms}
      path="/platforms"
      columns={columns}
      id={({ id }) => id}
      href={({ id }) => to(`/settings/platforms/${id}`)}
      acts={add}
      empty={<EmptyState icon="plug" title={texts.emptyTitle} text={texts.emptyText} act={add} />}
    />
  );
}
