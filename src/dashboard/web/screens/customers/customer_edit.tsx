import { customerFields, customerSections } from "../../../../customers/customer.resource.ts";
import { post } from "../../api/client.ts";
import type { Customer } from "../../api/types.ts";
import type { FormField } from "../../components/fields.tsx";
import { customerName } from "../../components/pickers.tsx";
import { editScreen, NewRecordPage } from "../../components/record_forms.tsx";
import { formFields } from "../../components/resource_fields.ts";
import type { ScreenProps } from "../../components/screen.ts";
import { words } from "../../text/common.ts";
import { customerTexts as texts } from "../../text/customers.ts";

const withAddress: readonly FormField[] = [
  ...formFields(customerFields, customerSections, true),
  { kind: "heading", name: "place", label: words.address, help: texts.withAddressHelp },
  { kind: "address", name: "shipping_addresses[0]", label: "", first: { country: "US" } },
];

export function NewCustomerScreen(props: ScreenProps) {
  return (
    <NewRecordPage<Customer>
      {...props}
      fields={withAddress}
      create={(_values, key, { "shipping_addresses[0]": address, ...person }) =>
        post("/customers", { ...person, shipping_addresses: address === null ? [] : [address] }, { key })
      }
      done={(customer) => texts.made(customerName(customer))}
      opens={({ id }) => `/customers/${id}`}
    />
  );
}

export const EditCustomerScreen = editScreen<Customer>("/customers/:id", {
  fields: formFields(customerFields, customerSections, false),
  name: customerName,
  done: (customer) => texts.saved(customerName(customer)),
});
