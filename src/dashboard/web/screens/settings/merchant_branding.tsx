// What buyers see of a merchant: a card on the page of a merchant, and a screen for merchants themselves.
import type { Static } from "@sinclair/typebox";
import { useRef } from "preact/hooks";
import { textColorOn } from "../../../../core/colors.ts";
import type { BrandingView } from "../../../../merchants/branding/branding.schema.ts";
import { sendFile } from "../../api/client.ts";
import { chosenMerchant, type MerchantRecord, merchants, several } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import { ownMerchant } from "../../api/session.ts";
import { to } from "../../browser/router.ts";
import { ActionButton } from "../../components/action.tsx";
import { Button, LinkButton } from "../../components/button.tsx";
import { type Editing, FieldError, type FormField, type FormValues } from "../../components/fields.tsx";
import { FileDrop } from "../../components/file_input.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { showRefused } from "../../components/toasts.tsx";
import { brandingTexts as texts } from "../../text/branding.ts";
import { words } from "../../text/common.ts";

type Branding = Static<typeof BrandingView>;

const half = { width: "half" } as const;

/** An uploaded file: no merchant uses it before the form is saved. */
interface UploadedLogo {
  readonly id: string;
  readonly url: string;
}

interface BrandFormProps {
  readonly upload: (file: File) => Promise<UploadedLogo>;
}

const fieldsOf = ({ upload }: BrandFormProps): readonly FormField[] => [
  { kind: "text", name: "display_name", label: texts.displayName, help: texts.displayNameHelp, focus: true },
  {
    kind: "custom",
    name: "logo_file_id",
    label: texts.logo,
    render: (editing) => <LogoField editing={editing} upload={upload} />,
  },
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

function LogoField({ editing: { value, set, problem }, upload }: BrandFormProps & { readonly editing: Editing }) {
  const take = async (file: File) => {
    try {
      set((await upload(file)).id);
    } catch (error) {
      showRefused(error);
    }
  };
  return (
    <>
      <FileDrop
        title={texts.dropLogo}
        text={texts.dropLogoText}
        accept="image/png,image/jpeg,image/webp"
        onFile={(file) => void take(file)}
      />
      {value !== "" && <Button kind="plain" icon="close" title={texts.removeLogo} onClick={() => set("")} />}
      <FieldError text={problem()} />
    </>
  );
}

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

/** The branding of a merchant, with a preview of what buyers get. The form previews it before it is saved. */
export function BrandingCard({ merchant }: BrandingCardProps) {
  const { id } = merchant;
  // With a single merchant, no request names it.
  const code = several.value ? merchant.code : null;
  const { data: branding, etag, problem, loading, reload } = useQuery<Branding>(`/merchants/${id}/branding`);
  // The links to uploaded logos by their ids.
  const links = useRef(new Map<string, string>());
  if (loading) return <Skeleton />;
  if (branding === undefined) return problem ? <Notice problem={problem} onRetry={reload} /> : null;
  const upload = async (file: File) => {
    const params = { kind: "logo", name: file.name };
    const { data } = await sendFile<UploadedLogo>("/files", file, { params, merchant: code });
    links.current.set(data.id, data.url);
    return data;
  };
  const edit = {
    title: words.edit,
    icon: "edit",
    permission: "branding.manage",
    match: etag,
    done: texts.saved,
    ask: {
      title: texts.edit,
      wide: true,
      fields: fieldsOf({ upload }),
      record: branding,
      preview: (values: FormValues) => (
        <BrandPreview merchant={merchant} look={lookOf(branding, values, links.current)} />
      ),
    },
    call: { method: "PATCH", path: `/merchants/${id}/branding`, merchant: code },
  } as const;
  return (
    <Card title={texts.title} acts={<ActionButton of={edit} />}>
      <BrandPreview merchant={merchant} look={branding} />
    </Card>
  );
}
/** What buyers see of a merchant. */
type BrandLook = Pick<
  Branding,
  "accent_color" | "display_name" | "logo_url" | "message" | "support_email" | "support_phone" | "website"
>;

/** The look that the entries of the form would give. */
function lookOf(saved: Branding, values: FormValues, links: ReadonlyMap<string, string>): BrandLook {
  const entered = (name: keyof Branding) => String(values[name] ?? "").trim() || null;
  const logo = entered("logo_file_id");
  return {
    accent_color: entered("accent_color"),
    display_name: entered("display_name"),
    logo_url: logo === null ? null : (links.get(logo) ?? saved.logo_url),
    message: entered("message"),
    support_email: entered("support_email"),
    support_phone: entered("support_phone"),
    website: entered("website"),
  };
}

interface BrandPreviewProps extends BrandingCardProps {
  readonly look: BrandLook;
}

/** The tracking page and the packing slip of a merchant, with what is its own in full. */
function BrandPreview({ merchant, look }: BrandPreviewProps) {
  const { accent_color, logo_url, display_name, message } = look;
  const style = accent_color === null ? {} : { background: accent_color, color: textColorOn(accent_color) };
  const name = display_name ?? merchant.name;
  const ways = [look.support_email, look.support_phone, look.website?.replace(/^https?:\/\//, "").replace(/\/$/, "")];
  const contact = ways.filter((way) => way != null);
  const logo = logo_url !== null && (
    <span class="brand-logo">
      <img src={logo_url} alt={texts.logo} />
    </span>
  );
  return (
    <div class="brand-preview">
      <figure>
        <figcaption>{texts.trackingPage}</figcaption>
        <div class="brand-page">
          <div class="brand-top" style={style}>
            {logo}
            <bdi>{name}</bdi>
          </div>
          <p class="brand-title">{texts.sampleStatus}</p>
          <div class="brand-rest" aria-hidden="true" />
          {message !== null && <p class="brand-words">{message}</p>}
          {contact.map((way) => (
            <p key={way}>
              <bdi>{way}</bdi>
            </p>
          ))}
        </div>
      </figure>
      <figure>
        <figcaption>{texts.packingSlip}</figcaption>
        <div class="brand-page brand-paper">
          {logo}
          <p class="brand-title">{texts.packingSlip}</p>
          <p>
            {texts.from} <bdi>{name}</bdi>
          </p>
          <div class="brand-rest" aria-hidden="true" />
          {message !== null && <p class="brand-words">{message}</p>}
          {contact.length > 0 && <p>{contact.join(" · ")}</p>}
        </div>
      </figure>
    </div>
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
