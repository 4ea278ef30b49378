import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import type { Disclosure, Erasure } from "../../api/developer_types.ts";
import type { Customer } from "../../api/types.ts";
import { confirm } from "../../kit/confirm.tsx";
import { ActionMenu, type MenuItem } from "../../kit/menu.tsx";
import { customerName } from "../../kit/pickers.tsx";
import { privacyTexts as texts } from "../../texts/privacy.ts";
import { EraseDialog, fileOf, saveDisclosure } from "./acts.tsx";

/** What those may do who answer a customer's questions about what is known. */
export function PrivacyMenu({ customer }: { readonly customer: Customer }) {
  const [erasing, setErasing] = useState(false);
  const { id, erased_at } = customer;
  const name = customerName(customer);
  const tell = () =>
    confirm({
      title: texts.tellTitle(name),
      text: texts.tellText,
      act: texts.tellAct,
      run: async () => {
        const { data } = await post<Disclosure>(`/customers/${id}/disclosure`);
        saveDisclosure(data, fileOf(`${name} ${id}`));
      },
    });
  const erase: readonly MenuItem[] =
    erased_at === null ? [{ title: texts.erase, icon: "delete", danger: true, run: () => setErasing(true) }] : [];
  return (
    <>
      <ActionMenu items={[{ title: texts.tell, icon: "download", run: () => void tell() }, ...erase]} />
      {erasing && (
        <EraseDialog
          title={texts.eraseTitle(name)}
          name={() => name}
          erase={(_values, after_days, key) => post<Erasure>(`/customers/${id}/erasure`, { after_days }, { key })}
          onClose={() => setErasing(false)}
        />
      )}
    </>
  );
}
