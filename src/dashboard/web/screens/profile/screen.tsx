import { patch, post } from "../../api/client.ts";
import { useOpened } from "../../api/query.ts";
import { readSession } from "../../api/session.ts";
import type { User } from "../../api/types.ts";
import { Form } from "../../kit/form.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Card, Page } from "../../kit/page.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { DescriptionList, Time } from "../../kit/values.tsx";
import { said } from "../../shell/toasts.tsx";
import { titles } from "../../texts/navigation.ts";
import { profileTexts as texts } from "../../texts/profile.ts";
import { userTexts } from "../../texts/users.ts";
import { newPasswordFields, newPasswordOf } from "../sign_in/new_password.ts";
import { FactorCard } from "./factor.tsx";
import { SessionsCard } from "./sessions.tsx";

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
          [texts.email, user.email],
          [texts.role, userTexts.roles[user.role]],
          [texts.since, <Time at={user.created_at} />],
        ]}
      />
      <Form
        fields={[{ name: "name", kind: "text", label: texts.name, autocomplete: "name", required: true }]}
        first={{ name: user.name }}
        submit={texts.save}
        unchanged={false}
        guarded={false}
        onSubmit={async (values, key) => {
          await patch<User>("/users/me", { name: values["name"] }, { key, match: etag });
          await readSession();
          said(texts.saved);
        }}
      />
    </Card>
  );
}

function PasswordCard() {
  return (
    <Card title={texts.password}>
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
        first={{ current_password: "", password: "", again: "" }}
        submit={texts.change}
        guarded={false}
        onSubmit={async (values, key) => {
          const password = newPasswordOf(values);
          await post("/users/me/password", { current_password: values["current_password"], password }, { key });
          said(texts.changed);
        }}
      />
    </Card>
  );
}
