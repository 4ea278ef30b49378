import { base, query, to } from "../../browser/router.ts";

/** The address to open after signing in. Only addresses of the dashboard, because a link could name any other. */
export function backTo(): string {
  const back = query.value.get("back") ?? "";
  return back.startsWith(`${base}/`) || back.startsWith(`${base}?`) ? back : to("/");
}
