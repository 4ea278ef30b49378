import type { ComponentChildren } from "preact";
import { post } from "../../api/client.ts";
import type { Disclosure, Erasure } from "../../api/developer_types.ts";
import { saveBlob } from "../../api/documents.ts";
import { ApiProblem, problemOf } from "../../api/problem.ts";
import { refresh } from "../../api/query.ts";
import type { Field, Values } from "../../kit/fields.tsx";
import { FormDialog } from "../../kit/form.tsx";
import { DescriptionList } from "../../kit/values.tsx";
import { said } from "../../shell/toasts.tsx";
import { privacyTexts as texts } from "../../texts/privacy.ts";
import { entered } from "../stock_parts/shared.ts";

/** The name of a file about somebody: letters and digits of the name, and no more. */
export const fileOf = (name: string): string =>
  `${
    name
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}@.]+/gu, "-")
      .replace(/^[-.]+|[-.]+$/g, "") || "person"
  }.json`;

/** Saves what is known of a person as a file. */
export function saveDisclosure(told: Disclosure, file: string): void {
  saveBlob(new Blob([`${JSON.stringify(told, null, 2)}\n`], { type: "application/json" }), file);
  said(
    texts.told(
      told.records.reduce((sum, { rows }) => sum + rows.length, 0),
      file,
    ),
  );
}

/** The number of days that was entered; null for none. Any other text is sent as it is, so that the API refuses it. */
const daysOf = (value: unknown) => (String(value ?? "").trim() === "" ? null : (entered(value) ?? value));

interface Open {
  readonly orders?: readonly string[];
  readonly returns?: readonly string[];
  readonly labels?: readonly string[];
}

/** Says in plain words why a person with open orders is not erased. */
function plainly(error: unknown): ApiProblem {
  const problem = problemOf(error);
  if (problem.code !== "orders_open") return problem;
  const { orders = [], returns = [], labels = [] } = problem.facts as Open;
  const message = texts.openOrders(orders, returns, labels);
  return new ApiProblem(problem.status, { error: { code: problem.code, message } });
}

interface EraseProps {
  readonly title: string;
  /** What it reaches, where that does not go without saying. */
  readonly reach?: ComponentChildren;
  /** The fields that say who is erased. */
  readonly who?: readonly Field[];
  readonly first?: Values;
  readonly erase: (values: Values, after_days: unknown, key: string) => Promise<{ readonly data: Erasure }>;
  readonly name: (values: Values) => string;
  readonly onBegun?: (erasure: Erasure) => void;
  readonly onClose: () => void;
}

/** Asks whether to erase somebody, and says what goes and what stays. */
export function EraseDialog({ title, reach, who = [], first = {}, erase, name, onBegun, onClose }: EraseProps) {
  return (
    <FormDialog
      title={title}
      danger
      submit={texts.eraseAct}
      first={{ ...first, after_days: "" }}
      fields={[
        { kind: "custom", name: "told", label: "", render: () => <WhatGoes reach={reach} /> },
        ...who,
        { kind: "number", name: "after_days", label: texts.afterDays, help: texts.afterDaysHelp },
      ]}
      onClose={onClose}
      onSubmit={async (values, key) => {
        try {
          const { data } = await erase(values, daysOf(values["after_days"]), key);
          said(texts.begun(name(values)));
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

/** Asks for what is known of an e-mail address, and saves it. */
export function TellDialog({ reach, onClose }: { readonly reach: string; readonly onClose: () => void }) {
  return (
    <FormDialog
      title={texts.tellEmailTitle}
      text={`${texts.tellText} ${reach}`}
      submit={texts.tellAct}
      first={{ email: "" }}
      fields={[emailField]}
      onClose={onClose}
      onSubmit={async ({ email }) => {
        const whom = String(email).trim();
        const { data } = await post<Disclosure>("/disclosures", { email: whom });
        saveDisclosure(data, fileOf(whom));
      }}
    />
  );
}

/** The e-mail address of who is told or erased. */
export const emailField: Field = {
  ...{ kind: "text", type: "email", name: "email", label: texts.email },
  required: true,
  focus: true,
};
