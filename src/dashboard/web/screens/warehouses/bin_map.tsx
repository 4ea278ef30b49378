import { memo } from "preact/compat";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { ownerOf, several } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import type { Placed, WarehouseRecord } from "../../api/types.ts";
import { query, setQuery, to } from "../../browser/router.ts";
import { MerchantMark } from "../../components/badge.tsx";
import { Button, LinkButton } from "../../components/button.tsx";
import { Select } from "../../components/fields.tsx";
import { SearchField } from "../../components/list_page.tsx";
import { EmptyState, Notice, Skeleton } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { binTexts as texts } from "../../text/warehouses.ts";
import { stockHref, useWarehouses } from "../stock/stock_links.ts";
import { binHref, Expiry } from "../stock/stock_places.tsx";
import { aislesOf, cellName, fillOf, fills, fillWord, type MapBin } from "./bin_layout.ts";
import { AssignedTo, assignedTo, assignmentColor, assignmentWords } from "./bin_reservation.tsx";

interface BinPanelProps {
  readonly warehouse: WarehouseRecord;
  readonly code: string;
  readonly onClose: () => void;
}

const shown_max = 50;

/** The contents of a bin, next to the map. */
function BinPanel({ warehouse, code, onClose }: BinPanelProps) {
  const { warehouse_id } = warehouse;
  const params = { location: warehouse_id, bin: code, limit: shown_max };
  const { data: rows, pagination } = useQuery<readonly Placed[]>("/inventory/items", params);
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
            {texts.reservedForTitle} <AssignedTo bin={bin} />
            {assignedTo(bin) === null && ` · ${assignmentWords(bin)}`}
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

type MapZone = WarehouseRecord["location_zones"][number];

/** The bins of a warehouse as a map: zones as areas, bins as cells by the order of their codes. */
export function BinsScreen() {
  const { all, several, options, problem } = useWarehouses();
  const warehouse = all.find(({ warehouse_id }) => warehouse_id === query.value.get("location")) ?? all[0];
  const q = query.value.get("q") ?? "";
  const chosen = query.value.get("bin");
  const found = useFound(warehouse, q);
  const bins = warehouse?.location_zones.flatMap((zone) => zone.bins) ?? [];
  if (warehouse === undefined) {
    return <Page title={texts.title}>{problem ? <Notice problem={problem} /> : <Skeleton lines={10} />}</Page>;
  }
  if (bins.length === 0) {
    const act = <LinkButton title={texts.emptyAct} href={to("/settings/house")} />;
    return (
      <Page title={texts.title}>
        <EmptyState icon="bins" title={texts.emptyTitle} text={texts.emptyText} act={act} />
      </Page>
    );
  }
  return (
    <Page title={texts.title} badge={<span class="count">{texts.bins(bins.length)}</span>}>
      <div class="list-bar">
        <SearchField key="map" param="q" hint={texts.search} />
        {several && (
          <Select
            class="filter"
            aria-label={texts.warehouse}
            value={warehouse.warehouse_id}
            options={options}
            onChoose={(location) => setQuery({ location, bin: null })}
          />
        )}
        <span class="muted" role="status">
          {found && texts.found(found.codes.size)}
          {found?.more && ` · ${texts.foundMore}`}
        </span>
        <Legend kept={bins.some((bin) => assignedTo(bin) !== null)} />
      </div>
      {found && found.codes.size > 0 && <FoundBins codes={[...found.codes]} chosen={chosen} />}
      <div class={chosen ? "map-page open" : "map-page"}>
        <BinMap warehouse={warehouse} chosen={chosen} found={found?.codes ?? null} />
        {chosen && (
          <BinPanel key={chosen} warehouse={warehouse} code={chosen} onClose={() => setQuery({ bin: null })} />
        )}
      </div>
    </Page>
  );
}

interface FoundBinCodes {
  readonly codes: ReadonlySet<string>;
  readonly more: boolean;
}

/** The codes of the bins that match a search, by code or by contents. */
function useFound(warehouse: WarehouseRecord | undefined, q: string): FoundBinCodes | null {
  const asks = q !== "" && warehouse !== undefined;
  const of = { location: warehouse?.warehouse_id, limit: 100 };
  const goods = useQuery<readonly Placed[]>(asks ? "/inventory/items" : null, { ...of, q });
  const lot = useQuery<readonly Placed[]>(asks ? "/inventory/items" : null, { ...of, lot_number: q });
  return useMemo(() => {
    if (!asks) return null;
    const named = warehouse.location_zones
      .flatMap((zone) => zone.bins)
      .filter(({ code }) => code.toLowerCase().includes(q.toLowerCase()));
    const held = [...(goods.data ?? []), ...(lot.data ?? [])].map(({ bin }) => bin);
    return { codes: new Set([...named.map(({ code }) => code), ...held]), more: goods.pagination?.has_more ?? false };
  }, [asks, warehouse, q, goods.data, lot.data]);
}

const named_max = 16;

/** The found bins as a list, because they may be far apart on the map. */
function FoundBins({ codes, chosen }: { readonly codes: readonly string[]; readonly chosen: string | null }) {
  return (
    <ul class="map-found">
      {codes.slice(0, named_max).map((code) => (
        <li key={code}>
          <button
            type="button"
            class="filter flag"
            aria-pressed={code === chosen}
            onClick={() => setQuery({ bin: code })}
          >
            {code}
          </button>
        </li>
      ))}
      {codes.length > named_max && <li class="muted">{texts.andMore(codes.length - named_max)}</li>}
    </ul>
  );
}

/** `kept`: whether any bin is reserved for a merchant. */
function Legend({ kept: has_reserved }: { readonly kept: boolean }) {
  return (
    <ul class="map-legend" aria-label={texts.legend}>
      {fills.map((fill) => (
        <li key={fill}>
          <span class={`cell ${fill}`} aria-hidden="true" />
          {fillWord(fill)}
        </li>
      ))}
      {has_reserved && (
        <li>
          <span class="cell empty kept" aria-hidden="true" />
          {texts.legendReserved}
        </li>
      )}
    </ul>
  );
}

interface MapProps {
  readonly warehouse: WarehouseRecord;
  readonly chosen: string | null;
  readonly found: ReadonlySet<string> | null;
}

function BinMap({ warehouse, chosen, found }: MapProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => mark(box.current, chosen, found));
  // Scrolls to the bin that was chosen in the list or by the address.
  useEffect(() => {
    const cell = box.current?.querySelector<HTMLElement>('button[aria-pressed="true"]');
    const { top = 0, bottom = 0 } = cell?.getBoundingClientRect() ?? {};
    if (top < 0 || bottom > window.innerHeight) cell?.scrollIntoView({ block: "center" });
  }, [chosen]);
  return (
    // One listener for thousands of cells. Each cell is a button.
    <div
      ref={box}
      class={found === null ? "map" : "map searched"}
      role="group"
      aria-label={texts.map(warehouse.name)}
      onClick={(event) => {
        const code = (event.target as Element).closest<HTMLElement>("button[data-bin]")?.dataset["bin"];
        if (code !== undefined) setQuery({ bin: code });
      }}
      onKeyDown={(event) => walk(event, box.current)}
    >
      <p class="unseen">{texts.mapHelp}</p>
      {warehouse.location_zones.map((zone) => (
        <ZoneArea key={zone.zone_id} zone={zone} />
      ))}
    </div>
  );
}

