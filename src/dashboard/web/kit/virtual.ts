// Finds the rows of a long list that are near enough to the window to be drawn.
import { observeWindowOffset, observeWindowRect, Virtualizer, windowScroll } from "@tanstack/virtual-core";
import { useEffect, useLayoutEffect, useReducer, useState } from "preact/hooks";

/** A range of rows, with the height of the rows above and below. */
interface Stretch {
  readonly first: number;
  readonly last: number;
  readonly above: number;
  readonly below: number;
  readonly scrollTo: (index: number) => void;
}

interface Settings {
  readonly count: number;
  readonly row_height: number;
  /** The offset of the list from the top of the page. */
  readonly from: () => number;
}

/** The rows to draw of a list that scrolls with the page. */
export function useWindowRows({ count, row_height, from }: Settings): Stretch {
  const [, redraw] = useReducer<number, void>((drawn) => drawn + 1, 0);
  const options = {
    count,
    getScrollElement: () => window,
    estimateSize: () => row_height,
    scrollToFn: windowScroll,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    overscan: 12,
    scrollMargin: from(),
    onChange: () => redraw(),
  };
  const [rows] = useState(() => new Virtualizer<Window, Element>(options));
  rows.setOptions(options);
  useEffect(() => rows._didMount(), []);
  useLayoutEffect(() => rows._willUpdate());
  return stretchOf(rows, count);
}

function stretchOf<From extends Window | HTMLElement>(rows: Virtualizer<From, Element>, count: number): Stretch {
  const drawn = rows.getVirtualItems();
  const [top, bottom] = [drawn[0], drawn.at(-1)];
  const margin = rows.options.scrollMargin;
  return {
    first: top?.index ?? 0,
    last: bottom === undefined ? Math.min(count, 40) - 1 : bottom.index,
    above: top === undefined ? 0 : top.start - margin,
    below: bottom === undefined ? 0 : rows.getTotalSize() - (bottom.end - margin),
    scrollTo: (index) => rows.scrollToIndex(index),
  };
}
