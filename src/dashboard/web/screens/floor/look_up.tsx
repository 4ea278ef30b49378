import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { merchantOf, several } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import type { LabelRecord, Placed, ScanLookup } from "../../api/types.ts";
import { query } from "../../browser/router.ts";
import { Icon, type IconName } from "../../components/icon.tsx";
import { floorTexts } from "../../text/floor.ts";
import { date } from "../../text/format.ts";
import { stateWords } from "../../text/states.ts";
import type { ActQueue, Outcome } from "./act_queue.ts";
import { AttachBarcode } from "./attach_barcode.tsx";
import { BigButton } from "./big_button.tsx";
import { device } from "./device.ts";
import { FloorFrame, useQueue } from "./floor_frame.tsx";
import { ParcelDocuments } from "./parcel_documents.tsx";
import { lookUp, nameOf, type ScannedProduct, wrong } from "./scanned.ts";
import { openSession } from "./work_tasks.ts";

const texts = floorTexts.lookUp;

/** Shows what a scanned code is: a product with its stock, a bin and its contents, a tote, an order, a parcel. */
export function LookUpScreen() {
  const queue = useQueue();
  const found = useSignal<ScanLookup | null>(null);
  /** A code that nothing has, until the product that it belongs to is scanned. */
  const unknown = useSignal<string | null>(query.value.get("code"));
  const onScan = async (read: string): Promise<Outcome> => {
    const result = await lookUp(read, device.peek().warehouse_id);
    found.value = result;
    if (countOf(result) > 0) return { kind: "right", title: titleOf(result) };
    unknown.value = result.scanned;
    return wrong(floorTexts.refusals.unknown_barcode, texts.nothing, "nothing_found");
  };
  const code = unknown.value;
  const products = found.value?.products ?? [];
  return (
    <FloorFrame title={texts.title} back="/floor/menu" queue={queue} prompt={texts.prompt} onScan={onScan}>
      {found.value === null && <p class="floor-main">{texts.kinds}</p>}
      {code !== null && (
        <section class="floor-card">
          <Icon name="tag" size={28} />
          <span>{products.length === 0 ? texts.scanProduct(code) : texts.belongsTo(code)}</span>
        </section>
      )}
      {code !== null && (
        <AttachBarcode queue={queue} scanned={code} products={products} onDone={() => (unknown.value = null)} />
      )}
      {found.value !== null && <Found of={found.value} queue={queue} />}
    </FloorFrame>
  );
}

const countOf = ({ products, bins, totes, stations, orders, parcels }: ScanLookup) =>
  [products, bins, totes, stations, orders, parcels].reduce((sum, { length }) => sum + length, 0);

function titleOf({ products, bins, totes, orders, scanned }: ScanLookup): string {
  const [product, bin, tote, order] = [products[0], bins[0], totes[0], orders[0]];
  if (product) return nameOf(product);
  if (bin) return texts.bin(bin.code);
  if (tote) return texts.tote(tote.code);
  return order ? floorTexts.pick.order(order.order_number) : scanned;
}

function Found({ of: { products, bins, totes, orders, parcels, stations, readings }, queue }: FoundProps) {
  return (
    <>
      {products.map((product) => (
        <Product key={product.id} of={product} expires={readings[0]?.expiration_date ?? null} />
      ))}
      {bins.map(({ code, warehouse_id }) => (
        <Bin key={`${warehouse_id} ${code}`} code={code} warehouse_id={warehouse_id} />
      ))}
      {totes.map(({ id, code, order_id, order_number }) => (
        <Entry
          key={id}
          icon="boxes"
          title={texts.tote(code)}
          text={order_number === null ? texts.free : texts.holds(order_number)}
        >
          {order_id !== null && <Pack order_id={order_id} queue={queue} />}
        </Entry>
      ))}
      {orders.map(({ id, order_number, status, merchant_id }) => (
        <Entry
          key={id}
          icon="cart"
          title={floorTexts.pick.order(order_number)}
          text={facts(stateWords(status), merchant_id)}
        >
          <Pack order_id={id} queue={queue} />
          <Documents order_id={id} shipment_id={null} queue={queue} />
        </Entry>
      ))}
      {parcels.map(({ shipment_id, order_id, tracking_number, status, merchant_id }) => (
        <Entry
          key={shipment_id}
          icon="truck"
          title={texts.parcel(tracking_number ?? shipment_id)}
          text={facts(stateWords(status), merchant_id)}
        >
          <Documents order_id={order_id} shipment_id={shipment_id} queue={queue} />
        </Entry>
      ))}
      {stations.map(({ id, name }) => (
        <Entry key={id} icon="print" title={texts.station(name)} text="" />
      ))}
    </>
  );
}