/** Marks the chosen and found cells in the DOM, because drawing thousands of cells again would be slow. */
function mark(box: HTMLElement | null, chosen: string | null, found: ReadonlySet<string> | null): void {
  const cells = [...(box?.querySelectorAll<HTMLElement>("button[data-bin]") ?? [])];
  for (const cell of cells) {
    const code = cell.dataset["bin"] ?? "";
    cell.classList.toggle("found", found?.has(code) ?? false);
    cell.setAttribute("aria-pressed", String(code === chosen));
    cell.tabIndex = -1;
  }
  const entry =
    cells.find(({ dataset }) => dataset["bin"] === chosen) ??
    cells.find(({ classList }) => classList.contains("found")) ??
    cells[0];
  if (entry) entry.tabIndex = 0;
}

/** Moves the focus to the next visible cell in the direction of the arrow key. */
function walk(event: KeyboardEvent, box: HTMLElement | null): void {
  const cells = [...(box?.querySelectorAll<HTMLElement>("button[data-bin]") ?? [])];
  const from = document.activeElement as HTMLElement;
  if (!cells.includes(from)) return;
  const ends = { Home: cells[0], End: cells.at(-1) }[event.key];
  const next = ends ?? nearest(cells, from, event.key);
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

/** The nearest cell in a direction: sideways at the same height, up and down with the least sideways distance. */
function nearest(cells: readonly HTMLElement[], from: HTMLElement, key: string): HTMLElement | undefined {
  const own = from.getBoundingClientRect();
  let best: HTMLElement | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const cell of cells) {
    if (cell === from) continue;
    const { left, top } = cell.getBoundingClientRect();
    const [right, down] = [left - own.left, top - own.top];
    const level = Math.abs(down) < 6;
    const far = {
      ArrowRight: level && right > 0 ? right : Number.NaN,
      ArrowLeft: level && right < 0 ? -right : Number.NaN,
      ArrowDown: down >= 6 ? down + Math.abs(right) * 2 : Number.NaN,
      ArrowUp: down <= -6 ? -down + Math.abs(right) * 2 : Number.NaN,
    }[key];
    if (far === undefined || Number.isNaN(far) || far >= least) continue;
    [best, least] = [cell, far];
  }
  return best;
}

