// Settings of the device that a person on the floor works with. Everyone who uses the device shares them.
import { useEffect } from "preact/hooks";
import { newKey } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { WarehouseRecord } from "../../api/types.ts";
import { devicePreference } from "../../browser/preferences.ts";
import { floorTexts } from "../../text/floor.ts";

/** The settings of a device. */
interface FloorDevice {
  /** How the device names itself in tasks. */
  readonly name: string;
  readonly warehouse_id: string | null;
  /** The packing table where the device is used; null for none. */
  readonly station_id: string | null;
  /** The hand that holds the goods less often: the big button is on its side. */
  readonly hand: "right" | "left";
  readonly sound: boolean;
  readonly vibration: boolean;
  /** The character that the scanner types in place of the GS1 separator; empty if it types the separator itself. */
  readonly separator: string;
  /** How long the scanner pauses at the end of a code, if it types neither Enter nor Tab. */
  readonly pause_ms: number;
  /** Whether the scanner was seen to end a code with Enter or Tab. */
  readonly ends_by_key: boolean;
}

/** The pauses that can be chosen. */
export const pauses_ms = [50, 100, 200, 400] as const;

const first: FloorDevice = {
  name: floorTexts.deviceName(newKey().slice(0, 4).toUpperCase()),
  warehouse_id: null,
  station_id: null,
  hand: "right",
  sound: true,
  vibration: true,
  separator: "",
  pause_ms: 50,
  ends_by_key: false,
};

const isNamed = (value: unknown) => value === null || typeof value === "string";

function isDevice(value: unknown): value is FloorDevice {
  if (typeof value !== "object" || value === null) return false;
  const { name, warehouse_id, station_id, separator, pause_ms, ...rest } = value as Partial<FloorDevice>;
  const { sound, vibration, ends_by_key } = rest;
  const flags = [sound, vibration, ends_by_key].every((flag) => typeof flag === "boolean");
  const texts = typeof name === "string" && typeof separator === "string" && typeof pause_ms === "number";
  return texts && flags && isNamed(warehouse_id) && isNamed(station_id);
}

const stored = devicePreference("floor_device", first, isDevice);

/** The settings of this device. */
export const device = stored.state;

/** Changes settings of this device. */
export function setDevice(changes: Partial<FloorDevice>): void {
  stored.set({ ...device.peek(), ...changes });
}

// The name that the device was given at first stays its own.
setDevice({});

/** The warehouses, and the one where this device is used: the chosen one, or the only one. */
export function useWarehouse() {
  const { data: all, problem } = useQuery<readonly WarehouseRecord[]>("/inventory/locations");
  const chosen = all?.find((one) => one.warehouse_id === device.value.warehouse_id);
  const here = chosen ?? (all?.length === 1 ? all[0] : undefined);
  const id = here?.warehouse_id ?? null;
  useEffect(() => {
    if (id !== null && id !== device.peek().warehouse_id) setDevice({ warehouse_id: id });
  }, [id]);
  return { all, here: here ?? null, problem };
}
