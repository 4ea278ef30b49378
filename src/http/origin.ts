/**
 * Where clients reach the service: its own address when it has one, else what the request was sent to. Null when the
 * request names no host.
 */
export function originOf(base_url: string, request_url: string): string | null {
  if (base_url !== "") return base_url;
  const { protocol, host } = URL.parse(request_url) ?? {};
  return protocol !== undefined && host !== undefined && isHost(host) ? `${protocol}//${host}` : null;
}

/** Whether a text is one host as a `Host` header names it: a name or an address, and a port if any. */
export function isHost(text: string): boolean {
  return /^([A-Za-z0-9._~-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$/.test(text);
}
