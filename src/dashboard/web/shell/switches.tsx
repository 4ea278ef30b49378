import { chosenMerchant, merchants, several } from "../api/merchants.ts";
import { chosenEnvironment, ownMerchant, session } from "../api/session.ts";
import { base, matchPath, navigate, page_merchant, place, tab_merchant, tabEnvironment } from "../browser/router.ts";
import { MerchantDot } from "../components/badge.tsx";
import { Icon } from "../components/icon.tsx";
import { listed } from "../components/screen.ts";
import { words } from "../text/common.ts";
import { merchantTexts as texts } from "../text/merchants.ts";
import { shellTexts } from "../text/shell.ts";

const screenAt = (path: string) => listed.screens.find((one) => matchPath(one.path, path) !== null);

/** The list of the record at this path, since a record belongs to one merchant. Other paths stay the same. */
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
    if (above !== path) url.search = environmentOf(url);
    url.searchParams.set(tab_merchant, code);
  }
  for (const name of ["page", "cursor", page_merchant]) url.searchParams.delete(name);
  navigate(url.href);
}

const environmentOf = (url: URL) => (url.searchParams.has("mode") ? `?mode=${url.searchParams.get("mode")}` : "");

/** Chooses the merchant that this tab shows. Hidden if there is only one. */
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
          // The user may keep unsaved entries, so the field shows the choice only once it takes effect.
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

/** The merchant switch of phones, which have no sidebar. Merchant users see their merchant's name. */
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

/** Switches the environment and remembers it. A record's screen becomes its list, since records exist in one only. */
function switchEnvironment(): void {
  chosenEnvironment.set(tabEnvironment.value === "live" ? "test" : "live");
  const [section = ""] = location.pathname.slice(base.length + 1).split("/");
  const url = new URL(section === "" ? base : `${base}/${section}`, location.origin);
  if (tabEnvironment.value === "live") url.searchParams.set("mode", "test");
  navigate(url.href);
}

/** The banner on every screen in test mode. */
export function TestBanner() {
  if (tabEnvironment.value !== "test") return null;
  return (
    <div class="test-banner" role="region" aria-label={shellTexts.environment}>
      <Icon name="flask" />
      <span>{shellTexts.testBanner}</span>
      <button type="button" class="plain" onClick={switchEnvironment}>
        {shellTexts.toLive}
      </button>
    </div>
  );
}

/** The switch between live and test data. */
export function EnvironmentSwitch() {
  if ((session.value?.modes.length ?? 0) < 2) return null;
  const other = tabEnvironment.value === "live" ? shellTexts.toTest : shellTexts.toLive;
  return (
    <button type="button" class={`environment ${tabEnvironment.value}`} title={other} onClick={switchEnvironment}>
      <span class="dot" aria-hidden="true" />
      <span>{tabEnvironment.value === "live" ? shellTexts.live : words.test}</span>
      <span class="unseen">. {other}</span>
    </button>
  );
}
