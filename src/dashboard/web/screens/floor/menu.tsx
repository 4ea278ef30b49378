import { session, signOut } from "../../api/session.ts";
import { navigate, to } from "../../browser/router.ts";
import { floorTexts as texts } from "../../text/floor.ts";
import { device, useWarehouse } from "./device.ts";
import { BigButton, BigLink, FloorFrame, useQueue } from "./floor_frame.tsx";

/** What can be done on the floor without a task, the settings of the device, and who is signed in. */
export function FloorMenuScreen() {
  const queue = useQueue();
  const { here } = useWarehouse();
  const leave = async () => {
    await signOut();
    navigate(to("/floor/sign-in", { back: location.pathname + location.search }), { force: true });
    return null;
  };
  return (
    <FloorFrame title={texts.menu} queue={queue}>
      <div class="floor-menu">
        <BigLink path="/floor/settings" icon="settings" title={texts.settings.title} />
        <BigButton icon="signOut" title={texts.changePerson} queue={queue} act={leave} />
      </div>
      <p class="floor-who">{texts.who(session.value?.user.name ?? "", device.value.name, here?.name ?? "")}</p>
    </FloorFrame>
  );
}
