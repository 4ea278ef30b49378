import { type ApiProblem, problemOf } from "../../api/problem.ts";

/** Asks the user for a CSV file and calls `take` with it, or `onProblem` if it is refused. */
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
