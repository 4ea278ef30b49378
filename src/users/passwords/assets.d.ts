// The packed passwords are carried as a file: importing it `with { type: "file" }` gives its path.
declare module "*.txt.gz" {
  const path: string;
  export default path;
}
