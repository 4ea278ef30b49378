/** The public identity of this service: the address in its links, and the prefix of its parcel numbers. */
export interface Site {
  /** Address of the service as links name it, without a slash at the end; empty while the operator has given none. */
  readonly base_url: string;
  /** The company's GS1 prefix, with which the numbers of its parcels begin; null without one. */
  readonly gs1_prefix: string | null;
  /** The secret from which the keys that sign links are derived. */
  readonly secret_key: Uint8Array;
}

/** The site of a process that is no server, which has no address. */
export const unreachable: Site = { base_url: "", gs1_prefix: null, secret_key: new Uint8Array() };
