/** One media type or range of an `Accept` header and its quality, from 0 to 1. */
interface Wish {
  readonly type: string;
  readonly quality: number;
}

/** Reads an `Accept` header; without one all types are equal. A quality that cannot be read counts as 0. */
export function readAccept(accept: string | null): Wish[] {
  return (accept ?? "*/*").split(",").map(readWish);
}

function readWish(text: string): Wish {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
  return { type, quality: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality) ? Number(quality) : 0 };
}

/** The quality of a media type, by the most exact range that covers it. */
export function wishFor(type: string, wishes: readonly Wish[]): { quality: number; exactness: number } {
  const covering = [type, `${type.split("/")[0]}/*`, "*/*"];
  for (const [at, name] of covering.entries()) {
    const found = wishes.find((wish) => wish.type === name);
    if (found !== undefined) return { quality: found.quality, exactness: covering.length - at };
  }
  return { quality: 0, exactness: 0 };
}
