import { get, patch } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import type { ProductRecord } from "../../api/types.ts";
import { floorTexts } from "../../text/floor.ts";
import type { ActQueue, Outcome } from "./act_queue.ts";
import { BigButton } from "./big_button.tsx";

const texts = floorTexts.attach;

/** A product that an unknown code may belong to. */
export interface AttachableProduct {
  readonly id: string;
  readonly sku: string;
  readonly name: string;
}

interface AttachBarcodeProps {
  readonly queue: ActQueue;
  readonly scanned: string;
  readonly onDone?: () => void;
  readonly products: readonly AttachableProduct[];
}

/** Offers to attach a barcode that nothing has to a product. */
export function AttachBarcode({ queue, scanned, products, onDone }: AttachBarcodeProps) {
  if (products.length === 0 || !may("catalog.write")) return null;
  return (
    <div class="floor-menu">
      {products.map(({ id, sku, name }) => (
        <BigButton
          key={id}
          icon="tag"
          title={texts.act(scanned, name === "" ? sku : name)}
          queue={queue}
          act={async () => {
            const outcome = await attach(scanned, id);
            onDone?.();
            return outcome;
          }}
        />
      ))}
    </div>
  );
}

async function attach(value: string, product_id: string): Promise<Outcome> {
  const { data, etag } = await get<ProductRecord>(`/products/${product_id}`);
  const type = /^\d{13}$/.test(value) ? "ean" : /^\d{12}$/.test(value) ? "upc" : "code128";
  const barcodes = [...data.barcodes, { value, type }];
  await patch(`/products/${product_id}`, { barcodes }, { match: etag });
  return { kind: "done", title: texts.done(value), text: data.name };
}