interface FoundProps {
  readonly of: ScanLookup;
  readonly queue: ActQueue;
}

const facts = (...parts: readonly (string | null)[]) =>
  parts
    .map((part) => (part?.startsWith("mer_") ? (several.value ? merchantOf(part)?.name : "") : part))
    .filter(Boolean)
    .join(" · ");

interface EntryProps {
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}

function Entry({ icon, title, text, children }: EntryProps) {
  return (
    <section class="floor-entry">
      <header>
        <Icon name={icon} size={32} />
        <div>
          <strong class="floor-main">{title}</strong>
          <span>{text}</span>
        </div>
      </header>
      {children}
    </section>
  );
}

interface ProductProps {
  readonly of: ScannedProduct;
  /** The expiry that the code states; null if it states none. */
  readonly expires: string | null;
}

function Product({ of: product, expires }: ProductProps) {
  const { id, sku, lot, merchant_id } = product;
  const { warehouse_id } = device.value;
  const { data: places = [] } = useQuery<readonly Placed[]>("/inventory/items", {
    sku,
    location: warehouse_id,
    lot_number: lot?.lot_number,
    limit: 50,
  });
  const own = places.filter((place) => place.merchant_id === merchant_id);
  return (
    <Entry
      key={id}
      icon="tag"
      title={nameOf(product)}
      text={facts(
        sku,
        lot && floorTexts.pick.lot(lot.lot_number),
        expires && floorTexts.pick.expires(date(expires)),
        merchant_id,
      )}
    >
      <Places of={own} label={(place) => place.bin} sku={false} />
    </Entry>
  );
}

function Bin({ code, warehouse_id }: { readonly code: string; readonly warehouse_id: string }) {
  const { data: places = [] } = useQuery<readonly Placed[]>("/inventory/items", {
    bin: code,
    location: warehouse_id,
    limit: 50,
  });
  return (
    <Entry icon="bins" title={texts.bin(code)} text={places.length === 0 ? texts.empty : ""}>
      <Places of={places} label={(place) => place.name} sku />
    </Entry>
  );
}

interface PlacesProps {
  readonly of: readonly Placed[];
  readonly label: (place: Placed) => string;
  readonly sku: boolean;
}

function Places({ of, label, sku }: PlacesProps) {
  return (
    <ul class="floor-lines">
      {of.map((place) => (
        <li key={`${place.merchant_id} ${place.sku} ${place.bin} ${place.lot_id}`} data-state="later">
          <div>
            <strong>{label(place)}</strong>
            <span>
              {facts(
                sku ? place.sku : null,
                place.lot_number && floorTexts.pick.lot(place.lot_number),
                place.reserved > 0 ? texts.reserved(place.reserved) : null,
              )}
            </span>
          </div>
          <span class="floor-of">{place.quantity}</span>
        </li>
      ))}
    </ul>
  );
}

function Pack({ order_id, queue }: { readonly order_id: string; readonly queue: ActQueue }) {
  return <BigButton icon="open" title={texts.pack} queue={queue} act={() => openSession({ order_id })} />;
}

interface DocumentsProps {
  readonly order_id: string;
  readonly shipment_id: string | null;
  readonly queue: ActQueue;
}

/** The label of a parcel or the newest one of an order, and the packing slip, to print again. */
function Documents({ order_id, shipment_id, queue }: DocumentsProps) {
  const { data: labels } = useQuery<readonly LabelRecord[]>("/shipping/labels", { order_id, limit: 50 });
  const printable = labels?.filter(({ status }) => status === "completed") ?? [];
  const label = printable.find((one) => shipment_id === null || one.shipment_id === shipment_id) ?? null;
  return <ParcelDocuments order_id={order_id} label={label} queue={queue} />;
}
