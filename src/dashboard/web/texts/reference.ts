/** The words of the screen that leads to the reference of the API. */
export const referenceTexts = {
  title: "API reference",
  open: "Open the reference",
  text: "Every route with its fields, answers, refusals and examples. Requests can be tried out there.",
  tryTitle: "Trying requests out",
  trySession: "While you are signed in, the reference acts as you, in the live world unless you say otherwise.",
  tryTest: "For the test world, add the header Packhouse-World: test, or enter an API key of that world.",
  tryKey: "An API key that you enter there counts in place of your session.",
  makeKey: "Make an API key",
  files: "For programs",
  document: "Description of the API (OpenAPI 3.1)",
  errors: "All errors and what they mean",
  base: "Address of the API",
} as const;
