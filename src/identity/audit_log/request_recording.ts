import type { Log } from "../../core/log.ts";
import type { AuditRecording, Call } from "../../http/call.ts";
import type { Store } from "../../storage/database.ts";
import type { AuditedAct } from "./audit_entry.ts";
import { factsOf, targetsOf } from "./audit_entry.ts";
import { recordAct } from "./audit_log.sql.ts";

/**
 * Writes the audit log of a request: for live in the act's transaction, for test right after it, because the log is in
 * the live store. A refused request leaves no entry.
 */
export function recordingOf(live: Store, log: Log, ip: string | null): AuditRecording {
  // The entry to store once the transaction in test is committed.
  let waiting: AuditedAct | null = null;
  return {
    begin() {
      waiting = null;
    },
    async note(tx, call, status, data) {
      const act = actOf(call, data);
      const done = { ...act, mode: tx.mode, ip, status };
      if (tx.mode === "live") await recordAct(tx, done);
      else waiting = done;
    },
    async settle() {
      const act = waiting;
      if (act === null) return;
      waiting = null;
      // The act is committed, so its response is sent even if this fails.
      await live
        .write((tx) => recordAct(tx, act))
        .catch((error) => {
          const { action, actor } = act;
          const facts = { action, actor: actor.id, request_id: actor.request_id, error: String(error) };
          log.error("an act in test could not be stored in the audit log", facts);
        });
    },
  };
}

function actOf(call: Call, data: unknown): Pick<AuditedAct, "actor" | "action" | "targets" | "facts"> {
  const { id, path } = call.route;
  // Users who change their own account are the target once.
  const named = path.startsWith("/users/me") ? [call.actor.id] : namedIn(call.path, path);
  return {
    actor: call.actor,
    action: id,
    targets: targetsOf(data, named),
    facts: call.raw_body.startsWith("{") ? factsOf(JSON.parse(call.raw_body)) : {},
  };
}

/** The records that a path names by the parameters of its route. */
function namedIn(path: string, route: string): string[] {
  const parts = path.split("/");
  return route.split("/").flatMap((part, at) => (part.startsWith(":") ? [decodeURIComponent(parts[at] ?? "")] : []));
}
