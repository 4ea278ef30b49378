import { patch, post } from "../../api/client.ts";
import { useOpened } from "../../api/query.ts";
import type { Customer } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { withMerchantField, withoutMerchant } from "../../components/merchant_field.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { customerName } from "../../components/pickers.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { customerTexts as texts } from "../../text/customers.ts";
import { titles } from "../../text/navigation.ts";

const fields: readonly FormField[] = [
  { kind: "text", name: "first_name", label: texts.first, width: "half", focus: true },
  { kind: "text", name: "last_name", label: texts.last, width: "half" },
  { kind: "text", name: "email", label: texts.email, type: "email", required: true, width: "half" },
  { kind: "text", name: "phone", label: texts.phone, type: "tel", width: "half" },
  { kind: "text", name: "company", label: texts.company },
];
const withAddress: readonly FormField[] = [
  ...fields,
  { kind: "heading", name: "place", label: texts.withAddress, help: texts.withAddressHelp },
  { kind: "address", name: "shipping_addresses[0]", label: "" },
];

const first: FormValues = { first_name: "", last_name: "", email: "", phone: "", company: "" };
/** The entries, with null for empty ones. */
export const orNull = (values: FormValues) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === "" ? null : value]));

/** The address in a request: the entries without empty ones. */
export function addressBody(entered: FormValues): FormValues {
  return Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== "" && value !== null));
}

export function NewCustomerScreen() {
  return (
    <Page title={titles.newCustomer} back={{ href: to("/customers"), title: titles.customers }} narrow>
      <Card>
        <Form
          fields={withMerchantField(withAddress)}
          first={{ ...first, "shipping_addresses[0]": { country: "US" } }}
          submit={words.create}
          onCancel={() => navigate(to("/customers"))}
          onSubmit={async ({ "shipping_addresses[0]": place, ...entered }, key) => {
            const person = withoutMerchant(entered);
            const address = addressBody(place as FormValues);
            const shipping_addresses = "address_line1" in address || "city" in address ? [address] : [];
            const { data } = await post<Customer>("/customers", { ...orNull(person), shipping_addresses }, { key });
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
            first={valuesOf(customer)}
            submit={words.save}
            unchanged={false}
            onCancel={() => navigate(back)}
            onSubmit={async (values, key) => {
              await patch<Customer>(`/customers/${customer.id}`, orNull(values), { key, match: etag });
              showSuccess(texts.saved(title));
              navigate(back, { replace: true });
            }}
          />
        </Card>
      )}
    </Page>
  );
}

const valuesOf = ({ first_name, last_name, email, phone, company }: Customer): FormValues => ({
  first_name: first_name ?? "",
  last_name: last_name ?? "",
  email,
  phone: phone ?? "",
  company: company ?? "",
});
