import { get, openDocument, post } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Printer, PrintJob, Station, WarehouseRecord } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge, stateOptions } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import type { FormField, Option } from "../../components/fields.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { choice, ListPage } from "../../components/list_page.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { printingTexts as texts } from "../../text/printing.ts";

const half = { width: "half" } as const;
const manage = { permission: "floor.manage" } as const;

/** The field for the warehouse of a new record, if there are several. */
function warehouseField(warehouses: readonly WarehouseRecord[]): FormField[] {
  if (warehouses.length < 2) return [];
  const options = warehouses.map(({ warehouse_id, name }) => ({ value: warehouse_id, title: name }));
  return [{ kind: "select", name: "warehouse_id", label: words.warehouse, options, empty: "", required: true }];
}

const numberSent = (value: unknown) => (value === "" || value == null ? null : Number(value));

const printerFields = (warehouses: readonly WarehouseRecord[], is_new: boolean): readonly FormField[] => [
  { kind: "text", name: "name", label: words.name, required: true, focus: true, ...half },
  { kind: "select", name: "kind", label: texts.kind, options: optionsOf(texts.kinds), ...half },
  ...(is_new ? warehouseField(warehouses) : []),
  { kind: "text", name: "host", label: texts.host, help: texts.hostHelp, required: true, mono: true, ...half },
  { kind: "number", name: "port", label: texts.port, help: texts.portHelp, blank: undefined, ...half },
  { kind: "text", name: "path", label: texts.path, help: texts.pathHelp, mono: true, blank: undefined, ...half },
  {
    kind: "select",
    name: "media",
    label: texts.media,
    options: optionsOf(texts.mediaOf),
    empty: texts.usualPaper,
    blank: undefined,
    ...half,
  },
  {
    kind: "select",
    name: "dpi",
    label: texts.dpi,
    options: [203, 300, 600].map((dpi) => ({ value: String(dpi), title: texts.dpiOf(dpi) })),
    empty: texts.usualPaper,
    blank: undefined,
    entered: (dpi) => (dpi == null ? "" : String(dpi)),
    sent: (dpi) => numberSent(dpi) ?? undefined,
    ...half,
  },
  { kind: "switch", name: "active", label: texts.active },
];

const removal = (call: NonNullable<Action["call"]>, name: string): Action => ({
  title: words.remove,
  icon: "delete",
  danger: true,
  ...manage,
  ask: { title: texts.removeTitle(name), text: texts.removeText },
  call,
  done: texts.removed(name),
});

/** Prints a test page, and waits some seconds for the printer to take it. */
async function printTestPage({ id, name }: Printer): Promise<void> {
  let { data: job } = await post<PrintJob>(`/printers/${id}/test`);
  for (let tries = 0; tries < 20 && (job.status === "queued" || job.status === "sending"); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    job = (await get<PrintJob>(`/print_jobs/${job.id}`)).data;
    if (job.error !== null) throw new Error(job.error.message);
  }
  showSuccess(job.status === "sent" ? texts.tested(name) : texts.testWaits(name));
}

const printerActions = (printer: Printer): readonly Action[] => [
  {
    title: texts.testPage,
    icon: "zap",
    permission: "floor.work",
    when: printer.active,
    run: () => printTestPage(printer),
  },
  {
    title: words.edit,
    icon: "edit",
    ...manage,
    ask: { title: texts.editOf(printer.name), fields: printerFields([], false), record: printer },
    call: (_values, body) => ({ method: "PATCH", path: `/printers/${printer.id}`, body }),
    done: texts.saved(printer.name),
  },
  removal({ method: "DELETE", path: `/printers/${printer.id}` }, printer.name),
];

function useWarehouses() {
  const { data = [] } = useQuery<readonly WarehouseRecord[]>("/inventory/locations");
  return { warehouses: data, nameOf: (id: string) => data.find(({ warehouse_id }) => warehouse_id === id)?.name };
}

export function PrintersScreen() {
  const { warehouses, nameOf } = useWarehouses();
  return (
    <ListPage<Printer>
      title={texts.printers}
      path="/printers"
      acts={<LinkButton title={texts.jobs} href={to("/settings/printers/jobs")} />}
      columns={[
        { id: "name", title: words.name, text: "name", wide: true },
        { id: "kind", title: texts.kind, cell: ({ kind }) => texts.kinds[kind] },
        { id: "address", title: words.address, cell: ({ host, port }) => <code>{`${host}:${port}`}</code> },
        {
          id: "media",
          title: texts.media,
          cell: ({ media, dpi }) => [texts.mediaOf[media], dpi && texts.dpiOf(dpi)].filter(Boolean).join(", "),
        },
        { id: "active", title: texts.active, cell: ({ active }) => (active ? words.yes : words.no) },
        {
          id: "warehouse",
          title: words.warehouse,
          when: warehouses.length > 1,
          cell: ({ warehouse_id }) => nameOf(warehouse_id),
        },
      ]}
      rowActs={(printer) => <Actions of={printerActions(printer)} />}
      create={{
        title: texts.newPrinter,
        icon: "plus",
        ...manage,
        ask: {
          title: texts.newPrinter,
          submit: words.create,
          first: { kind: "zpl_tcp", active: true },
          fields: printerFields(warehouses, true),
        },
        call: (_values, body) => ({ method: "POST", path: "/printers", body }),
        done: ({ name }: Printer) => texts.saved(name),
      }}
      empty={{ icon: "print", title: texts.printers, text: texts.noPrinters }}
    />
  );
}

