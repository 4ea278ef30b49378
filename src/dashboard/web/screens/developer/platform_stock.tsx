import type {
  PlatformConnection,
  PlatformListing,
  PlatformStock,
  StockDifference,
  StockPush,
  UnlistedProduct,
} from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { to } from "../../browser/router.ts";
import { type Action, ActionButton, Actions } from "../../components/action.tsx";
import { Badge, stateOptions } from "../../components/badge.tsx";
import type { FormField, Option } from "../../components/fields.tsx";
import { choice, List } from "../../components/list_page.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card } from "../../components/page.tsx";
import { ProductPicker } from "../../components/pickers.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { DescriptionList, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { platformStockTexts as texts } from "../../text/platform_stock.ts";
import { useWarehouses } from "../stock/stock_links.ts";

interface PlatformStockProps {
  readonly shop: PlatformConnection;
}

const units = { kind: "number", unit: texts.unit, width: "third" } as const;
const rules = [
  { ...units, name: "buffer", label: texts.buffer, help: texts.bufferHelp },
  { ...units, name: "cap", label: texts.cap, help: texts.capHelp },
  { ...units, name: "share_percent", label: texts.share, unit: "%", help: texts.shareHelp },
] as const satisfies readonly FormField[];

const settings: readonly FormField[] = [
  { kind: "switch", name: "enabled", label: texts.enabled, help: texts.enabledHelp },
  { kind: "switch", name: "paused", label: texts.paused, help: texts.pausedHelp },
  ...rules.map((field) => (field.name === "cap" ? field : { ...field, required: true })),
];

/** The stock that is pushed to a store: its settings, and the store's listings. */
export function Stock({ shop }: PlatformStockProps) {
  const { data: stock } = useQuery<PlatformStock>(`/platforms/${shop.id}/stock`);
  return (
    <div class="stack">
      {stock !== undefined && <StockCard shop={shop} stock={stock} />}
      <Listings shop={shop} />
    </div>
  );
}

interface ShopStockProps extends PlatformStockProps {
  readonly stock: PlatformStock;
}

/** Asks which warehouses fill each of the shop's locations. */
function locationsAction({ shop, stock }: ShopStockProps, warehouses: readonly Option[]): Action {
  const places = stock.shop_locations.filter(({ active }) => active);
  const fieldOf = (external_id: string) => `places.${external_id}`;
  const chosen = stock.locations?.map(({ external_id, warehouse_ids }) => [external_id, warehouse_ids] as const);
  return {
    title: texts.locations,
    icon: "warehouse",
    when: places.length > 0 && warehouses.length > 0,
    done: texts.saved,
    ask: {
      title: texts.locations,
      text: texts.locationsText,
      fields: places.map(({ external_id, name }) => {
        return { kind: "multi-select", name: fieldOf(external_id), label: name, options: warehouses };
      }),
      record: { places: Object.fromEntries(chosen ?? []) },
    },
    call: (values) => {
      const filled = places.map(({ external_id }) => {
        return { external_id, warehouse_ids: (values[fieldOf(external_id)] ?? []) as readonly string[] };
      });
      const locations = filled.filter(({ warehouse_ids }) => warehouse_ids.length > 0);
      const body = { locations: locations.length === 0 ? null : locations };
      return { method: "PATCH", path: `/platforms/${shop.id}/stock`, body };
    },
  };
}

function StockCard({ shop, stock }: ShopStockProps) {
  const { enabled, paused, reading, read_at, last_push_at, reason, locations } = stock;
  const { options, nameOf } = useWarehouses();
  const placeOf = ({ external_id, warehouse_ids }: NonNullable<typeof locations>[number]) => {
    const place = stock.shop_locations.find((one) => one.external_id === external_id);
    return texts.filled(place?.name ?? external_id, warehouse_ids.map((id) => nameOf(String(id))).join(", "));
  };
  const actions: readonly Action[] = [
    {
      title: texts.settings,
      icon: "edit",
      button: true,
      done: texts.saved,
      ask: { title: texts.settings, fields: settings, record: stock },
      call: { method: "PATCH", path: `/platforms/${shop.id}/stock` },
    },
    locationsAction({ shop, stock }, options),
    {
      title: texts.read,
      icon: "redo",
      button: true,
      when: reading === null,
      done: texts.readStarted,
      call: { method: "POST", path: `/platforms/${shop.id}/stock/read` },
    },
  ];
  return (
    <Card title={texts.title} acts={<Actions of={actions} />}>
      {reason !== null && (
        <Notice kind="warning">
          <p>{reason.message}</p>
        </Notice>
      )}
      <DescriptionList
        facts={[
          [words.status, enabled ? (paused ? texts.isPaused : texts.isOn) : texts.isOff],
          locations === null ? null : [texts.locations, locations.map(placeOf).join("; ")],
          [texts.listings, texts.counts(count(stock.listings), count(stock.matched_listings))],
          [texts.readAt, reading === null ? time(read_at) : texts.isReading(count(reading.listings))],
          [texts.lastPush, time(last_push_at)],
          [texts.failed, count(stock.failed_listings)],
          [texts.openDifferences, count(stock.open_differences)],
          [texts.prevented, count(stock.oversells_prevented)],
        ]}
      />
    </Card>
  );
}

const time = (at: string | null) => (at === null ? texts.never : <Time at={at} />);

/** A product as the form of a listing holds it. */
interface MatchedProduct {
  readonly id: string;
  readonly sku: string;
}

