// A text file is carried as its text.
declare module "*.txt" {
  const text: string;
  export default text;
}