const stationFields = (printers: readonly Printer[], more: readonly FormField[]): readonly FormField[] => {
  const option = ({ id, name }: Printer): Option => ({ value: id, title: name });
  const documents = printers.filter(({ kind, media }) => kind === "ipp" && media !== "4x6");
  const common = { kind: "select", empty: texts.none } as const;
  return [
    { kind: "text", name: "name", label: words.name, required: true, focus: true },
    ...more,
    { ...common, name: "label_printer_id", label: texts.labelPrinter, options: printers.map(option), ...half },
    { ...common, name: "document_printer_id", label: texts.documentPrinter, options: documents.map(option), ...half },
  ];
};

export function StationsScreen() {
  const { warehouses, nameOf } = useWarehouses();
  const { data: printers = [] } = useQuery<readonly Printer[]>("/printers", { limit: 100 });
  const printerOf = (id: string | null) => printers.find((printer) => printer.id === id)?.name;
  const actions = (station: Station): readonly Action[] => [
    {
      title: words.edit,
      icon: "edit",
      ...manage,
      ask: {
        title: texts.editOf(station.name),
        record: station,
        fields: stationFields(
          printers.filter(({ warehouse_id }) => warehouse_id === station.warehouse_id),
          [],
        ),
      },
      call: (_values, body) => ({ method: "PATCH", path: `/stations/${station.id}`, body }),
      done: texts.saved(station.name),
    },
    removal({ method: "DELETE", path: `/stations/${station.id}` }, station.name),
  ];
  return (
    <ListPage<Station>
      title={texts.stations}
      path="/stations"
      columns={[
        { id: "name", title: words.name, text: "name", wide: true },
        { id: "labels", title: texts.labelPrinter, cell: ({ label_printer_id }) => printerOf(label_printer_id) },
        { id: "slips", title: texts.documentPrinter, cell: ({ document_printer_id: id }) => printerOf(id) },
        {
          id: "warehouse",
          title: words.warehouse,
          when: warehouses.length > 1,
          cell: ({ warehouse_id }) => nameOf(warehouse_id),
        },
      ]}
      rowActs={(station) => <Actions of={actions(station)} />}
      create={{
        title: texts.newStation,
        icon: "plus",
        ...manage,
        ask: {
          title: texts.newStation,
          submit: words.create,
          fields: stationFields(printers, warehouseField(warehouses)),
        },
        call: (_values, body) => ({ method: "POST", path: "/stations", body }),
        done: ({ name }: Station) => texts.saved(name),
      }}
      empty={{ icon: "box", title: texts.stations, text: texts.noStations }}
    />
  );
}

const jobActions = ({ id, status }: PrintJob): readonly Action[] => [
  { title: texts.open, icon: "print", permission: "floor.work", run: () => openDocument(`/print_jobs/${id}/document`) },
  {
    title: texts.reprint,
    icon: "refresh",
    permission: "floor.work",
    when: status !== "queued" && status !== "sending",
    call: { method: "POST", path: `/print_jobs/${id}/reprint` },
    done: texts.reprinted,
  },
  {
    title: words.cancel,
    icon: "close",
    permission: "floor.work",
    when: status === "queued",
    call: { method: "POST", path: `/print_jobs/${id}/cancel` },
    done: texts.cancelled,
  },
];

export function PrintJobsScreen() {
  const { data: printers = [] } = useQuery<readonly Printer[]>("/printers", { limit: 100 });
  return (
    <ListPage<PrintJob>
      title={texts.jobs}
      path="/print_jobs"
      filters={[choice("status", words.status, stateOptions("print_job"))]}
      columns={[
        { id: "created", title: words.created, time: "created_at" },
        { id: "kind", title: texts.document, cell: ({ kind }) => texts.documents[kind] },
        {
          id: "order",
          title: words.order,
          cell: ({ order_id }) => order_id && <a href={to(`/orders/${order_id}`)}>{order_id}</a>,
        },
        {
          id: "printer",
          title: texts.printer,
          cell: ({ printer_id }) => printers.find(({ id }) => id === printer_id)?.name ?? printer_id,
        },
        { id: "status", title: words.status, cell: ({ status }) => <Badge of="print_job" state={status} /> },
        { id: "attempts", title: texts.attempts, number: "attempts" },
        { id: "problem", title: texts.problem, wide: true, cell: ({ error }) => error?.message },
      ]}
      rowActs={(job) => <Actions of={jobActions(job)} />}
      empty={{ icon: "print", title: texts.jobs, text: texts.noJobs }}
    />
  );
}
