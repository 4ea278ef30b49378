// Sounds and vibration that tell right from wrong without a look at the screen.
import { device } from "./device.ts";

/** How an act ended: a right step, a finished task, a refusal, or something to read. */
export type OutcomeKind = "right" | "done" | "wrong" | "info";

type Tone = readonly [hertz: number, start_s: number, length_s: number];

const tones: Readonly<Record<OutcomeKind, readonly Tone[]>> = {
  right: [[1320, 0, 0.09]],
  done: [
    [784, 0, 0.1],
    [988, 0.11, 0.1],
    [1319, 0.22, 0.2],
  ],
  wrong: [
    [220, 0, 0.18],
    [175, 0.24, 0.32],
  ],
  info: [[880, 0, 0.06]],
};

/** What follows the alarm of a refusal: the ear knows which one it was. Other refusals have the alarm alone. */
const signatures_hertz: Readonly<Record<string, readonly number[]>> = {
  unknown_barcode: [880],
  unreadable_barcode: [880, 880, 880],
  ambiguous_barcode: [660, 880],
  wrong_lot: [440, 440],
  lot_expired: [440, 440, 330],
  lot_not_pickable: [440, 440, 330],
  wrong_tote: [330, 660],
  tote_in_use: [330, 660],
  task_taken: [660, 440],
  order_cancelled: [880, 660, 440],
  order_on_hold: [880, 660, 440],
  printer_unreachable: [1100, 1100],
  wrong_clock: [660, 880, 660, 880],
};

const alarm_s = 0.6;
const note_s = 0.16;

function tonesOf(kind: OutcomeKind, code: string): readonly Tone[] {
  const notes = kind === "wrong" ? (signatures_hertz[code] ?? []) : [];
  return [...tones[kind], ...notes.map((hertz, at): Tone => [hertz, alarm_s + at * note_s, note_s - 0.04])];
}

const vibrations: Readonly<Record<OutcomeKind, number | number[]>> = {
  right: 40,
  done: [60, 40, 60, 40, 140],
  wrong: [200, 80, 200],
  info: 30,
};

let audio: AudioContext | undefined;

function play(kind: OutcomeKind, code: string): void {
  // Browsers allow sounds once the page has been touched or typed in. Until then this plays nothing.
  audio ??= new AudioContext();
  void audio.resume();
  for (const [hertz, start, length] of tonesOf(kind, code)) {
    const at = audio.currentTime + start;
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.type = kind === "wrong" ? "square" : "sine";
    tone.frequency.value = hertz;
    volume.gain.setValueAtTime(0.4, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + length);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + length);
  }
}

/** Plays the sound of an outcome and vibrates, as the device is set. `code` is that of a refusal. */
export function giveFeedback(kind: OutcomeKind, code = ""): void {
  try {
    if (device.peek().sound) play(kind, code);
    if (device.peek().vibration) navigator.vibrate?.(vibrations[kind]);
  } catch {
    // A device without a working loudspeaker goes on in silence.
  }
}
