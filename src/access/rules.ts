import { Fault } from "../kit/fault.ts";
import { type Granted, lacking, levelFor, type Permission } from "./permission.ts";

/** Refuses to let someone grant, or take from another, what he may not do himself. */
export function refuseBeyond(granted: Granted, wanted: Iterable<Permission>): void {
  const [permission] = lacking(granted, wanted);
  if (permission === undefined) return;
  const message = `Nobody grants or takes away what he may not do himself: ${permission}.`;
  const { name, by } = granted;
  const facts = by === "role" ? { permission, role: name } : { required: levelFor(permission), granted: name };
  throw new Fault("insufficient_permission", message, facts);
}
