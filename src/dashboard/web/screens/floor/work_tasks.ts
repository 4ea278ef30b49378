// Opening tasks: the screen of each kind, and the next task that the server chooses.
import { post } from "../../api/client.ts";
import type { NextTask, PackingSession, WorkTask } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { floorTexts as texts } from "../../text/floor.ts";
import { type Outcome, sendUntilAnswered } from "./act_queue.ts";
import { device } from "./device.ts";
import { giveFeedback } from "./feedback.ts";
import { lookUp } from "./scanned.ts";

/** Opens the packing session of a tote or an order, and shows it. */
export async function openSession(of: { readonly code: string } | { readonly order_id: string }): Promise<null> {
  const { station_id, name } = device.peek();
  const body = { ...of, station_id, device: name };
  const { data } = await sendUntilAnswered((key) => post<PackingSession>("/packing_sessions", body, { key }));
  giveFeedback("right");
  navigate(to(`/floor/packing/${data.id}`));
  return null;
}

/**
 * Packs a scanned item into the order of the wave that needs it, and shows its parcel. Any other code opens the tote or
 * order that it names.
 */
export async function packScanned(code: string, wave_id: string): Promise<Outcome | null> {
  const { station_id, warehouse_id, name } = device.peek();
  const { products, totes, orders } = await lookUp(code, warehouse_id);
  if (products.length === 0 || totes.length + orders.length > 0) return openSession({ code });
  if (station_id === null) return { kind: "info", title: texts.pack.needsStation };
  const body = { station_id, device: name, code, wave_id };
  const { data } = await sendUntilAnswered((key) => post<PackingSession>("/packing_sessions/from_item", body, { key }));
  giveFeedback(data.status === "closed" ? "done" : "right");
  navigate(to(`/floor/packing/${data.id}`, { wave: wave_id }));
  return null;
}

/** Shows the screen of a task that this person has. */
export async function openTask({ kind, wave_id, order_id }: WorkTask): Promise<null> {
  if (kind === "pack" && order_id !== null) return await openSession({ order_id });
  navigate(to(kind === "pick" ? `/floor/waves/${wave_id}` : `/floor/put_back/${order_id}`));
  return null;
}

/** Takes the next task that the server chooses for this person and device, and shows it. */
export async function takeNext(last_bin?: string): Promise<Outcome | null> {
  const { warehouse_id, name } = device.peek();
  const body = { ...(warehouse_id !== null && { warehouse_id }), device: name, last_bin };
  const { data } = await sendUntilAnswered((key) => post<NextTask>("/work/next", body, { key }));
  if (data.task === null) return { kind: "info", title: texts.noTask, text: texts.noTaskText };
  return await openTask(data.task);
}

/** Takes a task, also one that somebody else works on, and shows it. */
export async function takeTask(task: WorkTask): Promise<null> {
  const body = { device: device.peek().name };
  if (task.claim === null) await sendUntilAnswered((key) => post(`/work/${task.id}/claim`, body, { key }));
  else await sendUntilAnswered((key) => post(`/work/${task.id}/take_over`, body, { key }));
  return await openTask(task);
}
