import { useEffect } from "preact/hooks";
import { openDocument, post } from "../../api/client.ts";
import { useQuery, useReloading } from "../../api/query.ts";
import type { LabelRecord, PrintJob } from "../../api/types.ts";
import { Icon, type IconName } from "../../components/icon.tsx";
import { floorTexts } from "../../text/floor.ts";
import { type ActQueue, type Outcome, sendUntilAnswered } from "./act_queue.ts";
import { BigButton } from "./big_button.tsx";
import { device } from "./device.ts";

const texts = floorTexts.print;

interface ParcelDocumentsProps {
  readonly order_id: string;
  /** The label; null while there is none. */
  readonly label: LabelRecord | null;
  readonly queue: ActQueue;
  /** Whether a document that is not printed raises the alarm: where the parcel has just been packed. */
  readonly alarms?: boolean;
}

/** What is printed for a parcel, and its documents on the screen where a printer is missing or off. */
export function ParcelDocuments({ order_id, label, queue, alarms = false }: ParcelDocumentsProps) {
  const { data: jobs = [], reload } = useQuery<readonly PrintJob[]>("/print_jobs", { order_id, limit: 6 });
  useReloading(
    jobs.some(({ status }) => status === "queued" || status === "sending"),
    reload,
  );
  const stuck = jobs.find(isStuck);
  useEffect(() => {
    if (alarms && stuck) queue.add(async () => notPrinted(stuck));
  }, [stuck?.id]);
  return (
    <div class="floor-menu">
      {jobs.map((job) => (
        <Job key={job.id} of={job} queue={queue} />
      ))}
      {device.value.station_id === null ? (
        <Open order_id={order_id} label={label} queue={queue} />
      ) : (
        <>
          {label !== null && (
            <BigButton
              icon="print"
              title={texts.printLabel}
              queue={queue}
              act={() => print({ kind: "label", label_id: label.label_id })}
            />
          )}
          <BigButton
            icon="print"
            title={texts.printSlip}
            queue={queue}
            act={() => print({ kind: "packing_slip", order_id })}
          />
        </>
      )}
    </div>
  );
}

/** The documents on the screen, where the device has no printers. */
function Open({ order_id, label, queue }: Omit<ParcelDocumentsProps, "alarms">) {
  return (
    <>
      {label?.label_url && (
        <a class="floor-button normal" href={label.label_url} target="_blank" rel="noopener">
          <Icon name="page" size={28} />
          {texts.openLabel}
        </a>
      )}
      <BigButton
        icon="page"
        title={texts.openSlip}
        onClick={() => openDocument(`/orders/${order_id}/packing_slip`).catch(refuse(queue))}
      />
    </>
  );
}

const refuse = (queue: ActQueue) => (error: unknown) => queue.add(() => Promise.reject(error));

async function print(what: Readonly<Record<string, unknown>>): Promise<Outcome> {
  const { station_id } = device.peek();
  await sendUntilAnswered((key) => post("/print_jobs", { ...what, station_id }, { key }));
  return { kind: "right", title: texts.queued };
}

/** Whether a job was tried and did not print. It may still be tried again. */
const isStuck = ({ status, error }: PrintJob) => error !== null && (status === "queued" || status === "failed");

const notPrinted = ({ kind, error }: PrintJob): Outcome => ({
  kind: "wrong",
  title: texts.notPrinted(texts.kinds[kind]),
  text: joined(error?.message, texts.openInstead),
  code: error?.code ?? "",
});

const joined = (...parts: readonly (string | undefined)[]) => parts.filter(Boolean).join(" ");

const icons = { queued: "print", sending: "print", sent: "check", failed: "warning", cancelled: "close" } as const;

function Job({ of, queue }: { readonly of: PrintJob; readonly queue: ActQueue }) {
  const { id, kind, status, error } = of;
  const icon: IconName = isStuck(of) ? "warning" : icons[status];
  const again = async (): Promise<Outcome> => {
    await sendUntilAnswered((key) => post(`/print_jobs/${id}/reprint`, {}, { key }));
    return { kind: "right", title: texts.queued };
  };
  return (
    <section class={isStuck(of) ? "floor-card bad" : "floor-card"}>
      <Icon name={icon} size={28} />
      <div>
        <strong>{`${texts.kinds[kind]}: ${texts.statuses[status]}`}</strong>
        {error !== null && <p>{error.message}</p>}
      </div>
      {isStuck(of) && (
        <BigButton
          icon="page"
          title={texts.open}
          onClick={() => openDocument(`/print_jobs/${id}/document`).catch(refuse(queue))}
        />
      )}
      {status === "failed" && <BigButton icon="print" title={texts.again} queue={queue} act={again} />}
    </section>
  );
}
