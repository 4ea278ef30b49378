import { isoOrNull } from "../../core/clock.ts";
import { missing } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { type RestockTask, restockTaskView } from "../../inventory/receiving/restock_task.ts";
import { listHomeBins, listRestockTasks } from "../../inventory/receiving/restock_tasks.sql.ts";
import { cutoffFor } from "../../inventory/warehouses/dispatch_calendar.ts";
import { findBin, listCalendars } from "../../inventory/warehouses/warehouses.sql.ts";
import { warehouseNamed } from "../../inventory/warehouses/warehouses.ts";
import { findOrderRows } from "../../orders/lifecycle/order_lookup.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { type TaskKind, taskKinds } from "../floor.transitions.ts";
import { listTotesOf } from "../picking/totes.sql.ts";
import { codesByOrder, type Wave } from "../picking/wave.ts";
import { walkView } from "../picking/wave_walk.ts";
import { listPickable, promisedBy, statesOf } from "../picking/waves.sql.ts";
import { claimView, isOwn, readTaskId, type TaskName, taskId, type WorkClaim, type Worker } from "./claim.ts";
import { deleteClaim, listClaims, listClaimsOf } from "./claims.sql.ts";
import { tryClaim } from "./claims.ts";
import { listOrdersToPack } from "./tasks.sql.ts";
import type { NextTask } from "./work.schema.ts";

/** Work that somebody can take. It follows from waves, orders and stock. */
interface Task extends TaskName {
  readonly warehouse_id: number;
  readonly ship_by: number | null;
  readonly units: number;
  readonly orders: number;
  /** How far it is from where the person is, along the pick path. */
  readonly distance: number;
  readonly wave: Wave | null;
  readonly order_number: string | null;
  readonly packing_note: string | null;
  readonly put_backs: readonly RestockTask[];
}

// More than people could choose from.
const tasks_max = 500;

interface TaskFilter {
  readonly warehouse_id: number | null;
  readonly kinds: readonly TaskKind[];
  /** Where the person is on the pick path. */
  readonly from?: number;
}

/** The tasks that match, those that leave soonest first, then the nearest. */
async function listTasks(db: Db, { warehouse_id, kinds, from = 0 }: TaskFilter): Promise<Task[]> {
  const tasks: Task[] = [];
  if (kinds.includes("pick")) tasks.push(...(await pickTasks(db, warehouse_id, from)));
  if (kinds.includes("pack")) tasks.push(...(await packTasks(db)));
  if (kinds.includes("put_back")) tasks.push(...(await putBackTasks(db, warehouse_id)));
  const never = Number.MAX_SAFE_INTEGER;
  return tasks
    .filter((task) => warehouse_id === null || task.warehouse_id === warehouse_id)
    .sort(
      (a, b) =>
        (a.ship_by ?? never) - (b.ship_by ?? never) ||
        a.distance - b.distance ||
        taskKinds.indexOf(a.kind) - taskKinds.indexOf(b.kind) ||
        a.subject_id - b.subject_id,
    );
}

async function pickTasks(db: Db, warehouse_id: number | null, from: number): Promise<Task[]> {
  const waves = await listPickable(db, warehouse_id);
  const states = await statesOf(
    db,
    waves.map(({ id }) => id),
    from,
  );
  return waves.flatMap((wave) => {
    const state = states.get(wave.id);
    if (state === undefined || state.progress.units_left === 0) return [];
    const { progress, ship_by, distance } = state;
    return {
      kind: "pick" as const,
      subject_id: wave.id,
      warehouse_id: wave.warehouse_id,
      ship_by,
      units: progress.units_left,
      orders: progress.orders_left,
      distance,
      wave,
      order_number: null,
      packing_note: null,
      put_backs: [],
    };
  });
}

async function packTasks(db: Db): Promise<Task[]> {
  const calendars = await listCalendars(db);
  return (await listOrdersToPack(db, tasks_max)).map((order) => {
    const calendar = promisedBy(calendars, order.requested_id);
    return {
      kind: "pack",
      subject_id: order.id,
      warehouse_id: order.warehouse_id,
      ship_by: calendar === null ? null : cutoffFor(order.created_at, calendar),
      units: order.units,
      orders: 1,
      distance: 0,
      wave: null,
      order_number: order.order_number,
      packing_note: order.packing_note,
      put_backs: [],
    };
  });
}

