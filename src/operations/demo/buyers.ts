// Customers of the sample business. Their cities, states and ZIP codes are real and match; streets are invented.

import type { Random } from "../../core/random.ts";
import type { DemoAddress, DemoBuyer } from "./acts.ts";

/** A US city with one of its ZIP codes. */
interface SampleCity {
  readonly city: string;
  readonly state: string;
  readonly postal_code: string;
}

// One line per state: `ST City 12345, City 12345, …`.
const lines = `
AL Birmingham 35203, Montgomery 36104, Huntsville 35801, Mobile 36602
AK Anchorage 99501, Fairbanks 99701, Juneau 99801
AZ Phoenix 85004, Tucson 85701, Flagstaff 86001, Mesa 85201
AR Little Rock 72201, Fayetteville 72701, Fort Smith 72901
CA Los Angeles 90012, San Francisco 94103, San Diego 92101, Sacramento 95814, Fresno 93721, Oakland 94607
CO Denver 80202, Boulder 80302, Colorado Springs 80903, Fort Collins 80521
CT Hartford 06103, New Haven 06510, Stamford 06901
DE Wilmington 19801, Dover 19901, Newark 19711
DC Washington 20001, Washington 20009
FL Miami 33130, Orlando 32801, Tampa 33602, Jacksonville 32202, Tallahassee 32301
GA Atlanta 30303, Savannah 31401, Athens 30601, Augusta 30901
HI Honolulu 96813, Hilo 96720, Kailua 96734
ID Boise 83702, Idaho Falls 83402, Coeur d'Alene 83814
IL Chicago 60607, Springfield 62701, Peoria 61602, Rockford 61101, Evanston 60201
IN Indianapolis 46204, Fort Wayne 46802, Bloomington 47401, South Bend 46601
IA Des Moines 50309, Cedar Rapids 52401, Iowa City 52240
KS Wichita 67202, Topeka 66603, Lawrence 66044
KY Louisville 40202, Lexington 40507, Bowling Green 42101
LA New Orleans 70112, Baton Rouge 70802, Shreveport 71101, Lafayette 70501
ME Portland 04101, Bangor 04401, Augusta 04330
MD Baltimore 21201, Annapolis 21401, Frederick 21701, Rockville 20850
MA Boston 02108, Cambridge 02139, Worcester 01608, Springfield 01103
MI Detroit 48226, Grand Rapids 49503, Ann Arbor 48104, Lansing 48933
MN Minneapolis 55401, Saint Paul 55101, Duluth 55802, Rochester 55901
MS Jackson 39201, Biloxi 39530, Hattiesburg 39401
MO Saint Louis 63101, Kansas City 64106, Springfield 65806, Columbia 65201
MT Billings 59101, Missoula 59801, Bozeman 59715
NE Omaha 68102, Lincoln 68508, Grand Island 68801
NV Las Vegas 89101, Reno 89501, Carson City 89701
NH Manchester 03101, Concord 03301, Portsmouth 03801
NJ Newark 07102, Jersey City 07302, Trenton 08608, Princeton 08540
NM Albuquerque 87102, Santa Fe 87501, Las Cruces 88001
NY New York 10001, Buffalo 14202, Rochester 14604, Albany 12207, Syracuse 13202, Brooklyn 11201
NC Charlotte 28202, Raleigh 27601, Asheville 28801, Durham 27701, Greensboro 27401
ND Fargo 58102, Bismarck 58501, Grand Forks 58201
OH Columbus 43215, Cleveland 44113, Cincinnati 45202, Toledo 43604, Dayton 45402
OK Oklahoma City 73102, Tulsa 74103, Norman 73069
OR Portland 97205, Eugene 97401, Salem 97301, Bend 97701
PA Philadelphia 19103, Pittsburgh 15222, Harrisburg 17101, Lancaster 17602, Erie 16501
RI Providence 02903, Newport 02840, Warwick 02886
SC Charleston 29401, Columbia 29201, Greenville 29601
SD Sioux Falls 57104, Rapid City 57701, Pierre 57501
TN Nashville 37203, Memphis 38103, Knoxville 37902, Chattanooga 37402
TX Houston 77002, Austin 78701, Dallas 75201, San Antonio 78205, El Paso 79901, Fort Worth 76102
UT Salt Lake City 84101, Provo 84601, Ogden 84401
VT Burlington 05401, Montpelier 05602, Rutland 05701
VA Richmond 23219, Norfolk 23510, Charlottesville 22902, Roanoke 24011
WA Seattle 98101, Spokane 99201, Tacoma 98402, Bellingham 98225
WV Charleston 25301, Morgantown 26505, Huntington 25701
WI Milwaukee 53202, Madison 53703, Green Bay 54301
WY Cheyenne 82001, Casper 82601, Laramie 82070
`;

