// What buyers see of a merchant: a card on the page of a merchant, and a screen for merchants themselves.
import type { Static } from "@sinclair/typebox";
import type { BrandingView } from "../../../../merchants/branding/branding.schema.ts";
import { patch, sendFile } from "../../api/client.ts";
import { chosenMerchant, type MerchantRecord, merchants, several } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import { may, ownMerchant } from "../../api/session.ts";
import { to } from "../../browser/router.ts";
import { ActionButton } from "../../components/action.tsx";
import { Button, LinkButton } from "../../components/button.tsx";
import { type Editing, FieldError, type FormField } from "../../components/fields.tsx";
import { FileDrop } from "../../components/file_input.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { DescriptionList } from "../../components/values.tsx";
import { brandingTexts as texts } from "../../text/branding.ts";
import { words } from "../../text/common.ts";

type Branding = Static<typeof BrandingView>;

const half = { width: "half" } as const;

const fields: readonly FormField[] = [
  { kind: "text", name: "display_name", label: texts.displayName, help: texts.displayNameHelp, focus: true },
  {
    kind: "custom",
    name: "accent_color",
    label: texts.accent,
    help: texts.accentHelp,
    render: (editing) => <AccentField editing={editing} />,
  },
  { kind: "text", type: "email", name: "support_email", label: texts.email, ...half },
  { kind: "text", type: "tel", name: "support_phone", label: texts.phone, ...half },
  { kind: "text", type: "url", name: "website", label: texts.website },
  { kind: "text", name: "message", label: texts.message, help: texts.messageHelp, lines: 3 },
];

function AccentField({ editing: { id, value, set, problem } }: { readonly editing: Editing }) {
  const color = String(value ?? "");
  return (
    <div class="row">
      <input
        id={id}
        type="color"
        name="accent_color"
        class="color-field"
        aria-label={texts.accent}
        value={color === "" ? texts.firstAccent : color}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {color === "" ? <span class="muted">{texts.noAccent}</span> : <code>{color}</code>}
      {color !== "" && <Button kind="plain" icon="close" title={words.remove} onClick={() => set("")} />}
      <FieldError text={problem()} />
    </div>
  );
}

interface BrandingCardProps {
  readonly merchant: Pick<MerchantRecord, "id" | "name" | "code">;
}

/** The branding of a merchant, with a preview of the top of the buyer's page. */
export function BrandingCard({ merchant }: BrandingCardProps) {
  const { id } = merchant;
  // With a single merchant, no request names it.
  const code = several.value ? merchant.code : null;
  const { data: branding, etag, problem, loading, reload } = useQuery<Branding>(`/merchants/${id}/branding`);
  if (loading) return <Skeleton />;
  if (branding === undefined) return problem ? <Notice problem={problem} onRetry={reload} /> : null;
  const save = (body: object) => patch<Branding>(`/merchants/${id}/branding`, body, { merchant: code, match: etag });
  const chooseLogo = async (file: File) => {
    try {
      const { data } = await sendFile<{ readonly id: string }>("/files", file, {
        params: { kind: "logo", name: file.name },
        merchant: code,
      });
      await save({ logo_file_id: data.id });
      showSuccess(texts.logoSaved);
    } catch (error) {
      showRefused(error);
    }
  };
  const edit = {
    title: words.edit,
    icon: "edit",
    permission: "branding.manage",
    match: etag,
    done: texts.saved,
    ask: { title: texts.edit, fields, record: branding },
    call: { method: "PATCH", path: `/merchants/${id}/branding`, merchant: code },
  } as const;
  const remove = {
    title: texts.removeLogo,
    icon: "close",
    permission: "branding.manage",
    when: branding.logo_file_id !== null,
    match: etag,
    done: texts.logoRemoved,
    call: { method: "PATCH", path: `/merchants/${id}/branding`, merchant: code, body: { logo_file_id: null } },
  } as const;
  return (
    <Card
      title={texts.title}
      acts={
        <>
          <ActionButton of={remove} />
          <ActionButton of={edit} />
        </>
      }
    >
      <BrandPreview merchant={merchant} branding={branding} />
      <BrandingFacts branding={branding} />
      {may("branding.manage") && (
        <div class="brand-drop">
          <FileDrop
            title={texts.dropLogo}
            text={texts.dropLogoText}
            accept="image/png,image/jpeg,image/webp"
            onFile={(file) => void chooseLogo(file)}
          />
        </div>
      )}
    </Card>
  );
}

function BrandingFacts({ branding }: { readonly branding: Branding }) {
  return (
    <DescriptionList
      facts={[
        [texts.displayName, branding.display_name],
        [texts.email, branding.support_email],
        [texts.phone, branding.support_phone],
        [texts.website, branding.website],
        [texts.message, branding.message],
      ]}
    />
  );
}

/** The top of the buyer's page, in its colors. */
function BrandPreview({ merchant, branding }: BrandingCardProps & { readonly branding: Branding }) {
  const { accent_color, accent_text_color, logo_url, display_name } = branding;
  const style = accent_color === null ? {} : { background: accent_color, color: accent_text_color ?? "" };
  return (
    <figure class="brand-preview">
      <figcaption class="muted">{texts.preview}</figcaption>
      <div class="brand-top" style={style}>
        {logo_url !== null && (
          <span class="brand-logo">
            <img src={logo_url} alt={texts.logo} />
          </span>
        )}
        <b>{display_name ?? merchant.name}</b>
      </div>
    </figure>
  );
}

/** The branding of the user's merchant; of operators, that of the merchant that the tab shows, or of the only one. */
export function BrandingScreen({ title, back }: ScreenProps) {
  const [only, ...others] = merchants.value;
  const shown = ownMerchant.value ?? chosenMerchant.value ?? (others.length === 0 ? only : undefined);
  return (
    <Page title={title} back={back}>
      {shown !== undefined && <BrandingCard merchant={shown} />}
      {shown === undefined && (
        <Card title={texts.chooseMerchant}>
          <div class="row">
            {merchants.value.map(({ id, name }) => (
              <LinkButton key={id} title={name} href={to(`/settings/merchants/${id}`)} />
            ))}
          </div>
        </Card>
      )}
    </Page>
  );
}
