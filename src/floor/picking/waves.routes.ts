import { DryRunQuery, NoBody } from "../../core/schema.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { tagged } from "../../http/preconditions.ts";
import { answerAct, DryRunView } from "../../http/rehearsals.ts";
import { list, read, respond, routes, write } from "../../http/routes.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { assignTote, pickInWave, unpickInWave } from "./pick_in_wave.ts";
import { createWave, planWave } from "./plan_wave.ts";
import {
  AssignedToteView,
  AssignTote,
  PickedView,
  PickInWave,
  PlainWaveView,
  PlanWave,
  ReadWalk,
  UnpickInWave,
  WavePlanView,
  WaveView,
  WaveWalkView,
} from "./wave.schema.ts";
import type { Wave } from "./wave.ts";
import { wavePlanView } from "./wave_plan.ts";
import { assignedToteView, plainWaveViews, walkView, waveActView, waveView } from "./wave_walk.ts";
import { getWave, lockWave, waveList } from "./waves.sql.ts";
import { cancelWave, closeWave, releaseWave, removeFromWave } from "./waves.ts";

// Its orders change without an edit of the wave.
const shown = async (db: Db, wave: Wave) => tagged(await waveView(db, wave), wave.revision);

const current = async (tx: Tx, { params }: { readonly params: { readonly id: string } }) =>
  shown(tx, await lockWave(tx, params.id));

/** An act on a wave that shows it. */
function action<const Path extends "/waves/:id/release" | "/waves/:id/close" | "/waves/:id/cancel">(
  path: Path,
  act: (tx: Tx, id: string) => Promise<Wave>,
  notes: { readonly id: string; readonly summary: string; readonly description: string },
) {
  return write("POST", path as "/waves/:id/release", "floor.lead", {
    ...notes,
    refuses: ["invalid_state_transition"],
    tagged: true,
    body: NoBody,
    view: WaveView,
    matches: current,
    act: async (tx, { params }) => shown(tx, await act(tx, params.id)),
  });
}

const scan_refuses = [
  "invalid_state_transition",
  "order_cancelled",
  "task_taken",
  "wave_closed",
  "wrong_tote",
] as const;

/** Waves: orders that are picked in one walk. */
export const waveRoutes = routes("Floor", [
  respond("POST", "/waves", "floor.lead", {
    id: "planWave",
    summary: "Plan a wave",
    description:
      "Takes orders that wait to be picked into a wave: by priority, then by cut-off, then the oldest first. It takes" +
      " orders whose units are all reserved in the warehouse. A dry run shows what it would take, and why other" +
      " orders wait. Release the wave to have it picked.",
    refuses: ["nothing_to_pick", "resource_missing"],
    tagged: true,
    query: DryRunQuery,
    body: PlanWave,
    answers: { 201: EnvelopedView(WaveView), 200: DryRunView(WavePlanView) },
    answer: async ({ call, body, query: { dry_run } }) => {
      const plan = await planWave(call.store, body);
      return answerAct<object>(call, { status: 201, dry_run }, async (tx) =>
        dry_run ? wavePlanView(plan) : shown(tx, await createWave(tx, plan, body, call.actor)),
      );
    },
  }),
  list("/waves", "floor.read", {
    id: "listWaves",
    summary: "List waves",
    description: "Waves with their progress, newest first, without their orders.",
    of: waveList,
    view: PlainWaveView,
    views: (waves, db) => plainWaveViews(db, waves as readonly Wave[]),
  }),
  read("/waves/:id", "floor.read", {
    id: "getWave",
    summary: "Get a wave with its orders",
    description: "The wave with its progress, its orders and the totes that they are picked into.",
    tagged: true,
    view: WaveView,
    data: async (db, { params }) => shown(db, await getWave(db, params.id)),
  }),
  action("/waves/:id/release", releaseWave, {
    id: "releaseWave",
    summary: "Release a wave for picking",
    description: "Makes a planned wave a task that somebody can take.",
  }),
  action("/waves/:id/close", closeWave, {
    id: "closeWave",
    summary: "Close a picked wave",
    description: "Ends a wave of which nothing is left to pick before all of its orders are packed.",
  }),
  action("/waves/:id/cancel", cancelWave, {
    id: "cancelWave",
    summary: "Cancel a wave",
    description:
      "Frees the orders of a wave that is not picked. What is picked stays with its order, in its tote. Totes" +
      " without units are freed.",
  }),
  write("DELETE", "/waves/:id/orders/:order_id", "floor.lead", {
    id: "removeWaveOrder",
    summary: "Remove an order from a wave",
    description: "Frees an order for another wave. What is picked of it stays picked, in its tote.",
    refuses: ["wave_closed"],
    tagged: true,
    view: WaveView,
    matches: current,
    act: async (tx, { params }) => shown(tx, await removeFromWave(tx, params.id, params.order_id)),
  }),
  read("/waves/:id/walk", "floor.read", {
    id: "getWaveWalk",
    summary: "Get what is left to pick of a wave, in walking order",
    description:
      "The stops of the walk, the next one first. It follows from the reserved units of the wave's orders: an order" +
      " that is held or cancelled leaves the walk, and other bins take the place of one where units were missing.",
    query: ReadWalk,
    view: WaveWalkView,
    data: async (db, { params, query }) => walkView(db, await getWave(db, params.id), query.last_bin),
  }),
  write("POST", "/waves/:id/totes", "floor.work", {
    id: "assignTote",
    summary: "Assign a tote to an order of a wave",
    description:
      "Assigns a free tote to the order named, or to the next order without one. Assigning it again to the same order" +
      " changes nothing. An order may have several totes.",
    refuses: ["nothing_to_pick", "resource_missing", "tote_in_use", ...scan_refuses],
    body: AssignTote,
    view: AssignedToteView,
    act: async (tx, { call, params, body }) => assignedToteView(await assignTote(tx, params.id, body, call.actor)),
  }),
  write("POST", "/waves/:id/picks", "floor.work", {
    id: "pickInWave",
    summary: "Pick units of a wave, or report them missing",
    description:
      "Records what was taken from a bin: scan the bin, the item, its lot if there are several, then the tote. Units" +
      " are shared out to the orders that need them. With `short`, the units were not there: the walk goes on to" +
      " another bin, or the order is held for `short_pick` and its totes are set aside. Unless they were damaged, no" +
      " more units of that bin are promised until a count of it, which is opened, has ended. Renews the task.",
    refuses: [
      "ambiguous_barcode",
      "ambiguous_stock",
      "insufficient_inventory",
      "lot_not_pickable",
      "resource_missing",
      "surplus_item",
      "tote_in_use",
      "unknown_barcode",
      "unreadable_barcode",
      "wrong_bin",
      "wrong_item",
      "wrong_lot",
      ...scan_refuses,
    ],
    body: PickInWave,
    view: PickedView,
    act: async (tx, { call, params, body }) => waveActView(tx, await pickInWave(tx, params.id, body, call.actor)),
  }),
  write("POST", "/waves/:id/unpick", "floor.work", {
    id: "unpickInWave",
    summary: "Return picked units of a wave to their bins",
    description:
      "Takes back a pick of an order that is not packed: its units go back to the bin and lot that they came from," +
      " and are left to pick again.",
    refuses: [
      "ambiguous_barcode",
      "bin_full",
      "resource_missing",
      "tote_in_use",
      "unknown_barcode",
      "unreadable_barcode",
      "wrong_item",
      ...scan_refuses,
    ],
    body: UnpickInWave,
    view: PickedView,
    act: async (tx, { call, params, body }) => waveActView(tx, await unpickInWave(tx, params.id, body, call.actor)),
  }),
]);
