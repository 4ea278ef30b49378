import type { Random } from "../kit/random.ts";
import type { Buyer, DeliveryAddress } from "./acts.ts";
import { cities, streets } from "./places.ts";

const names = [
  ..."Bluebird Cornerstone Riverside Lakeview Maple Hilltop Sunrise Harbor Meadow Lantern Copper Willow".split(" "),
  ..."Juniper Clover Beacon Orchard Pinecrest Summit Prairie Driftwood Amber Foxglove Granite Marigold".split(" "),
];

const kinds = [
  ..."Café Delicatessen Bakery Diner Bistro Tearoom Pizzeria Grill Catering Market".split(" "),
  ...["School Kitchen", "Hospital Kitchen", "Senior Center Kitchen", "Food Truck", "Sandwich Shop", "Coffee House"],
];

/** Invents buyers: businesses with invented names and streets in real cities; one in eight has a second site. */
export function inventBuyers(random: Random, count: number): readonly Buyer[] {
  const all = names.flatMap((name) => kinds.map((kind) => `${name} ${kind}`));
  return Array.from({ length: Math.min(count, all.length) }, () => {
    const company = all.splice(random.integer(0, all.length - 1), 1)[0] as string;
    const sites = random.chance(1 / 8) ? [company, `${company}, second site`] : [company];
    return {
      email: `orders@${slug(company)}.example`,
      company,
      // 555-0100 to 555-0199 are kept free for examples.
      phone: `555-01${String(random.integer(0, 99)).padStart(2, "0")}`,
      addresses: sites.map((name) => inventAddress(random, name)),
    };
  });
}

function inventAddress(random: Random, name: string): DeliveryAddress {
  const address_line1 = `${random.integer(1, 999)} ${random.pick(streets)}`;
  return { name, address_line1, ...random.pick(cities), country: "US" };
}

function slug(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z ]/g, "")
    .replaceAll(" ", "-");
}
