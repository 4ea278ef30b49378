/** The texts of the screen about the servers that run. */
export const serverTexts = {
  title: "Servers",
  intro: "The servers of this installation that run now.",
  host: "Machine",
  answers: "answers you",
  status: "Status",
  version: "Version",
  number: "Number",
  migration: "Last migration",
  started: "Started",
  seen: "Last seen",
  one: "The data belongs to this one process. Several servers run where they share a PostgreSQL database.",
  several: "They share one PostgreSQL database. One that ends without a word is gone from the list after some seconds.",
  unlike: "They are of different versions. End the upgrade: restart the older ones.",
} as const;
