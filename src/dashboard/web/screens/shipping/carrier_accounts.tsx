import { useState } from "preact/hooks";
import { patch, post, remove } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { Account, CarrierList, Connectors, NewAccount } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Badge } from "../../components/badge.tsx";
import { Button, LinkButton } from "../../components/button.tsx";
import { confirm, Dialog } from "../../components/dialog.tsx";
import type { FormField } from "../../components/fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { ActionMenu } from "../../components/menu.tsx";
import { EmptyState, Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { CopyField, DescriptionList, SecretOnce, Time } from "../../components/values.tsx";
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
  } = useQuery<readonly Account[]>(managed ? "/shipping/carrier-accounts" : null, { limit: 100 });
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<NewAccount | null>(null);
  const own = carriers?.carriers.filter(({ account_id }) => account_id === null) ?? [];
  const add = managed && <Button kind="primary" icon="plus" title={texts.add} onClick={() => setAdding(true)} />;
  return (
    <Page title={texts.title} acts={add}>
      {problem && <Notice problem={problem} />}
      {own.map(({ code, name, services, service_names, connector }) => (
        <Card
          key={code}
          title={name}
          // A simulated carrier has its own prices and no rate cards.
          acts={code === connector && <LinkButton title={texts.toCards} href={to("/shipping/rate-cards")} />}
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
      {adding && <AddAccount onClose={() => setAdding(false)} onMade={setSecret} />}
      {secret && (
        <Dialog title={texts.secretTitle} onClose={() => setSecret(null)} mayClose={() => false}>
          {secret.callback_url && (
            <DescriptionList
              facts={[[texts.callback, <CopyField text={secret.callback_url} name={texts.callback} />]]}
            />
          )}
          <SecretOnce
            secret={secret.callback_secret ?? ""}
            name={texts.secretName}
            text={texts.secretText}
            done={texts.haveIt}
            onDone={() => setSecret(null)}
          />
        </Dialog>
      )}
    </Page>
  );
}

function AccountCard({ account }: { readonly account: Account }) {
  const { id, name, connector, status, carriers, last_test, callback_url, credential_fields } = account;
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [changing, setChanging] = useState(false);
  const path = `/shipping/carrier-accounts/${id}`;
  const test = async () => {
    setBusy(true);
    try {
      await post<Account>(`/shipping/carrier-accounts/${id}/test`);
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
          <AccountMenu account={account} path={path} onChange={() => setChanging(true)} />
          <Button icon="zap" title={texts.test} busy={busy} onClick={() => void test()} />
        </>
      }
    >
      {busy && <p role="status">{texts.testing}</p>}
      {problem && <Notice problem={problem} />}
      <DescriptionList
        facts={[
          [texts.state, <Badge state={status} />],
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
      {changing && <ChangeAccount account={account} onClose={() => setChanging(false)} />}
    </Card>
  );
}

interface AccountMenuProps {
  readonly account: Account;
  readonly path: string;
  readonly onChange: () => void;
}

function AccountMenu({ account: { name, status }, path, onChange }: AccountMenuProps) {
  const turn = async (next: Account["status"]): Promise<void> => {
    await patch(path, { status: next });
    const back = next === "paused" ? "active" : "paused";
    showSuccess(next === "paused" ? texts.paused(name) : texts.resumed(name), {
      title: words.undo,
      run: () => void turn(back).catch(showRefused),
    });
  };
  const takeAway = () =>
    confirm({
      title: texts.removeTitle(name),
      text: texts.removeText,
      act: texts.remove,
      danger: true,
      run: async () => {
        await remove(path);
        showSuccess(texts.removed(name));
      },
    });
  return (
    <ActionMenu
      name={`${words.more}: ${name}`}
      items={[
        { title: texts.edit, icon: "edit", run: onChange },
        status === "active"
          ? { title: texts.pause, icon: "pause", run: () => void turn("paused").catch(showRefused) }
          : { title: texts.resume, icon: "play", run: () => void turn("active").catch(showRefused) },
        { title: texts.remove, icon: "delete", danger: true, run: () => void takeAway() },
      ]}
    />
  );
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
function credentialsOf(values: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const entered = names.map((name) => [name, values[`${prefix}${name}`] ?? ""] as const);
  return Object.fromEntries(entered.filter(([, text]) => text !== ""));
}

interface AddAccountProps {
  readonly onClose: () => void;
  readonly onMade: (account: NewAccount) => void;
}

type CarrierConnector = Connectors["connectors"][number];

/** Adds an account: first the provider, then its credentials. */
function AddAccount({ onClose, onMade }: AddAccountProps) {
  const { data } = useQuery<Connectors>("/shipping/connectors");
  const [chosen, setChosen] = useState<CarrierConnector | null>(null);
  if (data === undefined) return null;
  if (chosen !== null) return <EnterAccount connector={chosen} onClose={onClose} onMade={onMade} />;
  return (
    <Dialog title={texts.addTitle} onClose={onClose}>
      <p class="dialog-text">{texts.choose}</p>
      <div class="shipping-documents">
        {data.connectors.map((connector) => (
          <Button key={connector.code} icon="plug" title={connector.name} onClick={() => setChosen(connector)} />
        ))}
      </div>
    </Dialog>
  );
}

function EnterAccount({ connector, onClose, onMade }: AddAccountProps & { readonly connector: CarrierConnector }) {
  const { code, name: title, credential_fields } = connector;
  return (
    <FormDialog
      title={texts.addAt(title)}
      text={texts.addText}
      fields={[{ kind: "text", name: "name", label: texts.name }, ...credentialFields(credential_fields, false)]}
      submit={texts.add}
      onClose={onClose}
      onSubmit={async (values, key) => {
        const { name } = values;
        const names = credential_fields.map((field) => field.name);
        const body = {
          connector: code,
          credentials: credentialsOf(values, names),
          ...(name === "" ? {} : { name }),
        };
        const { data: made } = await post<NewAccount>("/shipping/carrier-accounts", body, { key });
        showSuccess(texts.saved(made.name));
        if (made.callback_secret !== undefined) onMade(made);
      }}
    />
  );
}

function ChangeAccount({ account, onClose }: { readonly account: Account; readonly onClose: () => void }) {
  const { id, name, credential_fields } = account;
  const names = credential_fields.map((field) => field.name);
  const first = Object.fromEntries(
    credential_fields.map((field) => [`${prefix}${field.name}`, field.value ?? ""] as const),
  );
  return (
    <FormDialog
      title={texts.editTitle(name)}
      text={texts.keepSecret}
      fields={[
        { kind: "text", name: "name", label: texts.name, required: true },
        ...credentialFields(credential_fields, true),
      ]}
      first={{ name, ...first }}
      submit={words.save}
      unchanged={false}
      onClose={onClose}
      onSubmit={async (values, key) => {
        const entered = Object.entries(credentialsOf(values, names));
        const changed = entered.filter(([field, text]) => text !== first[`${prefix}${field}`]);
        const credentials = changed.length === 0 ? {} : { credentials: Object.fromEntries(changed) };
        await patch(`/shipping/carrier-accounts/${id}`, { name: values["name"], ...credentials }, { key });
        showSuccess(texts.saved(String(values["name"])));
      }}
    />
  );
}
