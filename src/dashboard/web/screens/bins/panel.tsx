import { useEffect, useRef } from "preact/hooks";
import { ownerOf, several } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import type { Placed, Warehouse } from "../../api/stock_types.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { MerchantMark } from "../../kit/merchant_mark.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { binTexts as texts } from "../../texts/bins.ts";
import { words } from "../../texts/common.ts";
import { count } from "../../texts/format.ts";
import { binHref, Expiry } from "../stock_parts/places.tsx";
import { stockHref } from "../stock_parts/shared.ts";
import { KeptFor, keepingWords, keptFor } from "./keeping.tsx";

interface Props {
  readonly warehouse: Warehouse;
  readonly code: string;
  readonly onClose: () => void;
}

const shown_max = 50;

/** The contents of a bin, beside the map. */
export function BinPanel({ warehouse, code, onClose }: Props) {
  const { warehouse_id } = warehouse;
  const asked = { location: warehouse_id, bin: code, limit: shown_max };
  const { data: rows, pagination } = useQuery<readonly Placed[]>("/inventory/items", asked);
  const zone = warehouse.location_zones.find(({ bins }) => bins.some((bin) => bin.code === code));
  const bin = zone?.bins.find((one) => one.code === code);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const close = () => {
    onClose();
    const cells = document.querySelectorAll<HTMLElement>("button[data-bin]");
    [...cells].find(({ dataset }) => dataset["bin"] === code)?.focus();
  };
  return (
    <aside class="card map-panel" aria-label={texts.one(code)} onKeyDown={(event) => event.key === "Escape" && close()}>
      <header class="card-head">
        <h2 ref={heading} tabIndex={-1}>
          {code}
        </h2>
        <div class="card-acts">
          <Button kind="plain" icon="close" iconOnly title={words.close} onClick={close} />
        </div>
      </header>
      <div class="card-body stack">
        <p class="muted">
          {zone && `${zone.zone_id} · ${texts.zones[zone.temperature_zone]} · `}
          {bin ? `${texts.kinds[bin.kind]} · ${texts.fillOf(bin.used, bin.capacity)}` : texts.unknownBin}
        </p>
        {bin && several.value && (
          <p class="map-kept muted">
            {texts.keptForTitle} <KeptFor bin={bin} />
            {keptFor(bin) === null && ` · ${keepingWords(bin)}`}
          </p>
        )}
        {rows === undefined && <Skeleton lines={3} />}
        {rows?.length === 0 && <p>{texts.nothingIn}</p>}
        {rows && rows.length > 0 && (
          <ul class="map-contents">
            {rows.map((row) => (
              <li key={`${row.sku} ${row.lot_number} ${ownerOf(row)}`}>
                <a href={stockHref(row.sku, row)}>
                  <code>{row.sku}</code>
                </a>
                <strong>{count(row.quantity)}</strong>
                <MerchantMark of={ownerOf(row)} />
                <span class="muted">{row.name}</span>
                {row.lot_number && (
                  <small>
                    {row.lot_number} <Expiry at={row.expiration_date} warehouse={row.warehouse_id} />
                  </small>
                )}
              </li>
            ))}
          </ul>
        )}
        {pagination?.has_more && <p class="muted">{texts.more(shown_max)}</p>}
        {bin && <LinkButton title={texts.open} href={binHref(warehouse_id, code)} />}
      </div>
    </aside>
  );
}
