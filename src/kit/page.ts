import { type Static, Type } from "@sinclair/typebox";

/** The query parameters of every list. */
export const pageFields = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Page number, from 1." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Records on a page; 50 unless given." })),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: "Continues after the page that gave it." })),
};
const PageFields = Type.Object(pageFields);
export type PageQuery = Static<typeof PageFields>;

/** Where a list goes on: the sort key and the id of the last record seen. */
export type Position = readonly [key: string | number, id: number];

/** What a store's list needs to know: how many rows, and either how many to pass over or after which row. */
export interface Window {
  readonly limit: number;
  readonly offset: number;
  readonly after: Position | null;
}

/** About how many bytes of long records are read, written and sent at a time. */
export const slice_bytes = 256 << 10;

/** How many of the first records, which have these sizes, fit in a slice; at least one. */
export function fittingInSlice(sizes: readonly number[]): number {
  let bytes = 0;
  const first_beyond = sizes.findIndex((size, at) => {
    bytes += size;
    return at > 0 && bytes > slice_bytes;
  });
  return first_beyond === -1 ? sizes.length : first_beyond;
}
