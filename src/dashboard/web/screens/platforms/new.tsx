import type { Platform } from "../../../../platforms/status.ts";
import { post } from "../../api/client.ts";
import type { Connection } from "../../api/developer_types.ts";
import { navigate, query, setQuery, to } from "../../browser/router.ts";
import { Form } from "../../kit/form.tsx";
import { withMerchantField, withoutMerchant } from "../../kit/merchant_field.tsx";
import { Card, Page } from "../../kit/page.tsx";
import { said } from "../../shell/toasts.tsx";
import { titles } from "../../texts/navigation.ts";
import { platformTexts as texts } from "../../texts/platforms.ts";
import { bodyOf, connectionFields, newConnection, platformOptions } from "./fields.ts";

/** Connects a store: first the platform, then its fields. */
export function NewPlatformScreen() {
  const chosen = query.value.get("platform");
  const platform: Platform = platformOptions.find(({ value }) => value === chosen)?.value ?? "shopify";
  return (
    <Page title={texts.add} back={{ href: to("/settings/platforms"), title: titles.platforms }} narrow>
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
          first={newConnection}
          submit={texts.add}
          onCancel={() => navigate(to("/settings/platforms"))}
          onSubmit={async (values, key) => {
            const { data } = await post<Connection>(
              "/platforms",
              { platform, ...bodyOf(withoutMerchant(values), true) },
              { key },
            );
            said(texts.created_(data.name));
            navigate(to(`/settings/platforms/${data.id}`), { replace: true });
          }}
        />
      </Card>
    </Page>
  );
}
