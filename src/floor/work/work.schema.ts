import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { actorTypes } from "../../core/actor.ts";
import { choice, closed, countField, idField, nullable, several, textField, timestamp } from "../../core/schema.ts";
import { RestockTaskView } from "../../inventory/receiving/restock_task.schema.ts";
import { taskKinds, waveModes } from "../floor.transitions.ts";
import { WaveWalkView } from "../picking/wave.schema.ts";

const deviceField = textField(64, { description: "The device that the person works with, as it names itself." });

export const ListWork = closed({
  warehouse_id: Type.Optional(idField("warehouse", "Only tasks in this warehouse.")),
  kinds: Type.Optional(several(choice(taskKinds, { description: "Only tasks of these kinds." }))),
});

export const NextTask = closed({
  warehouse_id: Type.Optional(idField("warehouse", "Where the person works. Required if there are several.")),
  device: deviceField,
  kinds: Type.Optional(
    Type.Array(choice(taskKinds), { minItems: 1, maxItems: taskKinds.length, description: "Default: all kinds." }),
  ),
  last_bin: Type.Optional(textField(40, { description: "The bin where the person is. Nearer tasks are preferred." })),
});
export type NextTask = Static<typeof NextTask>;

export const ClaimTask = closed({ device: deviceField });
export const ReleaseTask = closed({ device: Type.Optional(deviceField) });

export const TaskClaimView = closed({
  device: Type.String({ description: "The device that the task is open on." }),
  by: {
    ...closed({
      type: choice(actorTypes, { description: "An API key or a user." }),
      id: Type.String({ description: "The id of the key or the user." }),
      name: Type.String({ description: "The name of the key or the user." }),
    }),
    description: "Who has claimed it.",
  },
  claimed_at: timestamp("When it was taken."),
  expires_at: timestamp("When anyone may take it: 15 minutes after the last scan."),
});

const plain = {
  id: Type.String({ description: "The kind and the wave or order: `pick_wav_4`, `pack_ord_12`." }),
  kind: choice(taskKinds, { description: "`put_back`: units of a cancelled order or a return wait to be restocked." }),
  warehouse_id: Type.String({ description: "The warehouse, such as `whs_1001`." }),
  ship_by: nullable(timestamp("The first cut-off of its orders; null for `put_back`.")),
  units: countField("Units to move."),
  orders: countField("Orders that it is for."),
  wave_id: nullable(Type.String({ description: "The wave to pick; null for other kinds." })),
  mode: nullable(choice(waveModes, { description: "How the wave is picked; null for other kinds." })),
  order_id: nullable(Type.String({ description: "The order to pack or to put back; null for a wave." })),
  order_number: nullable(Type.String()),
  totes: Type.Array(Type.String(), { description: "The totes that hold the order's units; empty for a wave." }),
  bin: nullable(Type.String({ description: "The bin in which units wait to be put back; null for other kinds." })),
  claim: nullable({ ...TaskClaimView, description: "Who is working on it; null if nobody does." }),
} satisfies TProperties;

const TaskView = closed(plain);

export const WorkView = closed({
  tasks: Type.Array(TaskView, { description: "The most urgent first; at most 500 of each kind." }),
});

export const OpenTaskView = closed({
  ...plain,
  packing_note: nullable(Type.String({ description: "What to know when packing the order; null if nothing." })),
  walk: nullable({ ...WaveWalkView, description: "What is left to pick; null for other kinds." }),
  put_backs: nullable(Type.Array(RestockTaskView, { description: "The units to put back; null for other kinds." })),
});

export const NextTaskView = closed({
  task: nullable({ ...OpenTaskView, description: "The task, now claimed; null if there is none." }),
});

export const ReleasedTaskView = closed({
  id: plain.id,
  claim: Type.Null({ description: "Always null: nobody is working on it now." }),
});
