import type { FloorDevice, LinkedFloorDevice } from "../../api/types.ts";
import { tabEnvironment } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge, stateOptions } from "../../components/badge.tsx";
import { openDialog, SecretDialog } from "../../components/dialog.tsx";
import type { FormField } from "../../components/fields.tsx";
import { choice, ListPage } from "../../components/list_page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { Time } from "../../components/values.tsx";
import { badgeTexts as texts } from "../../text/badges.ts";
import { words } from "../../text/common.ts";
import { titles } from "../../text/navigation.ts";
import { useWarehouses } from "../stock/stock_links.ts";

const columns: readonly TableColumn<FloorDevice>[] = [
  { id: "name", title: words.name, text: "name", wide: true },
  { id: "status", title: words.status, cell: ({ status }) => <Badge of="floor_device" state={status} /> },
  { id: "user", title: texts.usedBy, cell: ({ used_by }) => used_by?.name ?? texts.nobody },
  {
    id: "used",
    title: texts.lastUsed,
    cell: ({ last_used_at }) => (last_used_at === null ? texts.never : <Time at={last_used_at} />),
  },
  { id: "created", title: words.created, time: "created_at", extra: true },
];

const nameField: FormField = {
  kind: "text",
  name: "name",
  label: words.name,
  help: texts.nameHelp,
  required: true,
  focus: true,
};

/** The devices on which users sign in by badge. Both environments have the same. */
export function FloorDevicesScreen() {
  const { field } = useWarehouses();
  // The warehouses of test data are not those of the devices.
  const where = tabEnvironment.value === "live" ? [field(words.warehouse)] : [];
  return (
    <ListPage<FloorDevice>
      title={titles.floorDevices}
      path="/floor_devices"
      search={{ param: "q", hint: texts.search }}
      filters={[choice("status", words.status, stateOptions("floor_device"))]}
      columns={columns}
      rowName={({ name }) => name}
      rowActs={(device) => device.status !== "revoked" && <Actions of={deviceActions(device)} />}
      create={{
        title: texts.add,
        ask: {
          title: texts.add,
          text: texts.addText,
          fields: [nameField, ...where.map((one) => ({ ...one, name: "warehouse_id" }))],
          submit: words.create,
        },
        call: (_, body) => ({ method: "POST", path: "/floor_devices", body }),
        after: showLink,
      }}
      empty={{ icon: "scan", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

/** The actions on a device that is not revoked. */
function deviceActions(device: FloorDevice): readonly Action[] {
  const { id, name } = device;
  return [
    {
      title: texts.change,
      icon: "edit",
      ask: { title: texts.change, fields: [nameField], record: device, edits: true },
      call: (_, body) => ({ method: "PATCH", path: `/floor_devices/${id}`, body }),
      done: texts.changed,
    },
    {
      title: texts.newLink,
      icon: "link",
      ask: { title: texts.newLinkTitle(name), text: texts.newLinkText },
      call: { method: "POST", path: `/floor_devices/${id}/link` },
      after: showLink,
    },
    {
      title: texts.revoke,
      icon: "close",
      danger: true,
      ask: { title: texts.revokeTitle(name), text: texts.revokeText },
      call: { method: "POST", path: `/floor_devices/${id}/revoke` },
      done: texts.revoked(name),
    },
  ];
}

const showLink = (linked: LinkedFloorDevice) => openDialog((close) => <LinkDialog device={linked} onDone={close} />);

/** Shows the link of a device once, also as a QR code. */
function LinkDialog({ device, onDone }: { readonly device: LinkedFloorDevice; readonly onDone: () => void }) {
  const { name, link, link_qr_svg } = device;
  // If the service does not know its own address, the address of this page is used.
  const whole = link.startsWith("/") ? `${location.origin}${link}` : link;
  return (
    <SecretDialog
      title={texts.linkTitle(name)}
      secret={whole}
      name={texts.linkName}
      text={texts.linkText}
      onDone={onDone}
    >
      {link_qr_svg && (
        <img class="device-qr" alt={texts.qrName} src={`data:image/svg+xml,${encodeURIComponent(link_qr_svg)}`} />
      )}
    </SecretDialog>
  );
}
