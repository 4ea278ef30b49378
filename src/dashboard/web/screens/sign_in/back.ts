import { base, query } from "../../browser/router.ts";

/** The address to open after signing in. Only addresses of the dashboard, because a link could name any other. */
export function backTo(): string {
  const back = query.value.get("back") ?? base;
  return back === base || back.startsWith(`${base}/`) || back.startsWith(`${base}?`) ? back : base;
}
