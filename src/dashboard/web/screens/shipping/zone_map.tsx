// A map of the US zones in small squares. Each square has the zone of the nearest known place.
import { useMemo, useState } from "preact/hooks";
import type { ZoneMap } from "../../api/types.ts";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { shippingTexts } from "../../text/shipping.ts";

const texts = shippingTexts.zones;
type MappedPlace = ZoneMap["places"][number];

/** A part of the map: its range in degrees and its position in the drawing. */
interface Frame {
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
  readonly x: number;
  readonly y: number;
  /** Drawing units per degree of latitude. */
  readonly scale: number;
  /** The maximum distance of the closest place, in degrees. */
  readonly reach: number;
}

const mainland: Frame = { west: -125, east: -66.5, south: 24.4, north: 49.5, x: 0, y: 0, scale: 20, reach: 1.7 };
const alaska: Frame = { west: -170, east: -130, south: 54, north: 71.5, x: 8, y: 400, scale: 6, reach: 4 };
const hawaii: Frame = { west: -160.5, east: -154.6, south: 18.8, north: 22.4, x: 170, y: 434, scale: 17, reach: 0.55 };
const puertoRico: Frame = { west: -67.5, east: -64.5, south: 17.6, north: 18.7, x: 800, y: 470, scale: 26, reach: 0.4 };
const frames = [mainland, alaska, hawaii, puertoRico];
const step = 0.4;

const width = 930;
const height = 520;

const shrinkOf = ({ south, north }: Frame) => Math.cos((((south + north) / 2) * Math.PI) / 180);
const isIn = ({ west, east, south, north }: Frame, at: { latitude: number; longitude: number }) =>
  at.longitude >= west && at.longitude <= east && at.latitude >= south && at.latitude <= north;

function spotIn(frame: Frame, at: { latitude: number; longitude: number }) {
  return {
    x: frame.x + (at.longitude - frame.west) * frame.scale * shrinkOf(frame),
    y: frame.y + (frame.north - at.latitude) * frame.scale,
  };
}

interface MapCell {
  readonly x: number;
  readonly y: number;
  readonly place: MappedPlace;
}

const around = 5.5;

/** The closest place, its distance in degrees, and whether places surround the square, which means it is land. */
function closestTo(near: readonly MappedPlace[], latitude: number, longitude: number, shrink: number) {
  let closest: MappedPlace | null = null;
  let least = Number.POSITIVE_INFINITY;
  const sides = new Set<number>();
  for (const place of near) {
    const north = place.latitude - latitude;
    const east = (place.longitude - longitude) * shrink;
    const distance = Math.hypot(north, east);
    if (distance < least) [closest, least] = [place, distance];
    if (distance < around) sides.add((north > 0 ? 1 : 0) + (east > 0 ? 2 : 0));
  }
  return closest === null ? null : { place: closest, distance: least, surrounded: sides.size === 4 };
}

/** The squares of a frame, each with its closest place. */
function cellsOf(frame: Frame, places: readonly MappedPlace[]): MapCell[] {
  const shrink = shrinkOf(frame);
  const near = places.filter((place) => isIn(frame, place));
  const side = step * 20;
  const degrees = side / frame.scale;
  const cells: MapCell[] = [];
  for (let latitude = frame.north; latitude > frame.south; latitude -= degrees) {
    for (let longitude = frame.west; longitude < frame.east; longitude += degrees / shrink) {
      const found = closestTo(near, latitude, longitude, shrink);
      if (found === null || (found.distance > frame.reach && !found.surrounded)) continue;
      cells.push({ ...spotIn(frame, { latitude, longitude }), place: found.place });
    }
  }
  return cells;
}

/** The name of a place's zone in styles and in the legend. */
const zoneOf = ({ zone, served }: MappedPlace): string =>
  zone === null ? texts.none : served ? zone : `${zone} (${texts.unserved})`;

/** The zones of the places, nearest first. */
function zonesOf(places: readonly MappedPlace[]): string[] {
  const order = new Intl.Collator("en", { numeric: true });
  return [...new Set(places.map(zoneOf))].sort(order.compare);
}

/** The map with its legend. The place under the pointer is described below it. */
export function ZoneMapPicture({ map }: { readonly map: ZoneMap }) {
  const cells = useMemo(() => frames.flatMap((frame) => cellsOf(frame, map.places)), [map]);
  const [pointed, setPointed] = useState<MappedPlace | null>(null);
  const zones = zonesOf(map.places);
  const frame = frames.find((one) => isIn(one, map.from)) ?? mainland;
  const origin = spotIn(frame, map.from);
  const side = step * 20 - 1;
  const path = (zone: string) =>
    cells
      .filter(({ place }) => zoneOf(place) === zone)
      .map(({ x, y }) => `M${x.toFixed(1)} ${y.toFixed(1)}h${side}v${side}h-${side}z`)
      .join("");
  const point = (event: MouseEvent & { currentTarget: SVGSVGElement }) => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * width;
    const y = ((event.clientY - box.top) / box.height) * height;
    setPointed(
      cells.find((cell) => x >= cell.x && x < cell.x + side + 1 && y >= cell.y && y < cell.y + side + 1)?.place ?? null,
    );
  };
  return (
    <figure class="zone-map">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={texts.mapLabel(map.from.postal_code)}
        onMouseMove={point}
        onMouseLeave={() => setPointed(null)}
      >
        {zones.map((zone, at) => (
          <path key={zone} class={`zone-${colorOf(at, zones.length)}`} d={path(zone)} />
        ))}
        <circle class="zone-origin" cx={origin.x + side / 2} cy={origin.y + side / 2} r="7" />
      </svg>
      <figcaption>
        <ul class="zone-legend">
          {zones.map((zone, at) => (
            <li key={zone}>
              <span class={`zone-swatch zone-${colorOf(at, zones.length)}`} />
              {zone}
            </li>
          ))}
        </ul>
        <span class="muted">{pointed === null ? "\u00a0" : `${pointed.prefix}: ${texts.found(zoneOf(pointed))}`}</span>
      </figcaption>
    </figure>
  );
}

const colors = 9;
const colorOf = (at: number, all: number) => (all <= 1 ? 0 : Math.round((at * (colors - 1)) / (all - 1)));

/** The data of the map as a table: the places of each zone. */
export function ZoneTable({ map }: { readonly map: ZoneMap }) {
  return (
    <div class="table-box" role="region" aria-label={texts.map} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th>{words.zone}</th>
            <th class="right">{texts.count}</th>
            <th>{texts.places}</th>
          </tr>
        </thead>
        <tbody>
          {zonesOf(map.places).map((zone) => {
            const prefixes = map.places.filter((place) => zoneOf(place) === zone).map(({ prefix }) => prefix);
            return (
              <tr key={zone}>
                <th scope="row">{zone}</th>
                <td class="right">{count(prefixes.length)}</td>
                <td class="zone-prefixes">{ranges(prefixes).join(", ")}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Consecutive numbers as ranges. */
function ranges(prefixes: readonly string[]): string[] {
  const found: [string, string][] = [];
  for (const prefix of [...prefixes].sort()) {
    const last = found.at(-1);
    if (last !== undefined && Number(prefix) === Number(last[1]) + 1) last[1] = prefix;
    else found.push([prefix, prefix]);
  }
  return found.map(([from, to]) => (from === to ? from : `${from}–${to}`));
}
