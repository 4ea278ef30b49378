import { patch, post } from "../../api/client.ts";
import type { Merchant } from "../../api/merchants.ts";
import { useOpened } from "../../api/query.ts";
import { navigate, to } from "../../browser/router.ts";
import { Form } from "../../kit/form.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Card, Page } from "../../kit/page.tsx";
import type { ScreenProps } from "../../kit/screen.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { said } from "../../shell/toasts.tsx";
import { words } from "../../texts/common.ts";
import { merchantTexts as texts } from "../../texts/merchants.ts";
import { bodyOf, merchantFields, newMerchant, valuesOf } from "./fields.tsx";

/** Creates a merchant. */
export function NewMerchantScreen() {
  const back = to("/settings/merchants");
  return (
    <Page title={texts.add} back={{ href: back, title: texts.title }} narrow>
      <Card>
        <Form
          fields={merchantFields(true)}
          first={newMerchant}
          submit={words.create}
          onCancel={() => navigate(back)}
          onSubmit={async (values, key) => {
            const { data } = await post<Merchant>("/merchants", bodyOf(values), { key });
            said(texts.made(data.name));
            navigate(to(`/settings/merchants/${data.id}`), { replace: true });
          }}
        />
      </Card>
    </Page>
  );
}

/** Changes a merchant, unless somebody else changed it meanwhile. */
export function ChangeMerchantScreen({ params }: ScreenProps) {
  const { data: merchant, etag, problem, loading } = useOpened<Merchant>(`/merchants/${params["id"]}`);
  const back = to(`/settings/merchants/${params["id"]}`);
  if (loading) return <Skeleton />;
  return (
    <Page title={texts.change} back={{ href: back, title: merchant?.name ?? texts.one }} narrow>
      {problem && <Notice problem={problem} />}
      {merchant && (
        <Card>
          <Form
            fields={merchantFields(false)}
            first={valuesOf(merchant)}
            submit={words.save}
            unchanged={false}
            onCancel={() => navigate(back)}
            onSubmit={async (values, key) => {
              await patch<Merchant>(`/merchants/${merchant.id}`, bodyOf(values), { key, match: etag });
              said(texts.saved(merchant.name));
              navigate(back, { replace: true });
            }}
          />
        </Card>
      )}
    </Page>
  );
}
