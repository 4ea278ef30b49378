import { patch, post } from "../../api/client.ts";
import { useOpened } from "../../api/query.ts";
import type { Customer } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import type { Field, Values } from "../../kit/fields.tsx";
import { Form } from "../../kit/form.tsx";
import { withMerchantField, withoutMerchant } from "../../kit/merchant_field.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Card, Page } from "../../kit/page.tsx";
import { customerName } from "../../kit/pickers.tsx";
import type { ScreenProps } from "../../kit/screen.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { said } from "../../shell/toasts.tsx";
import { words } from "../../texts/common.ts";
import { customerTexts as texts } from "../../texts/customers.ts";
import { titles } from "../../texts/navigation.ts";

const fields: readonly Field[] = [
  { kind: "text", name: "first_name", label: texts.first, width: "half", focus: true },
  { kind: "text", name: "last_name", label: texts.last, width: "half" },
  { kind: "text", name: "email", label: texts.email, type: "email", required: true, width: "half" },
  { kind: "text", name: "phone", label: texts.phone, type: "tel", width: "half" },
  { kind: "text", name: "company", label: texts.company },
];
const withAddress: readonly Field[] = [
  ...fields,
  { kind: "heading", name: "place", label: texts.withAddress, help: texts.withAddressHelp },
  { kind: "address", name: "shipping_addresses[0]", label: "" },
];

const first: Values = { first_name: "", last_name: "", email: "", phone: "", company: "" };
/** The entries, with null for empty ones. */
export const orNull = (values: Values) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === "" ? null : value]));

/** The address of a request: the entries without empty ones. */
export function addressBody(entered: Values): Values {
  return Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== "" && value !== null));
}

/** Creates a customer. */
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
            const address = addressBody(place as Values);
            const shipping_addresses = "address_line1" in address || "city" in address ? [address] : [];
            const { data } = await post<Customer>("/customers", { ...orNull(person), shipping_addresses }, { key });
            said(texts.made(customerName(data)));
            navigate(to(`/customers/${data.id}`), { replace: true });
          }}
        />
      </Card>
    </Page>
  );
}

/** Changes a customer, unless somebody else changed it meanwhile. */
export function ChangeCustomerScreen({ params }: ScreenProps) {
  const { data: customer, etag, problem, loading } = useOpened<Customer>(`/customers/${params["id"]}`);
  const back = to(`/customers/${params["id"]}`);
  if (loading) return <Skeleton />;
  const title = customer === undefined ? titles.customer : customerName(customer);
  return (
    <Page title={titles.changeCustomer} back={{ href: back, title }} narrow>
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
              said(texts.saved(title));
              navigate(back, { replace: true });
            }}
          />
        </Card>
      )}
    </Page>
  );
}

const valuesOf = ({ first_name, last_name, email, phone, company }: Customer): Values => ({
  first_name: first_name ?? "",
  last_name: last_name ?? "",
  email,
  phone: phone ?? "",
  company: company ?? "",
});
