import type { Erasure } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { navigate, to } from "../../browser/router.ts";
import { Notice } from "../../kit/notice.tsx";
import { Page } from "../../kit/page.tsx";
import type { ScreenProps } from "../../kit/screen.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { privacyTexts as texts } from "../../texts/privacy.ts";
import { Details, StateCard, useErasure } from "./erasure.tsx";

/** One erasure: how far it has come, what it took, and what is left to do. */
export function ErasureScreen({ params }: ScreenProps) {
  const { data, problem, loading, reload } = useQuery<Erasure>(`/erasures/${params["id"]}`);
  useErasure(data, reload);
  const back = { href: to("/settings/privacy"), title: texts.title };
  return (
    <Page title={texts.erasure} below={params["id"]} back={back} narrow>
      <div class="stack">
        {problem && <Notice problem={problem} onRetry={reload} />}
        {loading && <Skeleton lines={8} />}
        {data && (
          <>
            <StateCard erasure={data} onCalledOff={() => navigate(to("/settings/privacy"))} />
            <Details erasure={data} />
          </>
        )}
      </div>
    </Page>
  );
}
