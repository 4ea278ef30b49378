import { useSignal } from "@preact/signals";
import { post } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { PackingSession } from "../../api/types.ts";
import { Icon } from "../../components/icon.tsx";
import { floorTexts } from "../../text/floor.ts";
import { type Outcome, sendUntilAnswered } from "./act_queue.ts";
import { BigLink } from "./big_button.tsx";
import { device } from "./device.ts";
import { FloorFrame, useQueue } from "./floor_frame.tsx";
import { ParcelDocuments } from "./parcel_documents.tsx";
import { openSession } from "./work_tasks.ts";

const texts = floorTexts.pack;

/** Opens a tote or an order to pack. */
export function PackStartScreen() {
  const queue = useQueue();
  return (
    <FloorFrame
      title={floorTexts.kinds.pack}
      back="/floor/menu"
      queue={queue}
      prompt={texts.scanTote}
      onScan={(code) => openSession({ code })}
    >
      <p class="floor-main">{texts.scanTote}</p>
      <BigLink path="/floor/pack_items" icon="zap" title={texts.fromItem} />
    </FloorFrame>
  );
}

const shown_max = 5;

/** One-unit orders: each scan of an item packs the oldest order for it, and its label is printed. */
export function PackItemsScreen() {
  const queue = useQueue();
  // The server's list, so that after a reload it shows whether the last scan packed an order.
  const ours = { device: device.value.name, status: "closed", limit: shown_max };
  const { data: packed = [], reload } = useQuery<readonly PackingSession[]>("/packing_sessions", ours);
  const just_packed = useSignal<string | null>(null);
  const has_station = device.value.station_id !== null;
  const onScan = async (code: string): Promise<Outcome> => {
    const { station_id, name } = device.peek();
    const body = { station_id, device: name, code };
    const { data } = await sendUntilAnswered((key) =>
      post<PackingSession>("/packing_sessions/from_item", body, { key }),
    );
    just_packed.value = data.id;
    await reload();
    const [line] = data.lines;
    if (data.label_status === "error") {
      return { kind: "wrong", title: data.order_number, text: texts.labelFailed(data.label_error ?? "") };
    }
    return { kind: "done", title: data.order_number, text: line?.name ?? "" };
  };
  const [newest, ...older] = packed;
  return (
    <FloorFrame
      title={texts.fromItem}
      back="/floor/menu"
      queue={queue}
      prompt={texts.scanUnit}
      {...(has_station && { onScan, products: [] })}
    >
      {!has_station && (
        <>
          <p class="floor-main">{texts.needsStation}</p>
          <BigLink path="/floor/settings" icon="settings" title={floorTexts.settings.title} />
        </>
      )}
      {has_station && newest === undefined && <p class="floor-main">{texts.scanFirst}</p>}
      {newest !== undefined && (
        <>
          <p class="floor-number">{newest.order_number}</p>
          <p class="floor-main">{newest.lines[0]?.name}</p>
          <ParcelDocuments
            order_id={newest.order_id}
            label={newest.label}
            queue={queue}
            alarms={newest.id === just_packed.value}
          />
        </>
      )}
      <ul class="floor-lines">
        {older.map(({ id, order_number, lines }) => (
          <li key={id} data-state="done">
            <Icon name="done" size={32} />
            <div>
              <strong>{order_number}</strong>
              <span>{lines[0]?.name}</span>
            </div>
          </li>
        ))}
      </ul>
    </FloorFrame>
  );
}
