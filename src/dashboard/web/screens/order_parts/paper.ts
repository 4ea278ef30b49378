import type { Label } from "../../api/types.ts";
import type { Paper } from "../../kit/paper.tsx";
import { orderTexts as texts } from "../../texts/order.ts";

/** The document of a label. */
export function labelPaper({ label_id }: Pick<Label, "label_id">, number: string): Paper {
  return {
    title: texts.label(number),
    path: `/shipping/labels/${label_id}/document`,
    params: { format: "pdf" },
    name: `${number}.pdf`,
  };
}
