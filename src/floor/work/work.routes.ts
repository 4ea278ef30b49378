import { readId } from "../../core/ids.ts";
import type { Call } from "../../http/call.ts";
import { read, routes, write } from "../../http/routes.ts";
import { taskId } from "./claim.ts";
import { claimTask, releaseTask, takeOverTask } from "./claims.ts";
import { getTask, openTaskView, takeNextTask, workView } from "./tasks.ts";
import {
  ClaimTask,
  ListWork,
  NextTask,
  NextTaskView,
  OpenTaskView,
  ReleasedTaskView,
  ReleaseTask,
  WorkView,
} from "./work.schema.ts";

const workerOf = <Device extends string | null>({ actor }: Call, device: Device) => ({ actor, device });

/** The tasks on the floor, and who works on them. */
export const workRoutes = routes("Floor", [
  read("/work", "floor.read", {
    id: "listWork",
    summary: "List the tasks on the floor",
    description:
      "What there is to do: waves to pick, picked orders to pack, and units to put back, each with who is working on" +
      " it. Tasks follow from waves, orders and stock, so they end by being done.",
    query: ListWork,
    view: WorkView,
    data: (db, { query: { warehouse_id, kinds } }) =>
      workView(db, {
        warehouse_id: warehouse_id === undefined ? null : (readId("warehouse", warehouse_id) ?? 0),
        ...(kinds && { kinds }),
      }),
  }),
  write("POST", "/work/next", "floor.work", {
    id: "takeNextTask",
    summary: "Get the next task",
    description:
      "Chooses a task, claims it for the caller and returns it with all that its screen needs. The caller's own" +
      " unfinished task comes first; then the one that leaves soonest, and of these the nearest. A claim lasts 15" +
      " minutes, and each scan renews it. Of two requests at once, each gets another task.",
    refuses: ["resource_missing"],
    body: NextTask,
    view: NextTaskView,
    act: async (tx, { call, body }) => {
      const next = await takeNextTask(tx, body, workerOf(call, body.device));
      return { task: next === null ? null : await openTaskView(tx, next.task, next.claim, body.last_bin) };
    },
  }),
  write("POST", "/work/:task/claim", "floor.work", {
    id: "claimTask",
    summary: "Claim a task",
    description: "Claims a task, or renews the claim of the caller's own.",
    refuses: ["task_taken"],
    body: ClaimTask,
    view: OpenTaskView,
    act: async (tx, { call, params, body }) => {
      const task = await getTask(tx, params.task);
      return openTaskView(tx, task, await claimTask(tx, task, workerOf(call, body.device)));
    },
  }),
  write("POST", "/work/:task/take_over", "floor.lead", {
    id: "takeOverTask",
    summary: "Take a task over",
    description: "Claims a task from whoever is working on it. Their next scan is refused.",
    body: ClaimTask,
    view: OpenTaskView,
    act: async (tx, { call, params, body }) => {
      const task = await getTask(tx, params.task);
      return openTaskView(tx, task, await takeOverTask(tx, task, workerOf(call, body.device)));
    },
  }),
  write("POST", "/work/:task/release", "floor.work", {
    id: "releaseTask",
    summary: "Give up a task",
    description: "Ends the caller's claim, so that anyone can take the task. Nothing that was done is undone.",
    refuses: ["task_taken"],
    body: ReleaseTask,
    view: ReleasedTaskView,
    act: async (tx, { call, params, body }) => {
      const task = await getTask(tx, params.task);
      await releaseTask(tx, task, workerOf(call, body.device ?? null));
      return { id: taskId(task), claim: null };
    },
  }),
]);
