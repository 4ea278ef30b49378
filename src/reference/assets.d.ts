// The reference page's program is carried as a file: importing it `with { type: "file" }` gives its path.
declare module "*/standalone.js.gz" {
  const path: string;
  export default path;
}

declare module "*.md" {
  const text: string;
  export default text;
}
