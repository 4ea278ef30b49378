import type { Level } from "../../api/types.ts";
import { setQuery } from "../../browser/router.ts";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { stockTexts as texts } from "../../text/stock.ts";
import { least_share, type Parts, partsOf, shares } from "./stock_shares.ts";

const width = 1000;

interface ChartPiece {
  readonly id: string;
  readonly title: string;
  readonly units: number;
  readonly note: string;
  readonly tab: string;
}

function piecesOf({ available, promised, picked, apart }: Parts): ChartPiece[] {
  return [
    { id: "available", title: texts.available, units: available, note: texts.availableNote, tab: "places" },
    { id: "promised", title: words.reserved, units: promised, note: texts.promisedNote, tab: "demand" },
    { id: "picked", title: words.picked, units: picked, note: texts.pickedNote, tab: "demand" },
    {
      id: "apart",
      title: texts.notForSale,
      units: apart.reduce((sum, { units }) => sum + units, 0),
      note:
        apart.length === 0
          ? texts.apartNote
          : apart.map(({ cause, units }) => `${texts.causes[cause]} ${count(units)}`).join(" · "),
      tab: "places",
    },
  ];
}

/** The stock of a SKU as a bar of its parts, with the incoming and backordered units below. */
export function Picture({ level }: { readonly level: Level }) {
  const parts = partsOf(level);
  const pieces = piecesOf(parts);
  const [available, promised, picked, apart] = pieces.map(({ units }) => units);
  const around: ChartPiece[] = [
    { id: "incoming", title: words.incoming, units: parts.incoming, note: texts.incomingNote, tab: "incoming" },
    {
      id: "backordered",
      title: texts.backordered,
      units: parts.backordered,
      note: texts.backorderedNote,
      tab: "demand",
    },
  ];
  const drawn = around.filter(({ units }) => units > 0);
  const tall = 44 + drawn.length * 20;
  const largest = Math.max(parts.on_hand, parts.incoming, parts.backordered, 1);
  return (
    <div class="picture">
      <p class="picture-sum">
        <strong>{count(parts.on_hand)}</strong> {words.onHand.toLowerCase()}
      </p>
      <svg
        class="picture-bars"
        viewBox={`0 0 ${width} ${tall}`}
        style={{ height: `${tall}px` }}
        preserveAspectRatio="none"
        role="img"
        aria-label={texts.sentence(parts.on_hand, available ?? 0, promised ?? 0, picked ?? 0, apart ?? 0)}
      >
        <ChartBar pieces={pieces} top={0} height={44} whole={(parts.on_hand / largest) * width} />
        {drawn.map((piece, at) => (
          <ChartBar
            key={piece.id}
            pieces={[piece]}
            top={50 + at * 20}
            height={14}
            whole={(piece.units / largest) * width}
          />
        ))}
      </svg>
      <ul class="picture-parts">
        {[...pieces, ...around].map(({ id, title, units, note, tab }) => (
          <li key={id} class={units === 0 ? "nought" : ""}>
            <button type="button" class="plain" onClick={() => setQuery({ tab: tab === "places" ? null : tab })}>
              <span class={`swatch ${id}`} aria-hidden="true" />
              <span class="picture-name">{title}</span>
              <strong data-part={id}>{count(units)}</strong>
              <small>{note}</small>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface ChartBarProps {
  readonly pieces: readonly ChartPiece[];
  readonly top: number;
  readonly height: number;
  readonly whole: number;
}

function ChartBar({ pieces, top, height, whole }: ChartBarProps) {
  const wide = shares(
    pieces.map(({ units }) => units),
    Math.max(whole, least_share),
  );
  let left = 0;
  return (
    <g>
      {pieces.map(({ id, title, units }, at) => {
        const own = wide[at] ?? 0;
        if (own === 0) return null;
        const x = left;
        left += own;
        return (
          <rect key={id} class={`piece ${id}`} x={x} y={top} width={Math.max(1, own - 2)} height={height} rx="3">
            <title>{`${title}: ${count(units)}`}</title>
          </rect>
        );
      })}
    </g>
  );
}
