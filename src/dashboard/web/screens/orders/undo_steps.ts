// Takes back picks and packs of one order or many, exactly as far as an action went.
import { callApi, get, post } from "../../api/client.ts";
import { ApiProblem, problemOf } from "../../api/problem.ts";
import type { BulkActionResult, Order, OrderLine } from "../../api/types.ts";
import type { Action } from "../../components/action.tsx";
import { words } from "../../text/common.ts";
import { orderTexts as texts } from "../../text/order.ts";
import { inStaging, packedUnits } from "./order_facts.ts";

// Packed units have to be unpacked before they can be unpicked.
const steps = { unpack: packedUnits, unpick: inStaging } as const;
type Step = keyof typeof steps;

const at_once = 4;
const reason = "mistake";

/** An order before and after an action. */
interface ChangedOrder {
  readonly before: Order;
  readonly after: Order;
}

/** Runs work on many items, a few at a time. */
export async function forEachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: at_once }, worker));
}

/** Reads orders by their ids. Those that cannot be read are missing. */
export async function readOrders(ids: readonly string[]): Promise<ReadonlyMap<string, Order>> {
  const found = new Map<string, Order>();
  await forEachOf(ids, async (id) => {
    const reply = await get<Order>(`/orders/${id}`).catch(() => null);
    if (reply !== null) found.set(id, reply.data);
  });
  return found;
}

/** The units that a change has picked or packed. `is_all`: the order had none before. */
function unitsDone({ before, after }: ChangedOrder, step: Step) {
  const units: (line: OrderLine) => number = steps[step];
  const old = new Map(before.line_items.map((line) => [line.id, units(line)]));
  const items = after.line_items.flatMap((line) => {
    const quantity = units(line) - (old.get(line.id) ?? 0);
    return quantity > 0 ? [{ line_id: line.id, quantity }] : [];
  });
  return { id: before.id, items, is_all: [...old.values()].every((quantity) => quantity === 0) };
}

/** The action that unpacks and unpicks what these changes have packed and picked; undefined if that is nothing. */
export function undoSteps(changed: readonly ChangedOrder[], done: (step: Step) => string): Action | undefined {
  const work = (["unpack", "unpick"] as const).flatMap((step) => {
    const orders = changed.map((change) => unitsDone(change, step)).filter(({ items }) => items.length > 0);
    return orders.length > 0 ? [{ step, orders }] : [];
  });
  const [first] = work;
  if (first === undefined) return undefined;
  const run = async () => {
    const refused = new Map<string, ApiProblem>();
    for (const { step, orders } of work) {
      const left = orders.filter(({ id }) => !refused.has(id));
      const whole = left.filter(({ is_all }) => is_all && changed.length > 1);
      if (whole.length > 0) {
        const body = { action: step, order_ids: whole.map(({ id }) => id), input: { reason } };
        const { data } = await post<BulkActionResult>("/orders/actions", body);
        for (const { id, status, error } of data.results) {
          if (error !== undefined) refused.set(id, new ApiProblem(status, { error }));
        }
      }
      const parts = left.filter((order) => !whole.includes(order));
      await forEachOf(parts, async ({ id, items }) => {
        const call = { method: "POST", path: `/orders/${id}/${step}`, body: { items, reason } } as const;
        await callApi(call).catch((error) => refused.set(id, problemOf(error)));
      });
    }
    const [why] = refused.values();
    if (why !== undefined) throw changed.length === 1 ? why : new Error(texts.notUndone(refused.size, why.message));
  };
  return { title: words.undo, run, done: done(first.step) };
}
