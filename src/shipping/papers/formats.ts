/** What a paper may be answered as; the first is what a client gets that wants nothing else. */
export const paperFormats = ["pdf", "html", "json"] as const;
export type PaperFormat = (typeof paperFormats)[number];

const mediaTypes: Readonly<Record<PaperFormat, string>> = {
  pdf: "application/pdf",
  html: "text/html",
  json: "application/json",
};

/** The media types that stand beside JSON in the answers of a paper's route. */
export const paperMediaTypes: readonly string[] = [mediaTypes.pdf, mediaTypes.html];

/**
 * The format that an `Accept` header prefers: of equal ones the one named most exactly, then PDF before HTML before
 * JSON. A header that wants none of them gets a PDF.
 */
export function preferredFormat(accept: string | null): PaperFormat {
  const ranges = (accept ?? "*/*").split(",").map(readRange);
  const ranked = paperFormats.map((format) => ({ format, ...wishFor(mediaTypes[format], ranges) }));
  const [best] = ranked.sort((a, b) => b.quality - a.quality || b.exactness - a.exactness);
  return best === undefined || best.quality === 0 ? "pdf" : best.format;
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function readRange(text: string): Range {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
  return { type, quality: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality) ? Number(quality) : 0 };
}

/** How much a type is wanted: the most exact range that covers it says so. */
function wishFor(type: string, ranges: readonly Range[]): { quality: number; exactness: number } {
  const covering = [type, `${type.split("/")[0]}/*`, "*/*"];
  for (const [at, name] of covering.entries()) {
    const found = ranges.find((range) => range.type === name);
    if (found !== undefined) return { quality: found.quality, exactness: covering.length - at };
  }
  return { quality: 0, exactness: 0 };
}