const ZoneArea = memo(function ZoneArea({ zone }: { readonly zone: MapZone }) {
  const { zone_id, temperature_zone, temperature_range, used, capacity, bins } = zone;
  return (
    <section class={`map-zone ${temperature_zone}`} aria-label={zone_id}>
      <header>
        <h2>{zone_id}</h2>
        <span class={`map-temperature ${temperature_zone}`}>
          {texts.zones[temperature_zone]}
          {temperature_range && ` · ${temperature_range}`}
        </span>
        <span class="muted">
          {texts.bins(bins.length)} · {texts.zoneFill(used, capacity)}
        </span>
      </header>
      {aislesOf(bins).map(({ name, bays }) => (
        <div key={name} class="map-aisle">
          <span class="map-aisle-name">{name}</span>
          <div class="map-bays">
            {bays.map(({ name: bay, bins: own }) => (
              <div key={bay || own[0]?.code} class="map-bay">
                {own.map((bin) => (
                  <Cell key={bin.code} bin={bin} />
                ))}
                {bay !== "" && own.length > 1 && <small aria-hidden="true">{bay}</small>}
              </div>
            ))}
          </div>
        </div>
      ))}
    </section>
  );
});

function Cell({ bin }: { readonly bin: MapBin }) {
  const { code, used, capacity } = bin;
  const merchant = assignedTo(bin);
  const reservation = merchant === null ? "" : `, ${texts.reservedFor(merchant.code)}`;
  const words = `${code}: ${texts.fillOf(used, capacity)}${reservation}`;
  const color = assignmentColor(bin);
  return (
    <button
      type="button"
      class={`cell ${fillOf(bin)}${color === null ? "" : " kept"}`}
      style={color === null ? undefined : { "--kept": color }}
      data-bin={code}
      tabIndex={-1}
      aria-label={words}
      title={words}
    >
      {cellName(bin)}
    </button>
  );
}
