import { useState } from "preact/hooks";
import { get } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import type { Order } from "../../api/types.ts";
import { query } from "../../browser/router.ts";
import { act } from "../../components/action.tsx";
import { Button } from "../../components/button.tsx";
import { PageMerchant } from "../../components/merchant_field.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { returnTexts as texts } from "../../text/returns.ts";
import { createReturn } from "./create_return.tsx";

/** Finds the order of a new return by its number. */
export function NewReturnScreen({ title, back }: ScreenProps) {
  const [name, setName] = useState(query.peek().get("order") ?? "");
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const find = async (event: Event) => {
    event.preventDefault();
    setProblem(null);
    try {
      act(createReturn((await get<Order>(`/orders/${encodeURIComponent(name.trim())}`)).data));
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <Page title={title} back={back} narrow>
      <Card>
        <form onSubmit={(event) => void find(event)}>
          {problem && <Notice problem={problem} />}
          {problem?.code === "merchant_required" && <PageMerchant />}
          <div class="field">
            <label for="return-order">{texts.whichOrder}</label>
            <input
              id="return-order"
              type="text"
              autoFocus
              autocomplete="off"
              value={name}
              aria-describedby="return-order-help"
              onInput={(event) => setName(event.currentTarget.value)}
            />
            <p id="return-order-help" class="field-help">
              {texts.whichOrderHelp}
            </p>
          </div>
          <footer class="form-acts">
            <Button submit kind="primary" icon="search" title={texts.findOrder} disabled={name.trim() === ""} />
          </footer>
        </form>
      </Card>
    </Page>
  );
}
