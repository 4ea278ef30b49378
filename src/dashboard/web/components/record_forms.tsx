// Pages with the form of a new record or of an existing one.
import type { ComponentType } from "preact";
import { type ApiReply, patch } from "../api/client.ts";
import { useOpened } from "../api/query.ts";
import { navigate, to } from "../browser/router.ts";
import { words } from "../text/common.ts";
import type { FormField, FormValues } from "./fields.tsx";
import { Form } from "./form.tsx";
import { withMerchantField } from "./merchant_field.tsx";
import { Notice, Skeleton } from "./notice.tsx";
import { Card, Page } from "./page.tsx";
import { ownPath } from "./record_screen.tsx";
import type { ScreenProps } from "./screen.ts";
import { showSuccess } from "./toasts.tsx";

interface NewRecordPageProps<Made> extends Pick<ScreenProps, "title" | "back"> {
  readonly fields: readonly FormField[];
  /** Initial values that are not those of the fields. */
  readonly first?: FormValues;
  readonly submit?: string;
  /** Whether the record belongs to no merchant, so that the form does not ask for one. */
  readonly of_operator?: boolean;
  readonly create: (values: FormValues, key: string, body: FormValues) => Promise<ApiReply<Made>>;
  /** The success message. */
  readonly done: (made: Made) => string;
  /** The path of the new record's screen. */
  readonly opens: (made: Made) => string;
}

/** A page with the form of a new record. It opens the record once it is created. */
export function NewRecordPage<Made>(props: NewRecordPageProps<Made>) {
  const { title, back, fields, first = {}, submit = words.create, of_operator = false, create, done, opens } = props;
  return (
    <Page title={title} back={back} narrow>
      <Card>
        <Form
          fields={of_operator ? fields : withMerchantField(fields)}
          first={first}
          submit={submit}
          onCancel={() => navigate(back?.href ?? to("/"))}
          onSubmit={async (values, key, body) => {
            const { data } = await create(values, key, body);
            showSuccess(done(data));
            navigate(to(opens(data)), { replace: true });
          }}
        />
      </Card>
    </Page>
  );
}

interface EditSettings<Data> {
  readonly fields: readonly FormField[];
  /** The name of the record, which the link back to it shows. */
  readonly name: (record: Data) => string;
  /** The success message. */
  readonly done: (record: Data) => string;
}

/**
 * The screen that edits a record, whose path is below that of the record's own screen. Saving is refused if someone
 * else edited the record since it was opened. `path` is that of the API, with the parameters of the screen's own path.
 */
export function editScreen<Data extends object>(
  path: string,
  { fields, name, done }: EditSettings<Data>,
): ComponentType<ScreenProps> {
  return function EditScreen({ params, title, back }) {
    const own = ownPath(path, params);
    const { data: record, etag, problem, loading } = useOpened<Data>(own);
    if (loading) return <Skeleton />;
    const href = back?.href ?? to("/");
    return (
      <Page title={title} back={back && record ? { ...back, title: name(record) } : back} narrow>
        {problem && <Notice problem={problem} />}
        {record && (
          <Card>
            <Form
              fields={fields}
              record={record}
              submit={words.save}
              unchanged={false}
              onCancel={() => navigate(href)}
              onSubmit={async (_values, key, body) => {
                await patch<Data>(own, body, { key, match: etag });
                showSuccess(done(record));
                navigate(href, { replace: true });
              }}
            />
          </Card>
        )}
      </Page>
    );
  };
}
