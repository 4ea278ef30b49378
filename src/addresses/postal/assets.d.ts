// The packed ZIP codes are carried as a file: importing it `with { type: "file" }` gives its path.
declare module "*.tsv.gz" {
  const path: string;
  export default path;
}
