import { Elysia } from "elysia";
import { Fault } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { NoBody } from "../../core/schema.ts";
import { list, read, remove, respond, routes, write } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { withLogo } from "../../shipping/printing/document_drawing.ts";
import { cartonView } from "./carton.ts";
import { CartonRecordView, CreateCarton, UpdateCarton } from "./cartons.schema.ts";
import { cartonList, getCarton, lockCarton } from "./cartons.sql.ts";
import { createCarton, deleteCarton, updateCarton } from "./cartons.ts";
import { drawContent, readContent } from "./print_content.ts";
import { printJobView } from "./print_job.ts";
import { CreatePrintJob, PrintJobView, ReprintJob } from "./print_jobs.schema.ts";
import { getPrintJob, printJobList } from "./print_jobs.sql.ts";
import { cancelPrintJob, createPrintJob, reprintJob, testPrinter } from "./print_jobs.ts";
import { printerView, stationView } from "./printer.ts";
import {
  CreatePrinter,
  CreateStation,
  PrinterView,
  StationView,
  UpdatePrinter,
  UpdateStation,
} from "./printers.schema.ts";
import { getPrinter, getStation, lockPrinter, lockStation, printerList, stationList } from "./printers.sql.ts";
import {
  createPrinter,
  createStation,
  deletePrinter,
  deleteStation,
  updatePrinter,
  updateStation,
} from "./printers.ts";

/** Routes of printers, stations, cartons and print jobs. */
export const floorPrintingRoutes = (service: Service) =>
  new Elysia().use(printerRoutes(service)).use(stationRoutes).use(cartonRoutes).use(printJobRoutes(service));

const printerRoutes = (service: Service) =>
  routes("Floor", [
    list("/printers", "floor.read", {
      id: "listPrinters",
      summary: "List printers",
      description: "The printers of all warehouses, oldest first.",
      of: printerList,
      view: PrinterView,
      views: (printers) => printers.map(printerView),
    }),
    write("POST", "/printers", "floor.manage", {
      id: "createPrinter",
      summary: "Create a printer",
      description:
        "Adds a label printer (`zpl_tcp`) or an IPP printer. Its address may be private: the server sends documents" +
        " to it. Nothing is sent yet: print a test page next.",
      refuses: ["blocked_address", "resource_missing"],
      body: CreatePrinter,
      view: PrinterView,
      status: 201,
      act: async (tx, { body }) => printerView(await createPrinter(tx, body, service.ownPort())),
    }),
    read("/printers/:id", "floor.read", {
      id: "getPrinter",
      summary: "Get a printer",
      description: "Returns the printer with its address and its paper.",
      view: PrinterView,
      data: async (db, { params }) => printerView(await getPrinter(db, params.id)),
    }),
    write("PATCH", "/printers/:id", "floor.manage", {
      id: "updatePrinter",
      summary: "Update a printer",
      description:
        "Changes the fields sent. Another `kind` resets the port, the path, the paper and the resolution to its" +
        " defaults unless they are sent, too. Equal values change nothing.",
      refuses: ["blocked_address", "immutable_field", "record_in_use"],
      body: UpdatePrinter,
      view: PrinterView,
      matches: (tx, { params }) => lockPrinter(tx, params.id),
      act: async (tx, { params, body }) => printerView(await updatePrinter(tx, params.id, body, service.ownPort())),
    }),
    remove("/printers/:id", "floor.manage", {
      id: "deletePrinter",
      summary: "Delete a printer",
      description: "Deletes the printer with its finished print jobs. Stations that use it must be changed first.",
      refuses: ["record_in_use"],
      noun: "printer",
      matches: (tx, { params }) => lockPrinter(tx, params.id),
      act: (tx, { params }) => deletePrinter(tx, params.id),
    }),
    write("POST", "/printers/:id/test", "floor.work", {
      id: "testPrinter",
      summary: "Print a test page",
      description:
        "Queues a page with the printer's name, its paper and the time. Get the print job to see whether it was sent.",
      body: NoBody,
      view: PrintJobView,
      status: 201,
      act: async (tx, { call, params }) => printJobView(await testPrinter(tx, params.id, call.actor)),
    }),
  ]);

