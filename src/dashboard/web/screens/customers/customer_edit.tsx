import { customerFields, customerSections } from "../../../../customers/customer.resource.ts";
import { patch, post } from "../../api/client.ts";
import { useOpened } from "../../api/query.ts";
import type { Customer } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import type { FormField } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { withMerchantField } from "../../components/merchant_field.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { customerName } from "../../components/pickers.tsx";
import { formFields } from "../../components/resource_fields.ts";
import type { ScreenProps } from "../../components/screen.ts";
import { showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { customerTexts as texts } from "../../text/customers.ts";
import { titles } from "../../text/navigation.ts";

const fields = formFields(customerFields, customerSections, false);
const withAddress: readonly FormField[] = [
  ...formFields(customerFields, customerSections, true),
  { kind: "heading", name: "place", label: texts.withAddress, help: texts.withAddressHelp },
  { kind: "address", name: "shipping_addresses[0]", label: "", first: { country: "US" } },
];

export function NewCustomerScreen() {
  return (
    <Page title={titles.newCustomer} back={{ href: to("/customers"), title: titles.customers }} narrow>
      <Card>
        <Form
          fields={withMerchantField(withAddress)}
          submit={words.create}
          onCancel={() => navigate(to("/customers"))}
          onSubmit={async (_values, key, { "shipping_addresses[0]": address, ...person }) => {
            const body = { ...person, shipping_addresses: address === null ? [] : [address] };
            const { data } = await post<Customer>("/customers", body, { key });
            showSuccess(texts.made(customerName(data)));
            navigate(to(`/customers/${data.id}`), { replace: true });
          }}
        />
      </Card>
    </Page>
  );
}

/** Edits a customer. Refused if someone else edited it since it was opened. */
export function EditCustomerScreen({ params }: ScreenProps) {
  const { data: customer, etag, problem, loading } = useOpened<Customer>(`/customers/${params["id"]}`);
  const back = to(`/customers/${params["id"]}`);
  if (loading) return <Skeleton />;
  const title = customer === undefined ? titles.customer : customerName(customer);
  return (
    <Page title={titles.editCustomer} back={{ href: back, title }} narrow>
      {problem && <Notice problem={problem} />}
      {customer && (
        <Card>
          <Form
            fields={fields}
            record={customer}
            submit={words.save}
            unchanged={false}
            onCancel={() => navigate(back)}
            onSubmit={async (_values, key, body) => {
              await patch<Customer>(`/customers/${customer.id}`, body, { key, match: etag });
              showSuccess(texts.saved(title));
              navigate(back, { replace: true });
            }}
          />
        </Card>
      )}
    </Page>
  );
}
