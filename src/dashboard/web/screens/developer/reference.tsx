import { may } from "../../api/session.ts";
import { to } from "../../browser/router.ts";
import { LinkButton } from "../../components/button.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import { CopyField, DescriptionList } from "../../components/values.tsx";
import { referenceTexts as texts } from "../../text/settings.ts";

/** Links to the API reference and explains how to try requests there. */
export function ReferenceScreen() {
  return (
    <Page title={texts.title} acts={<LinkButton kind="primary" icon="external" title={texts.open} href="/docs" />}>
      <Columns
        main={
          <>
            <Card title={texts.title}>
              <p>{texts.text}</p>
            </Card>
            <Card title={texts.tryTitle}>
              <div class="stack">
                <ul>
                  <li>{texts.trySession}</li>
                  <li>{texts.tryTest}</li>
                  <li>{texts.tryKey}</li>
                </ul>
                {may("keys.manage") && (
                  <p>
                    <LinkButton icon="key" title={texts.makeKey} href={to("/settings/keys?mode=test")} />
                  </p>
                )}
              </div>
            </Card>
          </>
        }
        side={
          <Card title={texts.files}>
            <DescriptionList
              facts={[
                [texts.base, <CopyField text={`${location.origin}/v1`} name={texts.base} />],
                [texts.document, <a href="/openapi.json">/openapi.json</a>],
                [texts.guides, <a href="/docs/guides">/docs/guides</a>],
                [texts.errors, <a href="/docs/errors">/docs/errors</a>],
              ]}
            />
          </Card>
        }
      />
    </Page>
  );
}