const stationRoutes = routes("Floor", [
  list("/stations", "floor.read", {
    id: "listStations",
    summary: "List packing stations",
    description: "The packing tables of all warehouses with their printers, oldest first.",
    of: stationList,
    view: StationView,
    views: (stations) => stations.map(stationView),
  }),
  write("POST", "/stations", "floor.manage", {
    id: "createStation",
    summary: "Create a packing station",
    description:
      "Adds a packing table and the printers next to it. Its label printer prints labels, its document printer" +
      " packing slips.",
    refuses: ["resource_missing"],
    body: CreateStation,
    view: StationView,
    status: 201,
    act: async (tx, { body }) => stationView(await createStation(tx, body)),
  }),
  read("/stations/:id", "floor.read", {
    id: "getStation",
    summary: "Get a packing station",
    description: "Returns the station with the ids of its printers.",
    view: StationView,
    data: async (db, { params }) => stationView(await getStation(db, params.id)),
  }),
  write("PATCH", "/stations/:id", "floor.manage", {
    id: "updateStation",
    summary: "Update a packing station",
    description: "Changes the fields sent. Null removes a printer. Equal values change nothing.",
    refuses: ["immutable_field"],
    body: UpdateStation,
    view: StationView,
    matches: (tx, { params }) => lockStation(tx, params.id),
    act: async (tx, { params, body }) => stationView(await updateStation(tx, params.id, body)),
  }),
  remove("/stations/:id", "floor.manage", {
    id: "deleteStation",
    summary: "Delete a packing station",
    description: "Deletes the station. Its printers stay. Not possible while a parcel is being packed there.",
    refuses: ["record_in_use"],
    noun: "station",
    matches: (tx, { params }) => lockStation(tx, params.id),
    act: (tx, { params }) => deleteStation(tx, params.id),
  }),
]);

const cartonRoutes = routes("Floor", [
  list("/cartons", "floor.read", {
    id: "listCartons",
    summary: "List cartons",
    description: "The cartons that goods are packed in, oldest first, also those that are not active.",
    of: cartonList,
    view: CartonRecordView,
    views: (cartons) => cartons.map(cartonView),
  }),
  write("POST", "/cartons", "floor.manage", {
    id: "createCarton",
    summary: "Create a carton",
    description:
      "Adds a carton with its inner size. Packing suggests the smallest one that fits, and adds its weight to that of" +
      " the goods.",
    body: CreateCarton,
    view: CartonRecordView,
    status: 201,
    act: async (tx, { body }) => cartonView(await createCarton(tx, body)),
  }),
  read("/cartons/:id", "floor.read", {
    id: "getCarton",
    summary: "Get a carton",
    description: "Returns the carton with its size, its weights and its cost.",
    view: CartonRecordView,
    data: async (db, { params }) => cartonView(await getCarton(db, params.id)),
  }),
  write("PATCH", "/cartons/:id", "floor.manage", {
    id: "updateCarton",
    summary: "Update a carton",
    description: "Changes the fields sent. Parcels that were packed keep their size. Equal values change nothing.",
    body: UpdateCarton,
    view: CartonRecordView,
    matches: (tx, { params }) => lockCarton(tx, params.id),
    act: async (tx, { params, body }) => cartonView(await updateCarton(tx, params.id, body)),
  }),
  remove("/cartons/:id", "floor.manage", {
    id: "deleteCarton",
    summary: "Delete a carton that was never used",
    description: "Deletes the carton. One that parcels were packed in stays: set `active` to false instead.",
    refuses: ["record_in_use"],
    noun: "carton",
    matches: (tx, { params }) => lockCarton(tx, params.id),
    act: (tx, { params }) => deleteCarton(tx, params.id),
  }),
]);

