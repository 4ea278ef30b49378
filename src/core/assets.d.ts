// Files that the binary contains. Importing one `with { type: "file" }` yields its path.
declare module "*.tsv.gz" {
  const path: string;
  export default path;
}

declare module "*/standalone.js.gz" {
  const path: string;
  export default path;
}

declare module "*.md" {
  const text: string;
  export default text;
}

declare module "*.zst" {
  const path: string;
  export default path;
}
declare module "*.wasm" {
  const path: string;
  export default path;
}
// A style sheet is imported as text.
declare module "*.css" {
  const text: string;
  export default text;
}

declare module "*.txt.gz" {
  const path: string;
  export default path;
}
