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