const productField: FormField = {
  kind: "custom",
  name: "product_id",
  label: texts.product,
  help: texts.productHelp,
  sent: (product) => (product as MatchedProduct | null)?.id ?? null,
  render: ({ id, value, set }) => (
    <ProductPicker
      id={id}
      label={texts.product}
      shown={(value as MatchedProduct | null)?.sku ?? ""}
      onPick={(product) => set(product && { id: product.id, sku: product.sku })}
    />
  ),
};
const listingFields: readonly FormField[] = [
  productField,
  { kind: "switch", name: "paused", label: texts.paused, help: texts.listingPausedHelp },
  ...rules,
];

const listingColumns: readonly TableColumn<PlatformListing>[] = [
  { id: "name", title: words.name, text: "name", wide: true },
  { id: "sku", title: words.sku, code: "sku" },
  { id: "product", title: texts.product, cell: ({ product_sku }) => product_sku ?? texts.unmatched },
  { id: "shop", title: texts.shopNumber, number: "shop_quantity" },
  { id: "target", title: texts.ourNumber, number: "target_quantity" },
  { id: "status", title: words.status, cell: statusOf },
  { id: "reason", title: words.reason, cell: ({ reason }) => reason?.message ?? "", wide: true },
  { id: "in_step", title: texts.inStep, time: "in_step_at", extra: true },
];

function statusOf({ status, paused, unsettable, product_id, shop_quantity, target_quantity }: PlatformListing) {
  if (unsettable !== null) return texts.unsettable[unsettable];
  // While pushes are off, numbers may differ although nothing is queued.
  if (product_id === null || (status === "idle" && shop_quantity !== target_quantity)) return "";
  return paused ? texts.isPaused : <Badge of="stock_listing" state={status} />;
}

function Listings({ shop }: PlatformStockProps) {
  const edit = (listing: PlatformListing): Action => {
    const { product_id, product_sku } = listing;
    const product = product_id === null ? null : { id: product_id, sku: product_sku ?? "" };
    return {
      title: words.edit,
      icon: "edit",
      done: texts.saved,
      ask: { title: listing.name, fields: listingFields, record: { ...listing, product_id: product } },
      call: { method: "PATCH", path: `/platforms/${shop.id}/listings/${listing.id}` },
    };
  };
  return (
    <List<PlatformListing>
      name={texts.listings}
      path={`/platforms/${shop.id}/listings`}
      search={{ param: "q", hint: texts.searchHint }}
      filters={[
        choice("matched", texts.product, [
          { value: "true", title: texts.isMatched },
          { value: "false", title: texts.unmatched },
        ]),
        choice("status", words.status, stateOptions("stock_listing")),
      ]}
      columns={listingColumns}
      rowActs={(listing) => <ActionButton of={edit(listing)} name={words.edit} />}
      empty={{ icon: "box", title: texts.listingsEmpty, text: texts.listingsEmptyText }}
    />
  );
}

const unlistedColumns: readonly TableColumn<UnlistedProduct>[] = [
  { id: "sku", title: words.sku, cell: ({ id, sku }) => <a href={to(`/products/${id}`)}>{sku}</a> },
  { id: "name", title: words.name, text: "name", wide: true },
  { id: "created", title: words.created, time: "created_at" },
];

/** The products that a store does not have. */
export function UnlistedProducts({ shop }: PlatformStockProps) {
  return (
    <List<UnlistedProduct>
      name={texts.unlisted}
      path={`/platforms/${shop.id}/unlisted_products`}
      columns={unlistedColumns}
      empty={{ icon: "check", title: texts.unlistedEmpty, text: texts.unlistedEmptyText }}
    />
  );
}

const pushColumns: readonly TableColumn<StockPush>[] = [
  { id: "created", title: texts.sentAt, time: "created_at" },
  { id: "sku", title: words.sku, code: "sku" },
  { id: "from", title: texts.from, number: "from_quantity" },
  { id: "to", title: texts.to, number: "to_quantity" },
  { id: "result", title: texts.result, cell: ({ result }) => <Badge of="stock_push" state={result} /> },
  { id: "seconds", title: texts.seconds, number: "seconds", extra: true },
  { id: "reason", title: words.reason, cell: ({ reason }) => reason?.message ?? "", wide: true },
];

/** The numbers that were sent to a store. */
export function StockPushes({ shop }: PlatformStockProps) {
  return (
    <List<StockPush>
      name={texts.pushes}
      path={`/platforms/${shop.id}/stock_pushes`}
      filters={[choice("result", texts.result, stateOptions("stock_push"))]}
      columns={pushColumns}
      empty={{ icon: "box", title: texts.pushesEmpty, text: texts.pushesEmptyText }}
    />
  );
}

const differenceColumns: readonly TableColumn<StockDifference>[] = [
  { id: "created", title: texts.foundAt, time: "created_at" },
  { id: "sku", title: words.sku, code: "sku" },
  { id: "shop", title: texts.shopNumber, number: "shop_quantity" },
  { id: "expected", title: texts.ourNumber, number: "expected_quantity" },
  { id: "cause", title: texts.cause, cell: ({ cause }) => texts.causes[cause], wide: true },
  { id: "repaired", title: texts.repairedAt, time: "repaired_at" },
];

/** The differences between a store's numbers and ours. */
export function StockDifferences({ shop }: PlatformStockProps) {
  const causes = Object.entries(texts.causes).map(([value, title]) => ({ value, title }));
  return (
    <List<StockDifference>
      name={texts.differences}
      path={`/platforms/${shop.id}/stock_differences`}
      filters={[choice("cause", texts.cause, causes)]}
      columns={differenceColumns}
      empty={{ icon: "check", title: texts.differencesEmpty, text: texts.differencesEmptyText }}
    />
  );
}
