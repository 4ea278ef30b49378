import { type ApiProblem, problemOf } from "../../api/problem.ts";

/** Lets a person choose a file of CSV and hands it on; why it was refused is handed on as well. */
export function chooseFile(take: (file: File) => Promise<void>, onProblem: (problem: ApiProblem) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".csv,text/csv";
  input.onchange = () => {
    const file = input.files?.[0];
    if (file !== undefined) take(file).catch((error) => onProblem(problemOf(error)));
  };
  input.click();
}
