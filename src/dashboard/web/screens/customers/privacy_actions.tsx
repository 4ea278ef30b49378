import type { ComponentChildren } from "preact";
import { post, saveBlob } from "../../api/client.ts";
import type { AccessExport, ErasureRecord } from "../../api/developer_types.ts";
import { ApiProblem, problemOf } from "../../api/problem.ts";
import { refresh } from "../../api/query.ts";
import type { Customer } from "../../api/types.ts";
import type { Action } from "../../components/action.tsx";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { customerName } from "../../components/pickers.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { DescriptionList } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
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

interface ErasePerson {
  readonly title: string;
  /** The scope, if it is not obvious. */
  readonly reach?: ComponentChildren;
  /** The fields that identify the person. */
  readonly who?: readonly FormField[];
  readonly erase: (
    values: FormValues,
    after_days: unknown,
    key: string | undefined,
  ) => Promise<{ readonly data: ErasureRecord }>;
  readonly name: (values: FormValues) => string;
  readonly onBegun?: (erasure: ErasureRecord) => void;
}

/** Confirms the erasure of a person and lists what is erased and what is kept. */
export const erasePerson = ({ title, reach, who = [], erase, name, onBegun }: ErasePerson) =>
  ({
    ask: {
      title,
      danger: true,
      submit: texts.eraseAct,
      fields: [
        { kind: "custom", name: "told", label: "", render: () => <WhatGoes reach={reach} /> },
        ...who,
        { kind: "number", name: "after_days", label: texts.afterDays, help: texts.afterDaysHelp },
      ],
    },
    run: (values, key) =>
      erase(values, daysOf(values["after_days"]), key).catch((error) => {
        throw plainly(error);
      }),
    done: (_data, values) => texts.begun(name(values)),
    after: (erasure: ErasureRecord) => {
      refresh(new Set(["erasures", "customers"]));
      onBegun?.(erasure);
    },
  }) satisfies Partial<Action>;

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
export const exportByEmail = (reach: string): Action => ({
  title: texts.exportByEmail,
  icon: "download",
  button: true,
  ask: {
    title: texts.exportEmailTitle,
    text: `${texts.exportText} ${reach}`,
    submit: texts.exportAct,
    fields: [emailField],
  },
  call: ({ email }) => ({ method: "POST", path: "/disclosures", body: { email: String(email).trim() } }),
  after: (data: AccessExport, { email }) => saveAccessExport(data, fileOf(String(email).trim())),
});

/** The field for the person's email address. */
export const emailField: FormField = {
  kind: "text",
  type: "email",
  name: "email",
  label: words.email,
  required: true,
  focus: true,
};

/** Exports or erases a customer's data. */
export function privacyActions(customer: Customer): readonly Action[] {
  const { id, erased_at } = customer;
  const name = customerName(customer);
  return [
    {
      title: texts.export,
      icon: "download",
      permission: "privacy.manage",
      ask: { title: texts.exportTitle(name), text: texts.exportText, submit: texts.exportAct },
      call: { method: "POST", path: `/customers/${id}/disclosure` },
      after: (data: AccessExport) => saveAccessExport(data, fileOf(`${name} ${id}`)),
    },
    {
      title: texts.erase,
      icon: "delete",
      danger: true,
      permission: "privacy.manage",
      when: erased_at === null,
      ...erasePerson({
        title: texts.eraseTitle(name),
        name: () => name,
        erase: (_values, after_days, key) => post<ErasureRecord>(`/customers/${id}/erasure`, { after_days }, { key }),
      }),
    },
  ];
}
