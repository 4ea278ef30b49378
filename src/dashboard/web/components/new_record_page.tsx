import type { ApiReply } from "../api/client.ts";
import { navigate, to } from "../browser/router.ts";
import { words } from "../text/common.ts";
import type { FormField, FormValues } from "./fields.tsx";
import { Form } from "./form.tsx";
import { withMerchantField } from "./merchant_field.tsx";
import { Card, Page } from "./page.tsx";
import type { ScreenProps } from "./screen.ts";
import { showSuccess } from "./toasts.tsx";

interface NewRecordPageProps<Made> extends Pick<ScreenProps, "title" | "back"> {
  readonly fields: readonly FormField[];
  readonly first: FormValues;
  readonly submit?: string;
  /** Whether the record belongs to no merchant, so that the form does not ask for one. */
  readonly of_operator?: boolean;
  readonly create: (values: FormValues, key: string) => Promise<ApiReply<Made>>;
  /** The success message. */
  readonly done: (made: Made) => string;
  /** The path of the new record's screen. */
  readonly opens: (made: Made) => string;
}

/** A page with the form of a new record. It opens the record once it is created. */
export function NewRecordPage<Made>(props: NewRecordPageProps<Made>) {
  const { title, back, fields, first, submit = words.create, of_operator = false, create, done, opens } = props;
  return (
    <Page title={title} back={back} narrow>
      <Card>
        <Form
          fields={of_operator ? fields : withMerchantField(fields)}
          first={first}
          submit={submit}
          onCancel={() => navigate(back?.href ?? to("/"))}
          onSubmit={async (values, key) => {
            const { data } = await create(values, key);
            showSuccess(done(data));
            navigate(to(opens(data)), { replace: true });
          }}
        />
      </Card>
    </Page>
  );
}
