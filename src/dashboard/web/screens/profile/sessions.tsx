import { remove } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { SessionEntry } from "../../api/types.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/confirm.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Card } from "../../kit/page.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Time } from "../../kit/values.tsx";
import { said } from "../../shell/toasts.tsx";
import { profileTexts as texts } from "../../texts/profile.ts";
import { browserWords } from "./browser.ts";

/** The sessions of the user. */
export function SessionsCard() {
  const { data: sessions, problem, loading, reload } = useQuery<readonly SessionEntry[]>("/users/me/sessions");
  const endOne = ({ id, user_agent }: SessionEntry) =>
    confirm({
      title: texts.endTitle(browserWords(user_agent) ?? texts.unknownBrowser),
      text: texts.endText,
      act: texts.end,
      run: async () => {
        await remove(`/users/me/sessions/${id}`);
        said(texts.ended);
      },
    });
  const endOthers = () =>
    confirm({
      title: texts.endOthersTitle,
      text: texts.endOthersText,
      act: texts.endOthers,
      run: () => remove("/users/me/sessions"),
    });
  const others = sessions?.some(({ current }) => !current) ?? false;
  return (
    <Card title={texts.sessions} acts={others && <Button title={texts.endOthers} onClick={endOthers} />}>
      {problem && <Notice problem={problem} onRetry={reload} />}
      {loading && <Skeleton lines={2} />}
      <ul class="sessions">
        {sessions?.map((one) => (
          <Entry key={one.id} entry={one} onEnd={() => void endOne(one)} />
        ))}
      </ul>
    </Card>
  );
}

function Entry({ entry, onEnd }: { readonly entry: SessionEntry; readonly onEnd: () => void }) {
  const { current, ip, user_agent, last_seen_at, created_at } = entry;
  const browser = browserWords(user_agent) ?? texts.unknownBrowser;
  return (
    <li>
      <div>
        <strong>{browser}</strong> {current && <Badge tone="good">{texts.thisOne}</Badge>}
        <p>
          {ip && <code>{ip}</code>} {texts.lastSeen} <Time at={last_seen_at} />, {texts.begun} <Time at={created_at} />
        </p>
      </div>
      {!current && (
        <button type="button" class="button" aria-label={texts.endOne(browser)} onClick={onEnd}>
          {texts.end}
        </button>
      )}
    </li>
  );
}
