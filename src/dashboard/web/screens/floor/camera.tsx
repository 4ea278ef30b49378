// Reads barcodes with the camera, for devices without a scanner. Loaded only when it is used.
import { useEffect, useRef, useState } from "preact/hooks";
import { words } from "../../text/common.ts";
import { floorTexts } from "../../text/floor.ts";

const texts = floorTexts.camera;
const look_ms = 120;

/** Reads the first barcode of a picture; null if there is none. */
type BarcodeReader = (video: HTMLVideoElement) => Promise<string | null>;

/** The browser's own reader, which not all browsers have. */
interface NativeDetector {
  detect(source: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>;
}

async function barcodeReader(): Promise<BarcodeReader> {
  const native = (globalThis as { BarcodeDetector?: new () => NativeDetector }).BarcodeDetector;
  if (native === undefined) return await ownReader();
  const detector = new native();
  return async (video) => (await detector.detect(video))[0]?.rawValue ?? null;
}

/** The reader that the dashboard carries. */
async function ownReader(): Promise<BarcodeReader> {
  const [{ prepareZXingModule, readBarcodes }, { default: file }] = await Promise.all([
    import("zxing-wasm/reader"),
    import("zxing-wasm/reader/zxing_reader.wasm"),
  ]);
  await prepareZXingModule({ overrides: { locateFile: () => file }, fireImmediately: true });
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });
  return async (video) => {
    const [width, height] = [video.videoWidth, video.videoHeight];
    if (context === null || width === 0) return null;
    Object.assign(canvas, { width, height });
    context.drawImage(video, 0, 0);
    const found = await readBarcodes(context.getImageData(0, 0, width, height), { maxNumberOfSymbols: 1 });
    return found[0]?.text ?? null;
  };
}

interface CameraProps {
  readonly onRead: (code: string) => void;
  readonly onClose: () => void;
}

/** The picture of the camera, until a barcode is read. */
export function Camera({ onRead, onClose }: CameraProps) {
  const video = useRef<HTMLVideoElement>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let timer = 0;
    let stream: MediaStream | null = null;
    const stop = () => {
      clearTimeout(timer);
      for (const track of stream?.getTracks() ?? []) track.stop();
      stream = null;
    };
    const begin = async () => {
      const opened = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
      stream = opened;
      const read = await barcodeReader();
      const shown = video.current;
      if (shown === null) return stop();
      shown.srcObject = opened;
      await shown.play();
      const look = async () => {
        const code = await read(shown);
        if (stream === null) return;
        if (code === null) timer = window.setTimeout(() => void look().catch(() => setFailed(true)), look_ms);
        else onRead(code);
      };
      await look();
    };
    begin().catch(() => setFailed(true));
    return stop;
  }, []);
  return (
    <section class="floor-camera" aria-label={texts.title}>
      {failed ? <p class="floor-main">{texts.failed}</p> : <video ref={video} muted playsInline />}
      <button type="button" class="floor-button normal" onClick={onClose}>
        {words.close}
      </button>
    </section>
  );
}