const printJobRoutes = (service: Service) =>
  routes("Floor", [
    list("/print_jobs", "floor.read", {
      id: "listPrintJobs",
      summary: "List print jobs",
      description: "Print jobs of the last 30 days, newest first.",
      of: printJobList,
      view: PrintJobView,
      views: (jobs) => jobs.map(printJobView),
    }),
    write("POST", "/print_jobs", "floor.work", {
      id: "createPrintJob",
      summary: "Print a label or a packing slip",
      description:
        "Queues a document for a printer, or for that of a station. It is drawn when it is sent, so it shows the" +
        " present state of the order. If the printer cannot be reached, it is tried three times in all. A label that" +
        " is still being bought is awaited for ten minutes. Printing counts as in `POST /documents`.",
      refuses: ["resource_missing"],
      body: CreatePrintJob,
      view: PrintJobView,
      status: 201,
      act: async (tx, { call, body }) => printJobView(await createPrintJob(tx, body, call.actor)),
    }),
    read("/print_jobs/:id", "floor.read", {
      id: "getPrintJob",
      summary: "Get a print job",
      description: "Returns the job with its outcome. Poll it while `status` is `queued` or `sending`.",
      view: PrintJobView,
      data: async (db, { params }) => printJobView(await getPrintJob(db, params.id)),
    }),
    write("POST", "/print_jobs/:id/reprint", "floor.work", {
      id: "reprintJob",
      summary: "Print the document of a job again",
      description: "Queues a new job for the same document, on the same printer or another one.",
      refuses: ["invalid_state_transition", "resource_missing"],
      body: ReprintJob,
      view: PrintJobView,
      status: 201,
      act: async (tx, { call, params, body }) => printJobView(await reprintJob(tx, params.id, body, call.actor)),
    }),
    write("POST", "/print_jobs/:id/cancel", "floor.work", {
      id: "cancelPrintJob",
      summary: "Cancel a print job that was not sent",
      description: "Possible while `status` is `queued`.",
      refuses: ["invalid_state_transition"],
      body: NoBody,
      view: PrintJobView,
      act: async (tx, { params }) => printJobView(await cancelPrintJob(tx, params.id)),
    }),
    documentRow(service),
  ]);

/** The document of a print job, for the screen. */
const documentRow = ({ log, files }: Service) =>
  respond("GET", "/print_jobs/:id/document", "floor.work", {
    id: "getPrintJobDocument",
    summary: "Get the document of a print job",
    description:
      "Returns what the job prints, as a PDF, to print it from the screen when the printer is off. A label that its" +
      " carrier made as ZPL only is returned as ZPL. This does not count as printed.",
    refuses: ["label_in_progress", "resource_missing"],
    documents: ["application/pdf", "application/zpl"],
    answers: { 200: null },
    answer: async ({ call, params }) => {
      const content = await call.store.read(async (db) => {
        const job = await getPrintJob(db, params.id);
        const printer = await getPrinter(db, job.printer_id);
        const found = await readContent(db, job, printer, "pdf");
        return "code" in found && found.code === "no_document" ? readContent(db, job, printer, "zpl") : found;
      });
      if ("code" in content) {
        throw new Fault(
          content.code === "label_processing" ? "label_in_progress" : "resource_missing",
          content.message,
        );
      }
      const part = await withLogo({ files, store: call.store }, content.part, content.logo);
      const is_zpl = part.type === "zpl";
      const [id, format] = [wireId("print_job", readId("print_job", params.id) ?? 0), is_zpl ? "zpl" : "pdf"];
      const bytes = is_zpl ? part.bytes : await drawContent({ ...content, part }, null, log);
      return new Response(new Uint8Array(bytes), {
        headers: {
          ...call.headers,
          "content-type": `application/${format}`,
          "content-disposition": `inline; filename="${id}.${format}"`,
          "x-content-type-options": "nosniff",
          "cache-control": "private, no-store",
          "x-request-id": call.request_id,
        },
      });
    },
  });
