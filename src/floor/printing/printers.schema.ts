import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, idField, nameField, nullable, timestamp } from "../../core/schema.ts";
import { type ZplResolution, zplResolutions } from "../../documents/drawing.ts";
import { printerKinds } from "../floor.transitions.ts";
import { printerMedia } from "./printer.ts";

const about = {
  warehouse: "The warehouse that it is in. It cannot change.",
  printer_name: "Its name, unique in the warehouse.",
  kind: "How it is reached: `zpl_tcp` sends ZPL over TCP, `ipp` sends PDF over the Internet Printing Protocol.",
  host: "The host name or the IP address in the local network.",
  port: "The TCP port.",
  path: "The path of an IPP printer; null for `zpl_tcp`.",
  media: "The paper or labels in it. Label printers hold `4x6`.",
  dpi: "The resolution of a label printer in dots per inch; null for `ipp`.",
  active: "False: nothing is printed on it.",
  station_name: "Its name, unique in the warehouse.",
  label_printer: "The printer for labels; null prints none.",
  document_printer: "The IPP printer for packing slips; null prints none.",
};

const resolution = Type.Unsafe<ZplResolution>(
  Type.Union(
    zplResolutions.map((dpi) => Type.Literal(dpi)),
    { description: `${about.dpi} Default: 203.` },
  ),
);

const printerFields = {
  name: nameField(80, { description: about.printer_name }),
  host: Type.String({
    maxLength: 253,
    pattern: "^[A-Za-z0-9]([A-Za-z0-9._:-]*[A-Za-z0-9])?$",
    hint: "must be a host name or an IP address, such as 192.168.1.40",
    description: about.host,
  }),
  port: Type.Integer({ minimum: 1, maximum: 65_535, description: `${about.port} Default: 9100, or 631 for \`ipp\`.` }),
  path: nullable(
    Type.String({
      maxLength: 200,
      pattern: "^/[!-~]*$",
      hint: "must be a path such as /ipp/print",
      description: `${about.path} Default: \`/ipp/print\`.`,
    }),
  ),
  media: choice(printerMedia, {
    description: `${about.media} Default: \`4x6\` for label printers, else the paper of the warehouse's country.`,
  }),
  dpi: nullable(resolution),
  active: Type.Boolean({ description: `${about.active} Default: true.` }),
};
const { name, host, port, path, media, dpi, active } = printerFields;
const read_only = ["id", "revision", "created_at", "updated_at"];
const optional = {
  port: Type.Optional(port),
  path: Type.Optional(path),
  media: Type.Optional(media),
  dpi: Type.Optional(dpi),
  active: Type.Optional(active),
};

export const CreatePrinter = closed(
  {
    warehouse_id: Type.Optional(idField("warehouse", `${about.warehouse} Required if there are several.`)),
    name,
    kind: choice(printerKinds, { description: about.kind }),
    host,
    ...optional,
  },
  read_only,
);
export type CreatePrinter = Static<typeof CreatePrinter>;

export const UpdatePrinter = closed(
  {
    warehouse_id: Type.Optional(idField("warehouse", about.warehouse)),
    name: Type.Optional(name),
    kind: Type.Optional(choice(printerKinds, { description: about.kind })),
    host: Type.Optional(host),
    ...optional,
  },
  read_only,
);
export type UpdatePrinter = Static<typeof UpdatePrinter>;

const stamps = {
  revision: Type.Integer({ description: "Increases with every change." }),
  created_at: timestamp("When it was created."),
  updated_at: timestamp("When it was last changed."),
};

export const PrinterView = closed({
  id: Type.String({ description: "The printer's id, such as `prn_1001`." }),
  warehouse_id: Type.String({ description: about.warehouse }),
  name: Type.String({ description: about.printer_name }),
  kind: choice(printerKinds, { description: about.kind }),
  host: Type.String({ description: about.host }),
  port: Type.Integer({ description: about.port }),
  path: nullable(Type.String({ description: about.path })),
  media: choice(printerMedia, { description: about.media }),
  dpi: nullable(Type.Integer({ description: about.dpi })),
  active: Type.Boolean({ description: about.active }),
  ...stamps,
});

const printerField = (description: string) => nullable(idField("printer", description));

export const CreateStation = closed(
  {
    warehouse_id: Type.Optional(idField("warehouse", `${about.warehouse} Required if there are several.`)),
    name: nameField(80, { description: about.station_name }),
    label_printer_id: Type.Optional(printerField(`${about.label_printer} Default: null.`)),
    document_printer_id: Type.Optional(printerField(`${about.document_printer} Default: null.`)),
  },
  read_only,
);
export type CreateStation = Static<typeof CreateStation>;

export const UpdateStation = closed(
  {
    warehouse_id: Type.Optional(idField("warehouse", about.warehouse)),
    name: Type.Optional(nameField(80, { description: about.station_name })),
    label_printer_id: Type.Optional(printerField(about.label_printer)),
    document_printer_id: Type.Optional(printerField(about.document_printer)),
  },
  read_only,
);
export type UpdateStation = Static<typeof UpdateStation>;

export const StationView = closed({
  id: Type.String({ description: "The station's id, such as `stn_1001`." }),
  warehouse_id: Type.String({ description: about.warehouse }),
  name: Type.String({ description: about.station_name }),
  label_printer_id: nullable(Type.String({ description: about.label_printer })),
  document_printer_id: nullable(Type.String({ description: about.document_printer })),
  ...stamps,
});
