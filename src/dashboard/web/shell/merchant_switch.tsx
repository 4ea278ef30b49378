import { chosenMerchant, merchants, several } from "../api/merchants.ts";
import { ownMerchant } from "../api/session.ts";
import { page_merchant, tab_merchant } from "../browser/merchant.ts";
import { base, matchPath, navigate, place } from "../browser/router.ts";
import { Icon } from "../kit/icon.tsx";
import { MerchantDot } from "../kit/merchant_mark.tsx";
import { merchantTexts as texts } from "../texts/merchants.ts";
import { listed } from "./listed.ts";

const screenAt = (path: string) => listed.screens.find((one) => matchPath(one.path, path) !== null);

/** The list above a record: a record is one merchant's only. Another screen stays. */
function listAbove(path: string): string {
  let above = path;
  while (above !== "/" && screenAt(above)?.path !== above) above = above.slice(0, above.lastIndexOf("/")) || "/";
  return above;
}

/** Shows the records of one merchant in this tab, or those of all. */
function choose(code: string): void {
  const url = new URL(location.href);
  const { path } = place.peek();
  if (code === "") url.searchParams.delete(tab_merchant);
  else {
    const above = listAbove(path);
    url.pathname = above === "/" ? base : base + above;
    if (above !== path) url.search = worldOf(url);
    url.searchParams.set(tab_merchant, code);
  }
  for (const name of ["page", "cursor", page_merchant]) url.searchParams.delete(name);
  navigate(url.href);
}

const worldOf = (url: URL) => (url.searchParams.has("world") ? `?world=${url.searchParams.get("world")}` : "");

/** Chooses the merchant that this tab shows. With one merchant there is nothing to choose. */
export function MerchantSwitch() {
  if (!several.value) return null;
  const chosen = chosenMerchant.value;
  return (
    <label class={chosen === null ? "merchant-switch" : "merchant-switch chosen"} title={chosen?.name ?? texts.all}>
      {chosen === null ? <Icon name="users" /> : <MerchantDot merchant={chosen} />}
      <span class="unseen">{texts.merchant}</span>
      <select
        value={chosen?.code ?? ""}
        onChange={(event) => {
          const { value } = event.currentTarget;
          // What was entered may have to be kept, so the field shows the choice only once it is made.
          event.currentTarget.value = chosen?.code ?? "";
          choose(value);
        }}
      >
        <option value="">{texts.all}</option>
        {merchants.value.map(({ id, code, name }) => (
          <option key={id} value={code}>
            {texts.option(code, name)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The switch above the screens of a phone, which has no sidebar; for people of a merchant its name. */
export function MerchantBar() {
  const own = ownMerchant.value;
  if (!several.value && own === null) return null;
  return (
    <div class="merchant-bar">
      <MerchantSwitch />
      {own && (
        <span class="merchant-mark">
          <MerchantDot merchant={own} />
          {own.name}
        </span>
      )}
    </div>
  );
}
