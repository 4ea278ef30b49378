import { patch, post } from "../../api/client.ts";
import { useOpened, useQuery } from "../../api/query.ts";
import { isOperatorUser, readSession } from "../../api/session.ts";
import type { SessionEntry, User } from "../../api/types.ts";
import { type Action, ActionButton, act } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Form } from "../../components/form.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { DescriptionList, Time } from "../../components/values.tsx";
import { badgeTexts } from "../../text/badges.ts";
import { words } from "../../text/common.ts";
import { titles } from "../../text/navigation.ts";
import { profileTexts as texts } from "../../text/profile.ts";
import { userTexts } from "../../text/users.ts";
import { PinCard } from "./badge_dialog.tsx";
import { FactorCard } from "./second_factor_card.tsx";
import { newPasswordFields, newPasswordOf } from "./sign_in_card.tsx";

// The order matters, because user agents contain the names of other browsers.
const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/Chrome\/|CriOS\//, "Chrome"],
  [/Safari\//, "Safari"],
  [/curl\//, "curl"],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Macintosh|Mac OS X/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

const firstMatch = (names: readonly (readonly [RegExp, string])[], text: string) =>
  names.find(([form]) => form.test(text))?.[1];

/** The readable name of a browser, such as "Firefox, Windows"; null if unknown. */
function browserWords(user_agent: string | null): string | null {
  const named = [firstMatch(browsers, user_agent ?? ""), firstMatch(systems, user_agent ?? "")].filter(Boolean);
  return named.length === 0 ? null : named.join(", ");
}

/** The sessions of the user. */
function SessionsCard() {
  const { data: sessions, problem, loading, reload } = useQuery<readonly SessionEntry[]>("/users/me/sessions");
  const endOne = ({ id, user_agent }: SessionEntry): Action => ({
    title: words.signOut,
    ask: { title: texts.endTitle(browserWords(user_agent) ?? texts.unknownBrowser), text: texts.endText },
    call: { method: "DELETE", path: `/users/me/sessions/${id}` },
    done: texts.ended,
  });
  const others = sessions?.some(({ current }) => !current) ?? false;
  const endOthers: Action = {
    title: texts.endOthers,
    when: others,
    ask: { title: texts.endOthersTitle, text: texts.endOthersText },
    call: { method: "DELETE", path: "/users/me/sessions" },
  };
  return (
    <Card title={texts.sessions} acts={<ActionButton of={endOthers} />}>
      {problem && <Notice problem={problem} onRetry={reload} />}
      {loading && <Skeleton lines={2} />}
      <ul class="sessions">
        {sessions?.map((one) => (
          <Entry key={one.id} entry={one} onEnd={() => act(endOne(one))} />
        ))}
      </ul>
    </Card>
  );
}

function Entry({ entry, onEnd }: { readonly entry: SessionEntry; readonly onEnd: () => void }) {
  const { current, ip, user_agent, device, last_seen_at, created_at } = entry;
  const browser = browserWords(user_agent) ?? texts.unknownBrowser;
  return (
    <li>
      <div>
        <strong>{browser}</strong> {current && <Badge tone="good">{texts.current}</Badge>}
        <p>
          {device && `${badgeTexts.onDevice(device.name)}, `}
          {ip && <code>{ip}</code>} {words.lastSeen} <Time at={last_seen_at} />, {texts.begun} <Time at={created_at} />
        </p>
      </div>
      {!current && (
        <button type="button" class="button" aria-label={texts.endOne(browser)} onClick={onEnd}>
          {words.signOut}
        </button>
      )}
    </li>
  );
}

/** The profile of the user: name, password, second factor and sessions. */
export function ProfileScreen() {
  const { data: user, etag, problem, loading, reload } = useOpened<User>("/users/me");
  return (
    <Page title={titles.profile} narrow>
      {problem && <Notice problem={problem} onRetry={reload} />}
      {loading && <Skeleton />}
      <div class="profile">
        {user && <NameCard user={user} etag={etag} />}
        <PasswordCard />
        <FactorCard />
        {isOperatorUser.value && <PinCard />}
        <SessionsCard />
      </div>
    </Page>
  );
}

function NameCard({ user, etag }: { readonly user: User; readonly etag: string | null }) {
  return (
    <Card title={texts.you}>
      <DescriptionList
        facts={[
          [words.email, user.email],
          [texts.role, userTexts.roles[user.role]],
          [texts.since, <Time at={user.created_at} />],
        ]}
      />
      <Form
        fields={[{ name: "name", kind: "text", label: words.name, autocomplete: "name", required: true }]}
        record={user}
        submit={texts.save}
        unchanged={false}
        guarded={false}
        onSubmit={async (_values, key, body) => {
          await patch<User>("/users/me", body, { key, match: etag });
          await readSession();
          showSuccess(texts.saved);
        }}
      />
    </Card>
  );
}

function PasswordCard() {
  return (
    <Card title={words.password}>
      <Form
        fields={[
          {
            name: "current_password",
            kind: "text",
            type: "password",
            required: true,
            label: texts.currentPassword,
            autocomplete: "current-password",
          },
          ...newPasswordFields(texts.newPassword),
        ]}
        submit={texts.change}
        guarded={false}
        onSubmit={async (values, key) => {
          const password = newPasswordOf(values);
          await post("/users/me/password", { current_password: values["current_password"], password }, { key });
          showSuccess(texts.changed);
        }}
      />
    </Card>
  );
}
