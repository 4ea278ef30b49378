import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ErasureRecord } from "../../api/developer_types.ts";
import { showsSeveral } from "../../api/merchants.ts";
import { refresh, useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { Customer } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Badge, MerchantMark } from "../../components/badge.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { now } from "../../components/now.ts";
import { Card, Page } from "../../components/page.tsx";
import { useProgress } from "../../components/reading.ts";
import type { ScreenProps } from "../../components/screen.ts";
import { DescriptionList, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { privacyTexts as texts } from "../../text/privacy.ts";

// The page's clock updates twice a minute.
const soon_ms = 60_000;

/** Whether an erasure is running or about to. A waiting one is checked once an hour. */
const goesOn = ({ status, next_check_at }: ErasureRecord) =>
  status === "running" || (status === "waiting" && Date.parse(next_check_at ?? "") - now.value < soon_ms);

/** Reloads an erasure while it is in progress, and the erased records once it has ended. */
function useErasure(erasure: ErasureRecord | undefined, reload: () => Promise<void>): void {
  useProgress(erasure !== undefined && goesOn(erasure), reload);
  const before = useRef(erasure?.status);
  useEffect(() => {
    if (erasure?.status === "done" && before.current !== undefined && before.current !== "done")
      refresh(new Set(["customers", "orders"]));
    before.current = erasure?.status;
  }, [erasure?.status]);
}

/** The newest erasure of a customer, for those who may see it. */
export function useErasureOf(customer_id: string): ErasureRecord | undefined {
  const path = may("privacy.manage") ? "/erasures" : null;
  const { data, reload } = useQuery<readonly ErasureRecord[]>(path, { customer_id, limit: 1 });
  useErasure(data?.[0], reload);
  return data?.[0];
}

/** The notice on a customer's page that the customer was erased, or will be. */
export function ErasureNotice({
  customer,
  erasure,
}: {
  readonly customer: Customer;
  readonly erasure?: ErasureRecord;
}) {
  if (customer.erased_at !== null) return <Notice kind="info">{texts.customerErased}</Notice>;
  if (erasure === undefined || erasure.status === "done") return null;
  return <Notice kind="warning">{erasure.status === "waiting" ? texts.customerWaits : texts.customerRuns}</Notice>;
}

/** The state of a customer's erasure, for the customer's page. */
export function CustomerErasure({ erasure }: { readonly erasure: ErasureRecord }) {
  return (
    <>
      <StateCard erasure={erasure} of_one />
      <Details erasure={erasure} />
    </>
  );
}

/** Cancels an erasure that has not started, and then calls `onDone`. */
const cancelErasure = ({ id, status }: ErasureRecord, onDone: () => void): Action => ({
  title: `${texts.cancelErasure}…`,
  when: status === "waiting",
  done: texts.erasureCancelled,
  ask: { title: texts.cancelTitle, text: texts.cancelText, submit: texts.cancelErasure, stay: texts.stay },
  call: { method: "DELETE", path: `/erasures/${id}` },
  after: () => {
    refresh(new Set(["erasures", "customers"]));
    onDone();
  },
});

interface StateProps {
  readonly erasure: ErasureRecord;
  readonly of_one?: boolean;
  /** Called once the erasure is cancelled and no longer exists. */
  readonly onCancelled?: () => void;
}

/** The progress of an erasure. */
function StateCard({ erasure, of_one = false, onCancelled = () => {} }: StateProps) {
  const { status, after_days, customers, merchant_id, next_check_at, created_at, finished_at, fully_erased_by } =
    erasure;
  return (
    <Card title={texts.erasure} acts={<ActionButton of={cancelErasure(erasure, onCancelled)} />}>
      <DescriptionList
        facts={[
          [
            words.status,
            <span key="status" class="row">
              <Badge state={status} /> <span class="muted">{texts.statusOf[status]}</span>
            </span>,
          ],
          [texts.requested, <Time key="asked" at={created_at} exact />],
          finished_at === null ? null : [texts.ended, <Time key="ended" at={finished_at} exact />],
          status === "waiting" ? null : [texts.restGoneBy, <Time key="gone" at={fully_erased_by} exact />],
          status === "waiting" ? [texts.nextCheck, <Time key="again" at={next_check_at} />] : null,
          status === "waiting" && after_days !== null ? [texts.waitsDays, texts.waitsDaysOf(after_days)] : null,
          of_one ? null : [texts.customers, <Customers key="customers" ids={customers} />],
          of_one || !showsSeveral.value
            ? null
            : [texts.reaches, merchant_id === null ? texts.reachesAll : <MerchantMark key="of" of={merchant_id} />],
        ]}
      />
    </Card>
  );
}

function Customers({ ids }: { readonly ids: readonly string[] }) {
  if (ids.length === 0) return <>{texts.noCustomers}</>;
  return (
    <span class="row">
      {ids.map((id) =>
        may("customers.read") ? (
          <a key={id} href={to(`/customers/${id}`)}>
            {id}
          </a>
        ) : (
          <span key={id}>{id}</span>
        ),
      )}
    </span>
  );
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
// The API's text names a field that this page shows under another name.
const [listed, below] = texts.listedBelow;

/** Erased records, manual steps, and kept records with the reason. */
function Details({ erasure: { status, erased, manual_steps, receivers, kept } }: { readonly erasure: ErasureRecord }) {
  const done = status === "done";
  return (
    <>
      {status !== "waiting" && (
        <Card title={done ? texts.erased : texts.erasedSoFar}>
          {erased.length === 0 ? (
            <p class="muted">{done ? texts.nothingErased : texts.nothingYet}</p>
          ) : (
            <DescriptionList facts={erased.map((one) => [texts.kinds[one.records], count(one.count)])} />
          )}
        </Card>
      )}
      <Card title={texts.byHand}>
        <ul class="points">
          {manual_steps.map((line) => (
            <li key={line}>
              {line.replace(listed, below)}
              {line.includes(listed) && (
                <small>{receivers.length > 0 ? <Receivers ids={receivers} /> : done && texts.noReceivers}</small>
              )}
            </li>
          ))}
        </ul>
      </Card>
      <Card title={texts.kept}>
        <ul class="points">
          {kept.map((one) => (
            <li key={one.data}>
              {sentence(one.data)}
              <small>
                {sentence(one.reason)}. {texts.keptFor(one.for)} {one.legal_basis && texts.keptLaw(one.legal_basis)}
              </small>
            </li>
          ))}
        </ul>
      </Card>
    </>
  );
}

function Receivers({ ids }: { readonly ids: readonly string[] }) {
  return (
    <>
      {texts.receivers}:{" "}
      {ids.map((id, at) => (
        <Fragment key={id}>
          {at > 0 && ", "}
          {may("webhooks.read") ? <a href={to(`/settings/webhooks/${id}`)}>{id}</a> : id}
        </Fragment>
      ))}
      . {texts.tellReceivers}
    </>
  );
}

/** One erasure: its progress, its erased records and the manual steps. */
export function ErasureScreen({ params, title, back }: ScreenProps) {
  const { data, problem, loading, reload } = useQuery<ErasureRecord>(`/erasures/${params["id"]}`);
  useErasure(data, reload);
  return (
    <Page title={title} below={params["id"]} back={back} narrow>
      <div class="stack">
        {problem && <Notice problem={problem} onRetry={reload} />}
        {loading && <Skeleton lines={8} />}
        {data && (
          <>
            <StateCard erasure={data} onCancelled={() => navigate(to("/settings/privacy"))} />
            <Details erasure={data} />
          </>
        )}
      </div>
    </Page>
  );
}
