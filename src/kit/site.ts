/** How the world outside is led to this service: to the buyers' pages, and by links that open without a key. */
export interface Site {
  /** Address of the service as links name it, without a slash at the end; empty while the operator has given none. */
  readonly base_url: string;
  /** What signs the links, each kind under a key derived from it. */
  readonly secret_key: Uint8Array;
}

/** The site of a process that serves nobody: nothing that it writes has an address. */
export const unreachable: Site = { base_url: "", secret_key: new Uint8Array() };
