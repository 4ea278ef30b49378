import { expect, test } from "bun:test";
import bwip from "bwip-js/generic";
import type { Page } from "playwright-core";
import { describeInHouse, handhelds, lookAtPage } from "../browser.ts";
import { wedge } from "./worker.ts";

const read = (page: Page, code: string) => page.waitForSelector(`.floor-read:text-is('Read: ${code}')`);

describeInHouse("scanners on the floor", (house) => {
  const open = async () => {
    const { page } = await house.open("/floor/settings", { size: "scanner" });
    await page.waitForSelector(".floor-scan-input:focus");
    return page;
  };

  test("wedges are read with Enter, with Tab and with neither, and text that an input method inserts", async () => {
    const page = await open();
    await page.keyboard.insertText("]C10104006381333931");
    await read(page, "]C10104006381333931");
    // Short texts may be typed by a person, so only Enter ends them.
    await wedge(page, "A1");
    await read(page, "A1");
    await wedge(page, "4006381333931");
    await read(page, "4006381333931");
    await wedge(page, "4006381333948", "Tab");
    await read(page, "4006381333948");
    // The machine of the test may be slower than a scanner.
    await page.click("button:text-is('400 ms')");
    await wedge(page, "A-01-02", null);
    await read(page, "A-01-02");
    await lookAtPage(page, ".floor-read", "floor-settings", handhelds);
  });

  test("separators of GS1 codes arrive, come as Ctrl+], or are replaced", async () => {
    const page = await open();
    await page.keyboard.insertText("]d201040063813339310010L1\u001d37122");
    await read(page, "]d201040063813339310010L1␝37122");
    await page.keyboard.type("10L2");
    await page.keyboard.press("Control+]");
    await wedge(page, "3712");
    await read(page, "10L2␝3712");
    await page.fill(".floor-field:has-text('GS1 separator') input", "~");
    await page.click("button:text-is('Right hand')");
    await wedge(page, "10L3~3712");
    await read(page, "10L3␝3712");
    await page.reload();
    await page.waitForSelector(".floor-scan-input:focus");
    await wedge(page, "10L4~3712");
    await read(page, "10L4␝3712");
  });

  test("a scan is no shortcut, presses no button, and leaves the field where someone types", async () => {
    const page = await open();
    const address = page.url();
    for (const code of ["/", "g o", "?", "x."]) {
      await wedge(page, code);
      await read(page, code);
    }
    // A button that has the focus is not pressed by the Enter of a scan.
    await page.focus("button:text-is('Left hand')");
    await wedge(page, "4006381333931");
    await read(page, "4006381333931");
    expect(await page.getAttribute("button:text-is('Left hand')", "aria-pressed")).toBe("false");
    expect(await page.locator("dialog[open]").count()).toBe(0);
    expect(page.url()).toBe(address);

    await page.click(".floor-field:has-text('Device name') input");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Gun 7", { delay: 80 });
    expect(await page.inputValue(".floor-field:has-text('Device name') input")).toBe("Gun 7");
    await page.click("button:text-is('Left hand')");
    await page.waitForSelector(".floor-scan-input:focus");
    await page.waitForSelector(".floor[data-hand=left]");

    // On purpose, a code is typed at any speed.
    await page.click("[aria-label='Type a code']");
    await page.keyboard.type("A-01", { delay: 120 });
    await page.click("[aria-label='Enter code']");
    await read(page, "A-01");
    await page.click("[aria-label='Back']");
    await page.waitForSelector("text=Ada Owner · Gun 7");
    await lookAtPage(page, ".floor-who", "floor-menu", handhelds);
  });

  test("a camera reads a barcode where there is no scanner", async () => {
    const page = await open();
    const options = { bcid: "ean13", text: "4006381333931", scale: 4, padding: 20, backgroundcolor: "FFFFFF" };
    const source = `data:image/svg+xml,${encodeURIComponent(bwip.toSVG(options))}`;
    // In place of a camera: a drawn picture as a stream.
    await page.evaluate(`navigator.mediaDevices.getUserMedia = async () => {
      const [canvas, image] = [document.createElement("canvas"), new Image(800, 500)];
      image.src = ${JSON.stringify(source)};
      await image.decode();
      Object.assign(canvas, { width: image.width, height: image.height });
      setInterval(() => canvas.getContext("2d").drawImage(image, 0, 0, image.width, image.height), 50);
      return canvas.captureStream();
    }`);
    await page.click("[aria-label='Scan with the camera']");
    await read(page, "4006381333931");
    expect(await page.locator(".floor-camera").count()).toBe(0);
  });
});
