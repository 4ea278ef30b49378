import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { post, saveBlob } from "../../api/client.ts";
import type { AccessExport, ErasureRecord } from "../../api/developer_types.ts";
import { ApiProblem, problemOf } from "../../api/problem.ts";
import { refresh } from "../../api/query.ts";
import type { Customer } from "../../api/types.ts";
import { confirm } from "../../components/dialog.tsx";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { ActionMenu, type MenuItem } from "../../components/menu.tsx";
import { customerName } from "../../components/pickers.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { DescriptionList } from "../../components/values.tsx";
import { privacyTexts as texts } from "../../text/privacy.ts";
import { enteredNumber } from "../stock/stock_links.ts";

/** A file name from a person's name: letters and digits only. */
const fileOf = (name: string): string =>
  `${
    name
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}@.]+/gu, "-")
      .replace(/^[-.]+|[-.]+$/g, "") || "person"
  }.json`;

/** Saves an access export as a file. */
function saveAccessExport(personal_data: AccessExport, file: string): void {
  saveBlob(new Blob([`${JSON.stringify(personal_data, null, 2)}\n`], { type: "application/json" }), file);
  showSuccess(
    texts.exported(
      personal_data.records.reduce((sum, { rows }) => sum + rows.length, 0),
      file,
    ),
  );
}

/** The entered number of days; null if empty. Other text is sent unchanged, so that the API refuses it. */
const daysOf = (value: unknown) => (String(value ?? "").trim() === "" ? null : (enteredNumber(value) ?? value));

interface OpenRecords {
  readonly orders?: readonly string[];
  readonly returns?: readonly string[];
  readonly labels?: readonly string[];
}

/** Rewords the refusal to erase a person with open orders. */
function plainly(error: unknown): ApiProblem {
  const problem = problemOf(error);
  if (problem.code !== "orders_open") return problem;
  const { orders = [], returns = [], labels = [] } = problem.facts as OpenRecords;
  const message = texts.openOrders(orders, returns, labels);
  return new ApiProblem(problem.status, { error: { code: problem.code, message } });
}

interface EraseProps {
  readonly title: string;
  /** The scope, if it is not obvious. */
  readonly reach?: ComponentChildren;
  /** The fields that identify the person. */
  readonly who?: readonly FormField[];
  readonly erase: (values: FormValues, after_days: unknown, key: string) => Promise<{ readonly data: ErasureRecord }>;
  readonly name: (values: FormValues) => string;
  readonly onBegun?: (erasure: ErasureRecord) => void;
  readonly onClose: () => void;
}

/** Confirms an erasure and lists what is erased and what is kept. */
export function EraseDialog({ title, reach, who = [], erase, name, onBegun, onClose }: EraseProps) {
  return (
    <FormDialog
      title={title}
      danger
      submit={texts.eraseAct}
      fields={[
        { kind: "custom", name: "told", label: "", render: () => <WhatGoes reach={reach} /> },
        ...who,
        { kind: "number", name: "after_days", label: texts.afterDays, help: texts.afterDaysHelp },
      ]}
      onClose={onClose}
      onSubmit={async (values, key) => {
        try {
          const { data } = await erase(values, daysOf(values["after_days"]), key);
          showSuccess(texts.begun(name(values)));
          refresh(new Set(["erasures", "customers"]));
          onBegun?.(data);
        } catch (error) {
          throw plainly(error);
        }
      }}
    />
  );
}

function WhatGoes({ reach }: { readonly reach: ComponentChildren }) {
  return (
    <div class="stack what-goes">
      <p>
        <strong>{texts.eraseText}</strong> {reach}
      </p>
      <DescriptionList
        facts={[
          [texts.goes, texts.goesText],
          [texts.stays, texts.staysText],
          [texts.hand, texts.handText],
        ]}
      />
    </div>
  );
}

/** Exports the personal data of an email address. */
export function ExportDialog({ reach, onClose }: { readonly reach: string; readonly onClose: () => void }) {
  return (
    <FormDialog
      title={texts.exportEmailTitle}
      text={`${texts.exportText} ${reach}`}
      submit={texts.exportAct}
      fields={[emailField]}
      onClose={onClose}
      onSubmit={async ({ email }) => {
        const address = String(email).trim();
        const { data } = await post<AccessExport>("/disclosures", { email: address });
        saveAccessExport(data, fileOf(address));
      }}
    />
  );
}

/** The field for the person's email address. */
export const emailField: FormField = {
  ...{ kind: "text", type: "email", name: "email", label: texts.email },
  required: true,
  focus: true,
};

/** The menu to export or erase a customer's data, for users with the permission. */
export function PrivacyMenu({ customer }: { readonly customer: Customer }) {
  const [erasing, setErasing] = useState(false);
  const { id, erased_at } = customer;
  const name = customerName(customer);
  const exportData = () =>
    confirm({
      title: texts.exportTitle(name),
      text: texts.exportText,
      act: texts.exportAct,
      run: async () => {
        const { data } = await post<AccessExport>(`/customers/${id}/disclosure`);
        saveAccessExport(data, fileOf(`${name} ${id}`));
      },
    });
  const erase: readonly MenuItem[] =
    erased_at === null ? [{ title: texts.erase, icon: "delete", danger: true, run: () => setErasing(true) }] : [];
  return (
    <>
      <ActionMenu items={[{ title: texts.export, icon: "download", run: () => void exportData() }, ...erase]} />
      {erasing && (
        <EraseDialog
          title={texts.eraseTitle(name)}
          name={() => name}
          erase={(_values, after_days, key) => post<ErasureRecord>(`/customers/${id}/erasure`, { after_days }, { key })}
          onClose={() => setErasing(false)}
        />
      )}
    </>
  );
}
