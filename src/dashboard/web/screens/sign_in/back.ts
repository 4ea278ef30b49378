import { base, query } from "../../browser/router.ts";

/** Where somebody wanted to go before he was asked who he is. Only addresses of the dashboard: a link may hold any. */
export function backTo(): string {
  const back = query.value.get("back") ?? base;
  return back === base || back.startsWith(`${base}/`) || back.startsWith(`${base}?`) ? back : base;
}
