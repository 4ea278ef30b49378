import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useQuery } from "../../api/query.ts";
import type { Station } from "../../api/types.ts";
import { floorTexts } from "../../text/floor.ts";
import { device, pauses_ms, setDevice, useWarehouse } from "./device.ts";
import { FloorFrame, useQueue } from "./floor_frame.tsx";

const texts = floorTexts.settings;

/** The settings of this device, with a test of its scanner. */
export function FloorSettingsScreen() {
  const queue = useQueue();
  const { name, hand, sound, vibration } = device.value;
  const { all = [], here } = useWarehouse();
  const onScan = async (read: string) => ({
    kind: "right" as const,
    title: texts.scanOk,
    text: texts.scanRead(read.length),
  });
  return (
    <FloorFrame title={texts.title} back="/floor/menu" queue={queue} prompt={texts.test} onScan={onScan}>
      <Field label={texts.name}>
        {(id) => (
          <input
            id={id}
            maxLength={64}
            value={name}
            onChange={({ currentTarget }) => {
              const value = currentTarget.value.trim();
              if (value === "") currentTarget.value = name;
              else setDevice({ name: value });
            }}
          />
        )}
      </Field>
      <Field label={texts.warehouse}>
        {(id) => (
          <select
            id={id}
            value={here?.warehouse_id ?? ""}
            onChange={({ currentTarget }) => setDevice({ warehouse_id: currentTarget.value, station_id: null })}
          >
            {here === null && <option value="" />}
            {all.map(({ warehouse_id, name: title }) => (
              <option key={warehouse_id} value={warehouse_id}>
                {title}
              </option>
            ))}
          </select>
        )}
      </Field>
      <StationField warehouse_id={here?.warehouse_id ?? null} />
      <Choice
        label={texts.hand}
        of={[
          ["left", texts.hands.left],
          ["right", texts.hands.right],
        ]}
        chosen={hand}
        choose={(value) => setDevice({ hand: value })}
      />
      <Choice label={texts.sound} of={flags} chosen={sound} choose={(value) => setDevice({ sound: value })} />
      <Choice
        label={texts.vibration}
        of={flags}
        chosen={vibration}
        choose={(value) => setDevice({ vibration: value })}
      />
      <ScannerSettings />
    </FloorFrame>
  );
}

function StationField({ warehouse_id }: { readonly warehouse_id: string | null }) {
  const { data: stations = [] } = useQuery<readonly Station[]>(warehouse_id === null ? null : "/stations", {
    warehouse_id,
    limit: 100,
  });
  return (
    <Field label={texts.station}>
      {(id) => (
        <select
          id={id}
          value={device.value.station_id ?? ""}
          onChange={({ currentTarget }) => setDevice({ station_id: currentTarget.value || null })}
        >
          <option value="">{texts.noStation}</option>
          {stations.map(({ id: station_id, name }) => (
            <option key={station_id} value={station_id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function ScannerSettings() {
  const { separator, pause_ms } = device.value;
  return (
    <>
      <h2>{texts.scanner}</h2>
      <Choice
        label={texts.pause}
        help={texts.pauseHelp}
        of={pauses_ms.map((ms) => [ms, texts.milliseconds(ms)] as const)}
        chosen={pause_ms}
        choose={(value) => setDevice({ pause_ms: value })}
      />
      <Field label={texts.separator} help={texts.separatorHelp}>
        {(id) => (
          <input
            id={id}
            maxLength={1}
            autocomplete="off"
            value={separator}
            onChange={({ currentTarget }) => setDevice({ separator: currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}

const flags = [
  [true, texts.on],
  [false, texts.off],
] as const;

interface FieldProps {
  readonly label: string;
  readonly help?: string;
  readonly children: (id: string) => ComponentChildren;
}

function Field({ label, help, children }: FieldProps) {
  const id = useId();
  return (
    <div class="floor-field">
      <label for={id}>{label}</label>
      {children(id)}
      {help && <small>{help}</small>}
    </div>
  );
}

interface ChoiceProps<Value> {
  readonly label: string;
  readonly help?: string;
  readonly of: readonly (readonly [value: Value, title: string])[];
  readonly chosen: Value;
  readonly choose: (value: Value) => void;
}

function Choice<Value extends string | number | boolean>({ label, help, of, chosen, choose }: ChoiceProps<Value>) {
  return (
    <fieldset class="floor-field">
      <legend>{label}</legend>
      <div class="floor-choice">
        {of.map(([value, title]) => (
          <button key={String(value)} type="button" aria-pressed={value === chosen} onClick={() => choose(value)}>
            {title}
          </button>
        ))}
      </div>
      {help && <small>{help}</small>}
    </fieldset>
  );
}
