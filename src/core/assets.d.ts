// The packed ZIP codes are carried as a file: importing it `with { type: "file" }` gives its path.
declare module "*.tsv.gz" {
  const path: string;
  export default path;
}

// The reference page's program is carried as a file: importing it `with { type: "file" }` gives its path.
declare module "*/standalone.js.gz" {
  const path: string;
  export default path;
}

declare module "*.md" {
  const text: string;
  export default text;
}

// Files that are carried in the program: importing one `with { type: "file" }` gives its path.
declare module "*.zst" {
  const path: string;
  export default path;
}
declare module "*.wasm" {
  const path: string;
  export default path;
}
// A style sheet is carried as its text.
declare module "*.css" {
  const text: string;
  export default text;
}

// The packed passwords are carried as a file: importing it `with { type: "file" }` gives its path.
declare module "*.txt.gz" {
  const path: string;
  export default path;
}