async function putBackTasks(db: Db, warehouse_id: number | null): Promise<Task[]> {
  const filter = warehouse_id === null ? {} : { warehouse_ids: [warehouse_id] };
  const waiting = await listRestockTasks(db, filter, { limit: tasks_max, offset: 0, after: null });
  const of = Map.groupBy(waiting, ({ order_id }) => order_id);
  const rows = await findOrderRows(db, [...of.keys()]);
  const numbers = new Map(rows.map(({ id, order_number }) => [id, order_number]));
  return [...of].map(([order_id, put_backs]) => ({
    kind: "put_back",
    subject_id: order_id,
    warehouse_id: put_backs[0]?.warehouse_id ?? 0,
    ship_by: null,
    units: put_backs.reduce((sum, { quantity }) => sum + quantity, 0),
    orders: 1,
    distance: 0,
    wave: null,
    order_number: numbers.get(order_id) ?? null,
    packing_note: null,
    put_backs,
  }));
}

/** The tasks of a warehouse (null: of all) as the API shows them. */
export async function workView(db: Db, { warehouse_id, kinds = taskKinds }: Partial<TaskFilter>) {
  const tasks = await listTasks(db, { warehouse_id: warehouse_id ?? null, kinds });
  return { tasks: await taskViews(db, tasks, await listClaims(db)) };
}

async function taskViews(db: Db, tasks: readonly Task[], claims: readonly WorkClaim[]) {
  const of = new Map(claims.filter((claim) => claim.expires_at > db.now).map((claim) => [taskId(claim), claim]));
  const named = tasks.filter(({ wave }) => wave === null).map(({ subject_id }) => subject_id);
  const totes = codesByOrder(await listTotesOf(db, named));
  return tasks.map((task) => {
    const claim = of.get(taskId(task));
    const { kind, subject_id, wave, put_backs } = task;
    return {
      id: taskId(task),
      kind,
      warehouse_id: wireId("warehouse", task.warehouse_id),
      ship_by: isoOrNull(task.ship_by),
      units: task.units,
      orders: task.orders,
      wave_id: wave === null ? null : wireId("wave", wave.id),
      mode: wave?.mode ?? null,
      order_id: wave === null ? wireId("order", subject_id) : null,
      order_number: task.order_number,
      totes: wave === null ? [...(totes.get(subject_id) ?? [])] : [],
      bin: put_backs[0]?.bin ?? null,
      claim: claim === undefined ? null : claimView(claim),
    };
  });
}

/** A claimed task with all that its screen needs, as the API shows it. */
export async function openTaskView(db: Db, task: Task, claim: WorkClaim, last_bin?: string) {
  const [view] = await taskViews(db, [task], [claim]);
  const homes = task.put_backs.map(({ product_id }) => product_id);
  const bins = homes.length === 0 ? [] : await listHomeBins(db, homes);
  return {
    ...(view as NonNullable<typeof view>),
    packing_note: task.packing_note,
    walk: task.wave === null ? null : await walkView(db, task.wave, last_bin),
    put_backs: task.kind === "put_back" ? task.put_backs.map((one) => restockTaskView(one, bins)) : null,
  };
}

/** The task with an id. Refuses: resource_missing. */
export async function getTask(db: Db, id: string): Promise<Task> {
  const name = readTaskId(id);
  const tasks = name === null ? [] : await listTasks(db, { warehouse_id: null, kinds: [name.kind] });
  const task = tasks.find(({ subject_id }) => subject_id === name?.subject_id);
  if (task === undefined) throw missing("task", id);
  return task;
}

/** A task, and the claim on it. */
interface ClaimedTask {
  readonly task: Task;
  readonly claim: WorkClaim;
}

/**
 * Chooses and claims the next task of a person: their own unfinished one, or else the one that leaves soonest, then
 * the nearest. Returns null if there is none. Refuses: resource_missing, validation_failed.
 */
export async function takeNextTask(
  tx: Tx,
  { warehouse_id: warehouse, kinds: wanted, last_bin }: NextTask,
  worker: Worker & { readonly device: string },
): Promise<ClaimedTask | null> {
  const kinds: readonly TaskKind[] = wanted ?? taskKinds;
  const warehouse_id = await warehouseNamed(tx, warehouse, "warehouse_id");
  const bin = last_bin === undefined ? null : await findBin(tx, warehouse_id, last_bin);
  const tasks = await listTasks(tx, { warehouse_id, kinds, from: bin?.pick_order ?? 0 });
  const known = new Map(tasks.map((task) => [taskId(task), task]));
  const begun: Task[] = [];
  for (const claim of await listClaimsOf(tx, worker)) {
    if (!isOwn(claim, worker) || claim.warehouse_id !== warehouse_id || !kinds.includes(claim.kind)) continue;
    const task = known.get(taskId(claim));
    if (task === undefined) await deleteClaim(tx, claim);
    else begun.push(task);
  }
  const isTaken = ({ expires_at }: WorkClaim) => expires_at > tx.now;
  const taken = new Set((await listClaims(tx)).filter(isTaken).map(taskId));
  const free = tasks.filter((task) => !taken.has(taskId(task)));
  for (const task of [...begun, ...free]) {
    const claim = await tryClaim(tx, task, worker);
    if (claim !== null) return { task, claim };
  }
  return null;
}