/** About 190 cities in the fifty states and the District of Columbia. */
export const cities: readonly SampleCity[] = lines
  .trim()
  .split("\n")
  .flatMap((line) =>
    line
      .slice(3)
      .split(", ")
      .map((place) => ({ city: place.slice(0, -6), state: line.slice(0, 2), postal_code: place.slice(-5) })),
  );

/** Unusual addresses: military, remote, in territories and in other countries. */
const farPlaces: readonly Omit<DemoAddress, "name">[] = [
  { address_line1: "Unit 7400 Box 21", city: "APO", state: "AE", postal_code: "09007", country: "US" },
  { address_line1: "PSC 473 Box 12", city: "FPO", state: "AP", postal_code: "96349", country: "US" },
  { address_line1: "41 Calle Fortaleza", city: "San Juan", state: "PR", postal_code: "00901", country: "US" },
  { address_line1: "PO Box 118", city: "Anchorage", state: "AK", postal_code: "99501", country: "US" },
  { address_line1: "20 Ala Moana Way", city: "Honolulu", state: "HI", postal_code: "96813", country: "US" },
  { address_line1: "88 Tinwhistle Street", city: "Toronto", state: "ON", postal_code: "M5V 2T6", country: "CA" },
  { address_line1: "5 Larkmeadow Mews", city: "London", state: null, postal_code: "W1B 4BD", country: "GB" },
  // The state does not match the ZIP code, so the address check suggests the right one.
  { address_line1: "7 Saltbox Road", city: "Cincinnati", state: "KY", postal_code: "45202", country: "US" },
];

/** Invented street names. */
const streets: readonly string[] = [
  "Tinwhistle Lane",
  "Larkmeadow Street",
  "Copper Kettle Road",
  "Old Orchard Row",
  "Windmill Terrace",
  "Butterchurn Avenue",
  "Pepperpot Street",
  "Millrace Way",
  "Thimble Court",
  "Saltbox Road",
  "Honeycomb Drive",
  "Lantern Square",
  "Juniper Loop",
  "Rolling Pin Alley",
  "Icehouse Street",
  "Clover Yard",
];

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

/** Invents customers in real cities: homes, and businesses of which one in eight has a second site. */
export function inventBuyers(random: Random, count: number): readonly DemoBuyer[] {
  const homes = Math.floor(count / 5);
  const people = first_names.flatMap((first_name) => last_names.map((last_name) => ({ first_name, last_name })));
  const far = [...farPlaces];
  const living = Array.from({ length: homes }, () => inventPerson(random, people, far.pop() ?? null));
  // The most frequent customers come first: businesses and homes in turn.
  const businesses = inventBusinesses(random, count - homes);
  return businesses.flatMap((business, at) => {
    const home = living[Math.floor(at / 4)];
    return at % 4 === 3 && home !== undefined ? [business, home] : [business];
  });
}

function inventPerson(
  random: Random,
  people: { first_name: string; last_name: string }[],
  place: Omit<DemoAddress, "name"> | null,
): DemoBuyer {
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

function inventBusinesses(random: Random, count: number): DemoBuyer[] {
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

function inventAddress(random: Random, name: string): DemoAddress {
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
