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

const vibrations: Readonly<Record<OutcomeKind, number | number[]>> = {
  right: 40,
  done: [60, 40, 60, 40, 140],
  wrong: [200, 80, 200],
  info: 30,
};

let audio: AudioContext | undefined;

function play(kind: OutcomeKind): void {
  // Browsers allow sounds once the page has been touched or typed in. Until then this plays nothing.
  audio ??= new AudioContext();
  void audio.resume();
  for (const [hertz, start, length] of tones[kind]) {
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

/** Plays the sound of an outcome and vibrates, as the device is set. */
export function giveFeedback(kind: OutcomeKind): void {
  if (device.peek().sound) play(kind);
  if (device.peek().vibration) navigator.vibrate?.(vibrations[kind]);
}
