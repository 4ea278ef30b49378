import { post } from "../../api/client.ts";
import { merchantOf, several } from "../../api/merchants.ts";
import { may } from "../../api/session.ts";
import type { NextTask, ScanLookup } from "../../api/types.ts";
import { floorTexts } from "../../text/floor.ts";
import { date } from "../../text/format.ts";
import { type ActQueue, type Outcome, sendUntilAnswered } from "./act_queue.ts";
import { type AttachableProduct, AttachBarcode } from "./attach_barcode.tsx";
import { BigButton, BigLink } from "./big_button.tsx";
import { device } from "./device.ts";
import { openTask, takeNext } from "./work_tasks.ts";

const texts = floorTexts.waysOn;

interface WaysOnProps {
  readonly queue: ActQueue;
  /** Handles a code as if it had been scanned; undefined on a screen without scans. */
  readonly scan: ((code: string) => void) | undefined;
  /** The products that an unknown barcode may belong to; undefined where no product is scanned. */
  readonly products: readonly AttachableProduct[] | undefined;
}

/** What to do after a refusal, as buttons: each kind of refusal has its own. */
export function WaysOn(props: WaysOnProps) {
  const ways = waysOf(props);
  return ways && <div class="floor-menu">{ways}</div>;
}

function waysOf({ queue, scan, products }: WaysOnProps) {
  const { code, facts = {} } = queue.outcome.value ?? {};
  switch (code) {
    case "unknown_barcode":
      return products && <Unknown queue={queue} scanned={textIn(facts["scanned"])} products={products} />;
    case "ambiguous_barcode":
      return scan && <Candidates of={facts} scan={scan} />;
    case "task_taken":
      return <Taken queue={queue} task={textIn(facts["task"])} />;
    case "order_cancelled":
      return <PutBack order_id={textIn(facts["order_id"])} />;
    case "order_not_picked":
      return <Pick wave_id={textIn(facts["wave_id"])} />;
    case "already_packed":
    case "order_on_hold":
    case "wave_closed":
      return <Next queue={queue} />;
    default:
      return null;
  }
}

const textIn = (fact: unknown): string | null => (typeof fact === "string" ? fact : null);

interface UnknownProps {
  readonly queue: ActQueue;
  readonly scanned: string | null;
  readonly products: readonly AttachableProduct[];
}

function Unknown({ queue, scanned, products }: UnknownProps) {
  if (scanned === null) return null;
  if (!may("catalog.write")) return <p class="floor-card note">{texts.showLead}</p>;
  if (products.length > 0) return <AttachBarcode queue={queue} scanned={scanned} products={products} />;
  return <BigLink path="/floor/look_up" params={{ code: scanned }} icon="tag" title={texts.attach} />;
}

interface CandidateFacts {
  readonly products?: readonly { readonly sku: string; readonly name: string; readonly merchant_id: string }[];
  readonly readings?: ScanLookup["readings"];
}

/** The products or readings that an ambiguous code may mean. A choice counts as a scan of it. */
function Candidates({ of, scan }: { readonly of: CandidateFacts; readonly scan: (code: string) => void }) {
  const { products = [], readings = [] } = of;
  return (
    <>
      {products.map(({ sku, name, merchant_id }) => {
        const merchant = several.value ? (merchantOf(merchant_id)?.name ?? null) : null;
        return <BigButton key={sku} icon="tag" title={texts.product(name, sku, merchant)} onClick={() => scan(sku)} />;
      })}
      {readings.map(({ code, lot_number, serial_number, expiration_date, quantity }) => (
        <BigButton
          key={code}
          icon="tag"
          title={texts.reading(lot_number, serial_number, expiration_date && date(expiration_date), quantity)}
          onClick={() => scan(code)}
        />
      ))}
    </>
  );
}

/** Someone else has the task: the next one, or for leads this one. */
function Taken({ queue, task }: { readonly queue: ActQueue; readonly task: string | null }) {
  return (
    <>
      <Next queue={queue} />
      {task !== null && may("floor.lead") && (
        <BigButton title={floorTexts.takeOver} queue={queue} act={() => takeOver(task)} />
      )}
    </>
  );
}

async function takeOver(task: string): Promise<Outcome> {
  const body = { device: device.peek().name };
  const { data } = await sendUntilAnswered((key) =>
    post<NonNullable<NextTask["task"]>>(`/work/${task}/take_over`, body, { key }),
  );
  await openTask(data);
  return { kind: "right", title: texts.takenOver };
}

function Next({ queue }: { readonly queue: ActQueue }) {
  return <BigButton kind="primary" icon="play" title={floorTexts.next} queue={queue} act={() => takeNext()} />;
}

function PutBack({ order_id }: { readonly order_id: string | null }) {
  if (order_id === null) return null;
  return <BigLink path={`/floor/put_back/${order_id}`} icon="return" title={texts.putBack} />;
}

function Pick({ wave_id }: { readonly wave_id: string | null }) {
  if (wave_id === null) return null;
  return <BigLink path={`/floor/waves/${wave_id}`} icon="cart" title={floorTexts.pick.title(wave_id)} />;
}
