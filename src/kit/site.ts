/** How the world outside knows this service: by what its links begin with, and by the numbers of its parcels. */
export interface Site {
  /** Address of the service as links name it, without a slash at the end; empty while the operator has given none. */
  readonly base_url: string;
  /** The company's GS1 prefix, with which the numbers of its parcels begin; null without one. */
  readonly gs1_prefix: string | null;
  /** What signs the links, each kind under a key derived from it. */
  readonly secret_key: Uint8Array;
}

/** The site of a process that serves nobody: nothing that it writes has an address. */
export const unreachable: Site = { base_url: "", gs1_prefix: null, secret_key: new Uint8Array() };
