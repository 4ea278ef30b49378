import { useSignal } from "@preact/signals";
import { post } from "../../api/client.ts";
import { meant } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import type { WaitingUnits } from "../../api/types.ts";
import { Icon } from "../../components/icon.tsx";
import { Notice } from "../../components/notice.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { floorTexts } from "../../text/floor.ts";
import { type Outcome, sendUntilAnswered } from "./act_queue.ts";
import { BigButton } from "./big_button.tsx";
import { FloorFrame, useQueue } from "./floor_frame.tsx";
import { NumberPad } from "./number_pad.tsx";
import { ambiguous, lookUp, lotIn, nameOf, notExpected, wrong } from "./scanned.ts";
import { takeNext } from "./work_tasks.ts";

const texts = floorTexts.putBack;

interface InHand {
  readonly units: WaitingUnits;
  readonly quantity: number;
}

/** Puts the units of an order back into bins: the item, how many, and the bin. */
export function PutBackScreen({ params: { order = "" } }: ScreenProps) {
  const queue = useQueue();
  const { waiting, hand, problem, reload, onScan } = usePutBack(order);
  const asking = useSignal(false);
  const now = hand.value;
  const is_done = waiting?.length === 0;
  return (
    <FloorFrame
      title={floorTexts.kinds.put_back}
      back="/floor"
      queue={queue}
      prompt={now === null ? floorTexts.pick.prompts.item : texts.scanBin}
      {...(waiting !== undefined && !is_done && { onScan })}
      {...(now === null && { products: [] })}
      act={
        is_done ? (
          <BigButton kind="primary" icon="play" title={floorTexts.next} queue={queue} act={() => takeNext()} />
        ) : (
          now !== null && !asking.value && <BigButton title={texts.otherUnits} onClick={() => (asking.value = true)} />
        )
      }
    >
      {problem !== null && <Notice problem={problem} onRetry={() => void reload()} />}
      {now !== null && asking.value && (
        <NumberPad
          label={texts.units(now.units.quantity)}
          first={now.quantity}
          onCancel={() => (asking.value = false)}
          onDone={(quantity) => {
            asking.value = false;
            hand.value = { ...now, quantity };
          }}
        />
      )}
      {now !== null && !asking.value && <InTheHand of={now} />}
      {now === null && <Waiting of={waiting ?? []} />}
      {is_done && <p class="floor-main">{texts.nothingLeft}</p>}
    </FloorFrame>
  );
}

/** The units of an order that wait, those in the hand, and what a scan does with them. */
function usePutBack(order_id: string) {
  const hand = useSignal<InHand | null>(null);
  const { data, problem, reload } = useQuery<readonly WaitingUnits[]>("/inventory/putbacks", { order_id, limit: 100 });
  const waiting = data ?? [];

  const scanItem = async (read: string): Promise<Outcome> => {
    const found = await lookUp(read, null);
    const productOf = ({ sku, merchant_id }: WaitingUnits) =>
      found.products.find((one) => one.sku === sku && one.merchant_id === merchant_id);
    if (found.type === "ambiguous") return ambiguous(found);
    const lot = lotIn(found, found.products[0]);
    const units = waiting.find((one) => productOf(one) && (lot === null || one.lot_number === lot));
    const product = units && productOf(units);
    if (units === undefined || product === undefined) {
      return notExpected(found, waiting.map(({ sku }) => sku).join(", "));
    }
    // A unit stands for all of them, and a pack for its own.
    const quantity = product.pack === null ? units.quantity : product.quantity;
    if (quantity > units.quantity) {
      return wrong(floorTexts.pick.tooMany, floorTexts.pick.onlyNeeded(units.quantity, 0, quantity), "surplus_item");
    }
    hand.value = { units, quantity };
    return { kind: "right", title: nameOf(product), text: texts.toBin(units.suggested_bin) };
  };

  const scanBin = async ({ units, quantity }: InHand, read: string): Promise<Outcome> => {
    const { sku, order_id: from, return_id, location, lot_number } = units;
    // The API would create a bin of any text, also of a barcode that is not known.
    const found = await lookUp(read, location);
    const [to] = found.bins;
    if (to === undefined) return notExpected(found, floorTexts.move.aBin);
    const origin = return_id === null ? { order_id: from } : { return_id };
    const lot = lot_number === null ? {} : { lot_number };
    const body = { ...origin, sku, quantity, location, bin: to.code, ...lot };
    const merchant = meant(units);
    await sendUntilAnswered((key) => post("/inventory/putbacks", body, { key, merchant }));
    hand.value = null;
    await reload();
    const is_last = waiting.length === 1 && quantity === units.quantity;
    return { kind: is_last ? "done" : "right", title: texts.done(quantity, sku, to.code) };
  };

  const onScan = (read: string) => {
    const now = hand.peek();
    return now === null ? scanItem(read) : scanBin(now, read);
  };
  return { waiting: data, hand, problem, reload, onScan };
}

function InTheHand({ of: { units, quantity } }: { readonly of: InHand }) {
  return (
    <>
      <section class="floor-step" data-state="done">
        <span class="floor-step-label">{texts.put}</span>
        <strong class="floor-number">{quantity}</strong>
        <strong class="floor-main">{units.name}</strong>
        <span>{units.sku}</span>
      </section>
      <section class="floor-step" data-state="now">
        <span class="floor-step-label">{texts.into}</span>
        <strong class="floor-number">{units.suggested_bin ?? texts.anyBin}</strong>
      </section>
    </>
  );
}

function Waiting({ of }: { readonly of: readonly WaitingUnits[] }) {
  return (
    <ul class="floor-lines">
      {of.map(({ sku, name, quantity, lot_number, bin }) => (
        <li key={`${sku} ${lot_number} ${bin}`} data-state="later">
          <Icon name="return" size={32} />
          <div>
            <strong>{name}</strong>
            <span>{texts.from(sku, bin, lot_number)}</span>
          </div>
          <span class="floor-of">{quantity}</span>
        </li>
      ))}
    </ul>
  );
}
