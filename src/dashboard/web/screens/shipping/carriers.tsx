import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { Account, CarrierList, Connectors, NewAccount } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, ActionButton, Actions, act } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button, LinkButton } from "../../components/button.tsx";
import { Dialog, openDialog, SecretDialog } from "../../components/dialog.tsx";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { EmptyState, Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { CopyField, DescriptionList, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { shippingTexts } from "../../text/shipping.ts";

const texts = shippingTexts.accounts;

/** The carriers: own services and carrier accounts, each with a test. */
export function AccountsScreen() {
  const { data: carriers } = useQuery<CarrierList>("/shipping/carriers");
  const managed = may("shipping.manage");
  const {
    data: accounts,
    problem,
    loading,
  } = useQuery<readonly Account[]>(managed ? "/shipping/carrier_accounts" : null, { limit: 100 });
  const own = carriers?.carriers.filter(({ account_id }) => account_id === null) ?? [];
  const add = <ActionButton of={addAccount} />;
  return (
    <Page title={texts.title} acts={add}>
      {problem && <Notice problem={problem} />}
      {own.map(({ code, name, services, service_names, connector }) => (
        <Card
          key={code}
          title={name}
          // A simulated carrier has its own prices and no rate cards.
          acts={code === connector && <LinkButton title={texts.toCards} href={to("/shipping/rate_cards")} />}
        >
          <p class="muted">{code === connector ? `${texts.own}. ${texts.ownText}` : texts.simulated}</p>
          <p>{services.map((service) => service_names[service] ?? service).join(", ")}</p>
        </Card>
      ))}
      {loading && <Skeleton />}
      {accounts?.map((account) => (
        <AccountCard key={account.id} account={account} />
      ))}
      {accounts?.length === 0 && <EmptyState icon="plug" title={texts.emptyTitle} text={texts.emptyText} act={add} />}
    </Page>
  );
}

function AccountCard({ account }: { readonly account: Account }) {
  const { id, name, connector, status, carriers, last_test, callback_url, credential_fields } = account;
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const test = async () => {
    setBusy(true);
    try {
      await post<Account>(`/shipping/carrier_accounts/${id}/test`);
      setProblem(null);
      showSuccess(texts.tested(name));
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  const shown = credential_fields.filter(({ is_set }) => is_set);
  return (
    <Card
      title={name}
      acts={
        <>
          <Actions name={`${words.more}: ${name}`} of={accountActions(account)} />
          <Button icon="zap" title={words.test} busy={busy} onClick={() => void test()} />
        </>
      }
    >
      {busy && <p role="status">{texts.testing}</p>}
      {problem && <Notice problem={problem} />}
      <DescriptionList
        facts={[
          [words.status, <Badge state={status} />],
          [texts.connector, connector],
          [texts.lastTest, <LastTest test={last_test} />],
          [
            texts.carriers,
            carriers.map(({ name: carrier, services }) => `${carrier} (${texts.services(services.length)})`).join(", "),
          ],
          ...shown.map(
            ({ name: field, value, last_four }) =>
              [field, value ?? (last_four === null ? "••••" : texts.lastFour(last_four))] as const,
          ),
          callback_url === null ? null : [texts.callback, <CopyField text={callback_url} name={texts.callback} />],
        ]}
      />
      {callback_url !== null && <p class="muted">{texts.callbackText}</p>}
    </Card>
  );
}

function accountActions(account: Account): readonly Action[] {
  const { name, status } = account;
  const path = `/shipping/carrier_accounts/${account.id}`;
  const turn = (next: "active" | "paused"): Action => ({
    ...(next === "paused" ? { title: words.pause, icon: "pause" } : { title: words.resume, icon: "play" }),
    when: status !== next,
    call: { method: "PATCH", path, body: { status: next } },
    done: next === "paused" ? texts.paused(name) : texts.resumed(name),
    next: () => ({ ...turn(next === "paused" ? "active" : "paused"), title: words.undo }),
  });
  return [
    changeAccount(account),
    turn("paused"),
    turn("active"),
    {
      title: words.remove,
      icon: "delete",
      danger: true,
      ask: { title: texts.removeTitle(name), text: texts.removeText },
      call: { method: "DELETE", path },
      done: texts.removed(name),
    },
  ];
}

function LastTest({ test }: { readonly test: Account["last_test"] }) {
  if (test === null) return <Badge tone="warning">{texts.never}</Badge>;
  return (
    <>
      <Badge tone={test.ok ? "good" : "bad"}>{test.ok ? texts.testOk : texts.testFailed}</Badge>{" "}
      <Time at={test.tested_at} /> {test.message}
    </>
  );
}

type Credential = Connectors["connectors"][number]["credential_fields"][number];

const prefix = "credentials.";

/** The fields of the credentials of a connector. With `kept`, empty fields keep their value. */
function credentialFields(fields: readonly Credential[], has_stored: boolean): FormField[] {
  return fields.map(({ name, description, required, secret }) => ({
    kind: "text",
    type: secret ? "password" : "text",
    name: `${prefix}${name}`,
    label: name,
    help: description,
    required: required && !has_stored,
    mono: true,
    autocomplete: secret ? "new-password" : "off",
  }));
}

/** The entered credentials by name, without empty ones. */
function credentialsOf(values: FormValues, fields: readonly { readonly name: string }[]) {
  const entered = fields.map(({ name }) => [name, values[`${prefix}${name}`] ?? ""] as const);
  return Object.fromEntries(entered.filter(([, text]) => text !== ""));
}

type CarrierConnector = Connectors["connectors"][number];

/** Adds an account: first the provider, then its credentials. */
const addAccount: Action = {
  title: texts.add,
  icon: "plus",
  button: "primary",
  permission: "shipping.manage",
  run: () => openDialog((close) => <ChooseProvider onClose={close} />),
};

function ChooseProvider({ onClose }: { readonly onClose: () => void }) {
  const { data } = useQuery<Connectors>("/shipping/connectors");
  if (data === undefined) return null;
  return (
    <Dialog title={texts.addTitle} onClose={onClose}>
      <p class="dialog-text">{texts.choose}</p>
      <div class="row">
        {data.connectors.map((connector) => (
          <Button
            key={connector.code}
            icon="plug"
            title={connector.name}
            onClick={() => act(enterAccount(connector))}
          />
        ))}
      </div>
    </Dialog>
  );
}

const enterAccount = ({ code, name: provider, credential_fields }: CarrierConnector): Action => ({
  title: texts.add,
  ask: {
    title: texts.addAt(provider),
    text: texts.addText,
    fields: [{ kind: "text", name: "name", label: words.name }, ...credentialFields(credential_fields, false)],
  },
  call: ({ name, ...values }) => {
    const credentials = credentialsOf(values, credential_fields);
    const body = { connector: code, credentials, ...(name === "" ? {} : { name }) };
    return { method: "POST", path: "/shipping/carrier_accounts", body };
  },
  done: ({ name }: NewAccount) => texts.saved(name),
  after: (made: NewAccount) =>
    made.callback_secret && openDialog((close) => <NewCallback account={made} onClose={close} />),
});

/** Shows the callback address of a new account, and its secret once. */
function NewCallback({ account, onClose }: { readonly account: NewAccount; readonly onClose: () => void }) {
  const { callback_url, callback_secret = "" } = account;
  return (
    <SecretDialog
      title={texts.secretTitle}
      secret={callback_secret}
      name={texts.secretName}
      text={texts.secretText}
      onDone={onClose}
    >
      {callback_url && (
        <DescriptionList facts={[[texts.callback, <CopyField text={callback_url} name={texts.callback} />]]} />
      )}
    </SecretDialog>
  );
}

function changeAccount({ id, name, credential_fields }: Account): Action {
  const first = Object.fromEntries(
    credential_fields.map((field) => [`${prefix}${field.name}`, field.value ?? ""] as const),
  );
  return {
    title: words.edit,
    icon: "edit",
    ask: {
      title: texts.editTitle(name),
      text: texts.keepSecret,
      fields: [
        { kind: "text", name: "name", label: words.name, required: true },
        ...credentialFields(credential_fields, true),
      ],
      first: { name, ...first },
      edits: true,
    },
    call: (values) => {
      const entered = Object.entries(credentialsOf(values, credential_fields));
      const changed = entered.filter(([field, text]) => text !== first[`${prefix}${field}`]);
      const credentials = changed.length === 0 ? {} : { credentials: Object.fromEntries(changed) };
      const body = { name: values["name"], ...credentials };
      return { method: "PATCH", path: `/shipping/carrier_accounts/${id}`, body };
    },
    done: (_data, values) => texts.saved(String(values["name"])),
  };
}
