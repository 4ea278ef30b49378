// All texts of the floor's screens.
import { plural } from "./format.ts";

export const floorTexts = {
  deviceName: (code: string) => `Device ${code}`,
  toOffice: "Open the office",
  menu: "Menu",
  changePerson: "Sign out / change person",
  who: (person: string, device: string, warehouse: string) =>
    [person, device, warehouse].filter((part) => part !== "").join(" · "),
  scan: "Scan a barcode",
  typeCode: "Type a code",
  enterCode: "Enter code",
  sending: (acts: number) => `Sending ${acts}…`,
  connected: "Connected",
  notConnected: "No connection",
  read: (code: string) => `Read: ${code}`,
  refused: "That did not work",
  refusals: {
    unreachable: "No connection",
  },
  settings: {
    title: "This device",
    name: "Device name",
    warehouse: "Warehouse",
    hand: "Big button",
    hands: { right: "Right hand", left: "Left hand" },
    sound: "Sounds",
    vibration: "Vibration",
    on: "On",
    off: "Off",
    scanner: "Scanner",
    separator: "Character in place of the GS1 separator",
    separatorHelp: "Leave it empty if the scanner sends the separator itself.",
    pause: "Pause that ends a scan",
    pauseHelp: "Only for scanners that send neither Enter nor Tab. Choose a longer pause for slow Bluetooth scanners.",
    milliseconds: (ms: number) => `${ms} ms`,
    test: "Test the scanner: scan anything",
    scanRead: (characters: number) => plural(characters, "character", "characters"),
    scanOk: "The scanner works",
  },
} as const;
