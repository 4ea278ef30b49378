import type { Random } from "../kit/random.ts";
import type { Buyer, DeliveryAddress } from "./acts.ts";
import { cities, farPlaces, streets } from "./places.ts";

const names = [
  ..."Bluebird Cornerstone Riverside Lakeview Maple Hilltop Sunrise Harbor Meadow Lantern Copper Willow".split(" "),
  ..."Juniper Clover Beacon Orchard Pinecrest Summit Prairie Driftwood Amber Foxglove Granite Marigold".split(" "),
];

const kinds = [
  ..."Café Delicatessen Bakery Diner Bistro Tearoom Pizzeria Grill Catering Market".split(" "),
  "School Kitchen",
  "Hospital Kitchen",
  "Senior Center Kitchen",
  "Food Truck",
  "Sandwich Shop",
  "Coffee House",
];

const first_names = "Ana Bruno Chloe Diego Elif Fatima Goran Hana Ivan Jola Kofi Lena Mateo Nadia Omar Priya".split(
  " ",
);
const last_names = "Abbott Berg Castillo Dunn Ekström Flores Grant Haddad Ito Jansen Kowalski Łukasik".split(" ");

/** Invents buyers in real cities, some of them far away: businesses, one in eight with a second site, and homes. */
export function inventBuyers(random: Random, count: number): readonly Buyer[] {
  const homes = Math.floor(count / 5);
  const people = first_names.flatMap((first_name) => last_names.map((last_name) => ({ first_name, last_name })));
  const far = [...farPlaces];
  const living = Array.from({ length: homes }, () => inventPerson(random, people, far.pop() ?? null));
  // The most loyal customers come first, and these are kitchens and homes in turn.
  const businesses = inventBusinesses(random, count - homes);
  return businesses.flatMap((business, at) => {
    const home = living[Math.floor(at / 4)];
    return at % 4 === 3 && home !== undefined ? [business, home] : [business];
  });
}

function inventPerson(
  random: Random,
  people: { first_name: string; last_name: string }[],
  place: Omit<DeliveryAddress, "name"> | null,
): Buyer {
  const person = people.splice(random.integer(0, people.length - 1), 1)[0] as (typeof people)[number];
  const { first_name, last_name } = person;
  const name = `${first_name} ${last_name}`;
  return {
    email: `${slug(name)}@home.example`,
    first_name,
    last_name,
    company: null,
    phone: inventPhone(random),
    addresses: [place === null ? inventAddress(random, name) : { name, ...place }],
  };
}

// The numbers 555-0100 to 555-0199 are reserved for examples.
const inventPhone = (random: Random) => `555-01${String(random.integer(0, 99)).padStart(2, "0")}`;

function inventBusinesses(random: Random, count: number): Buyer[] {
  const all = names.flatMap((name) => kinds.map((kind) => `${name} ${kind}`));
  return Array.from({ length: count }, () => {
    const company = all.splice(random.integer(0, all.length - 1), 1)[0] as string;
    const sites = random.chance(1 / 8) ? [company, `${company}, second site`] : [company];
    return {
      email: `orders@${slug(company)}.example`,
      first_name: null,
      last_name: null,
      company,
      phone: inventPhone(random),
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
