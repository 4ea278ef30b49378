import { patch } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import type { Warehouse } from "../../api/stock_types.ts";
import type { Product } from "../../api/types.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/confirm.tsx";
import { Notice } from "../../kit/notice.tsx";
import { said } from "../../shell/toasts.tsx";
import { stockTexts as texts } from "../../texts/stock.ts";

// The warmest first. Goods may lie in a colder zone.
const temperatures = ["ambient", "refrigerated", "frozen"] as const;

interface Props {
  readonly product: Product;
  readonly warehouse: Warehouse;
}

/** Warns that a warehouse has no zone that is cold enough for a product, and adds one. */
export function ZoneNeeded({ product: { sku, temperature_zone: wanted }, warehouse }: Props) {
  const isCold = (zone: (typeof temperatures)[number]) => temperatures.indexOf(zone) >= temperatures.indexOf(wanted);
  if (warehouse.location_zones.some(({ temperature_zone }) => isCold(temperature_zone))) return null;
  const zone_id = wanted.toUpperCase();
  const add = () =>
    confirm({
      title: texts.zoneTitle(wanted, warehouse.name),
      text: texts.zoneText(zone_id),
      act: texts.zoneAdd(wanted),
      run: async () => {
        const location_zones = [{ zone_id, temperature_zone: wanted }];
        await patch(`/inventory/locations/${warehouse.warehouse_id}`, { location_zones });
        said(texts.zoneAdded(zone_id));
      },
    });
  return (
    <Notice kind="warning">
      <p>{texts.zoneNeeded(sku, wanted, warehouse.name)}</p>
      {may("house.manage") ? (
        <p>
          <Button icon="plus" title={texts.zoneAdd(wanted)} onClick={() => void add()} />
        </p>
      ) : (
        <p>{texts.zoneAsk}</p>
      )}
    </Notice>
  );
}
