import { useSignal } from "@preact/signals";
import { post } from "../../api/client.ts";
import { meant } from "../../api/merchants.ts";
import type { StockMoveResult } from "../../api/types.ts";
import { words } from "../../text/common.ts";
import { floorTexts } from "../../text/floor.ts";
import { type Outcome, sendUntilAnswered } from "./act_queue.ts";
import { BigButton } from "./big_button.tsx";
import { device } from "./device.ts";
import { FloorFrame, useQueue } from "./floor_frame.tsx";
import { NumberPad } from "./number_pad.tsx";
import { ambiguous, isCode, lookUp, lotIn, nameOf, notExpected, type ScannedProduct } from "./scanned.ts";

const texts = floorTexts.move;

interface Move {
  readonly bin: string | null;
  readonly product: ScannedProduct | null;
  readonly lot_number: string | null;
  readonly quantity: number;
  /** The pack of all scans of the item; null for units, or several packs. */
  readonly pack: ScannedProduct["pack"];
}

const nothing: Move = { bin: null, product: null, lot_number: null, quantity: 0, pack: null };

const isSamePack = (one: Move["pack"], other: Move["pack"]) =>
  one?.level === other?.level && one?.quantity === other?.quantity;

/** Moves units from bin to bin: the bin, the item as often as there are units, and the new bin. */
export function MoveStockScreen() {
  const queue = useQueue();
  const { move, onScan } = useMove();
  const asking = useSignal(false);
  const { bin, product, quantity } = move.value;
  return (
    <FloorFrame
      title={texts.title}
      back="/floor/menu"
      queue={queue}
      prompt={bin === null ? texts.scanBin : product === null ? floorTexts.pick.prompts.item : texts.scanToBin}
      onScan={onScan}
      {...(bin !== null && product === null && { products: [] })}
      act={
        bin !== null &&
        !asking.value && (
          <>
            <BigButton title={texts.startAgain} onClick={() => (move.value = nothing)} />
            {product !== null && (
              <BigButton kind="primary" title={texts.enterUnits} onClick={() => (asking.value = true)} />
            )}
          </>
        )
      }
    >
      {asking.value ? (
        <NumberPad
          label={words.units}
          first={quantity}
          onCancel={() => (asking.value = false)}
          onDone={(units) => {
            asking.value = false;
            move.value = { ...move.peek(), quantity: units };
          }}
        />
      ) : (
        <MoveSteps of={move.value} />
      )}
    </FloorFrame>
  );
}

/** The move so far, and what a scan does. */
function useMove() {
  const move = useSignal(nothing);

  const scanBin = async (read: string): Promise<Outcome> => {
    const found = await lookUp(read, device.peek().warehouse_id);
    const [from] = found.bins;
    if (from === undefined) return notExpected(found, texts.aBin);
    move.value = { ...nothing, bin: from.code };
    return { kind: "right", title: floorTexts.pick.inBin(from.code) };
  };

  const scanNext = async (read: string): Promise<Outcome> => {
    const found = await lookUp(read, device.peek().warehouse_id);
    const at = move.peek();
    const item = found.products.find(({ id }) => at.product === null || id === at.product.id);
    if (item !== undefined && found.bins.length === 0) {
      const others = found.products.filter(({ id }) => id !== item.id);
      if (found.type === "ambiguous" || (at.product === null && others.length > 0)) return ambiguous(found);
      move.value = {
        ...at,
        product: item,
        lot_number: at.lot_number ?? lotIn(found, item),
        quantity: at.quantity + item.quantity,
        pack: at.product === null || isSamePack(at.pack, item.pack) ? item.pack : null,
      };
      return { kind: "right", title: texts.units(move.peek().quantity), text: nameOf(item) };
    }
    if (at.product === null || isCode(read, at.bin)) return notExpected(found, texts.anItem);
    // The API would create a bin of any text, also of a barcode that is not known.
    const [to] = found.bins;
    return to === undefined ? notExpected(found, texts.aBin) : finish(at, at.product, to.code);
  };

  const finish = async (at: Move, item: ScannedProduct, to_bin: string): Promise<Outcome> => {
    const { warehouse_id } = device.peek();
    const place = { bin: at.bin, to_bin, ...(warehouse_id !== null && { location: warehouse_id }) };
    const lot = at.lot_number === null ? {} : { lot_number: at.lot_number };
    const { quantity, pack } = at;
    const packs = pack !== null && quantity % pack.quantity === 0 ? { pack } : {};
    const body = { sku: item.sku, quantity, ...packs, ...place, ...lot };
    const merchant = meant(item);
    const { data } = await sendUntilAnswered((key) =>
      post<StockMoveResult>("/inventory/moves", body, { key, merchant }),
    );
    move.value = nothing;
    return { kind: "done", title: texts.done(data.quantity, data.sku, data.bin) };
  };

  const onScan = (read: string) => (move.peek().bin === null ? scanBin(read) : scanNext(read));
  return { move, onScan };
}

function MoveSteps({ of: { bin, product, lot_number, quantity } }: { readonly of: Move }) {
  return (
    <>
      <section class="floor-step" data-state={bin === null ? "now" : "done"}>
        <span class="floor-step-label">{texts.fromBin}</span>
        {bin === null ? <Prompt text={texts.scanBin} /> : <strong class="floor-number">{bin}</strong>}
      </section>
      <section class="floor-step" data-state={bin === null ? "later" : product === null ? "now" : "done"}>
        <span class="floor-step-label">{floorTexts.pick.take}</span>
        {product === null && bin !== null && <Prompt text={floorTexts.pick.prompts.item} />}
        {quantity > 0 && <strong class="floor-number">{quantity}</strong>}
        {product !== null && <strong class="floor-main">{product.name}</strong>}
        {lot_number !== null && <span>{floorTexts.pick.lot(lot_number)}</span>}
      </section>
      <section class="floor-step" data-state={product === null ? "later" : "now"}>
        <span class="floor-step-label">{texts.toBin}</span>
        {product !== null && <Prompt text={texts.scanNewBin} />}
      </section>
    </>
  );
}

const Prompt = ({ text }: { readonly text: string }) => <strong class="floor-main">{text}</strong>;
