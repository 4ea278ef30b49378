import type { Platform } from "../../../../platforms/platforms.transitions.ts";
import { post } from "../../api/client.ts";
import type { PlatformConnection } from "../../api/developer_types.ts";
import { navigate, query, setQuery, to } from "../../browser/router.ts";
import { Badge } from "../../components/badge.tsx";
import { Form } from "../../components/form.tsx";
import { ListPage } from "../../components/list_page.tsx";
import { withMerchantField } from "../../components/merchant_field.tsx";
import { Card, Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import type { TableColumn } from "../../components/table.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { titles } from "../../text/navigation.ts";
import { platformTexts as texts } from "../../text/platforms.ts";
import { connectionFields, platformOptions } from "./platform_fields.ts";

const columns: readonly TableColumn<PlatformConnection>[] = [
  { id: "name", title: words.name, text: "name", wide: true },
  { id: "platform", title: texts.platform, cell: ({ platform }) => texts.platforms[platform] },
  {
    id: "status",
    title: words.status,
    cell: ({ status, warnings }) => (
      <>
        <Badge state={status} /> {warnings.length > 0 && <Badge tone="warning">{texts.warning}</Badge>}
      </>
    ),
  },
  { id: "store", title: texts.store, code: "store_id" },
  { id: "created", title: texts.created, time: "created_at" },
];

export function PlatformsScreen() {
  return (
    <ListPage<PlatformConnection>
      title={titles.platforms}
      path="/platforms"
      columns={columns}
      href={({ id }) => to(`/settings/platforms/${id}`)}
      create={{ title: texts.add, href: to("/settings/platforms/new") }}
      empty={{ icon: "plug", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

/** Connects a store: first the platform, then its fields. */
export function NewPlatformScreen({ title: name, back }: ScreenProps) {
  const chosen = query.value.get("platform");
  const platform: Platform = platformOptions.find(({ value }) => value === chosen)?.value ?? "shopify";
  return (
    <Page title={name} back={back} narrow>
      <Card>
        <div class="field choice-row" role="radiogroup" aria-label={texts.platform}>
          {platformOptions.map(({ value, title }) => (
            <label key={value} class={value === platform ? "chosen" : ""}>
              <input
                type="radio"
                name="platform"
                checked={value === platform}
                onChange={() => setQuery({ platform: value })}
              />
              {title}
            </label>
          ))}
        </div>
        <Form
          key={platform}
          fields={withMerchantField(connectionFields(platform, true))}
          submit={texts.add}
          onCancel={() => navigate(to("/settings/platforms"))}
          onSubmit={async (_values, key, body) => {
            const { data } = await post<PlatformConnection>("/platforms", { platform, ...body }, { key });
            showSuccess(texts.created_(data.name));
            navigate(to(`/settings/platforms/${data.id}`), { replace: true });
          }}
        />
      </Card>
    </Page>
  );
}
