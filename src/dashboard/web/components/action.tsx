// Actions on records as data: the button, the question, the request and the report of each.
import type { ComponentChildren } from "preact";
import type { Permission } from "../../../http/auth/permissions.ts";
import { type ApiCall, type ApiReply, callApi, isOutdated, type Rehearsal } from "../api/client.ts";
import { may } from "../api/session.ts";
import { navigate } from "../browser/router.ts";
import { previewTexts, words } from "../text/common.ts";
import { Button, LinkButton } from "./button.tsx";
import { confirm, openDialog } from "./dialog.tsx";
import { Effects } from "./effects.tsx";
import type { FormValues } from "./fields.tsx";
import { FormDialog, type FormDialogProps } from "./form.tsx";
import { bodyOf } from "./form_values.ts";
import type { IconName } from "./icon.tsx";
import { ActionMenu, type MenuAct } from "./menu.tsx";
import { showRefused, showSuccess } from "./toasts.tsx";

/** What an action asks before it sends its request: for confirmation or, with `fields`, for entries. */
interface ActionQuestion
  extends Pick<FormDialogProps, "title" | "text" | "stay" | "danger" | "wide">,
    Partial<Pick<FormDialogProps, "fields" | "record" | "first" | "submit">> {
  /** Whether it changes a record, as with `record`: its button saves, once something is changed. */
  readonly edits?: boolean;
  /** Content below the fields. */
  readonly preview?: (values: FormValues) => ComponentChildren;
  /** The effects of the request as texts. Its rehearsal is then shown before it is sent. */
  readonly explain?: (rehearsal: Rehearsal<never>) => readonly string[];
}

/**
 * An action on a record. Where a function takes the data of the response, it names their type, so that actions with
 * different responses fit in one list.
 */
export interface Action {
  readonly title: string;
  readonly icon?: IconName | undefined;
  /** Shown as a button of this kind, and not in the menu. */
  readonly button?: boolean | "primary" | "plain";
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly permission?: Permission;
  /** Whether it is possible now. */
  readonly when?: boolean;
  /** Asked first. Without a question, the action runs immediately. */
  readonly ask?: ActionQuestion;
  /** The request, with the body that the fields make unless it has its own; null while the entries are incomplete. */
  readonly call?: ApiCall | ((values: FormValues, body: FormValues) => ApiCall | null);
  /**
   * The ETag of the shown record: the action is refused if someone else changed it. After a change by this tab, it is
   * possible again once the record has been read.
   */
  readonly match?: string | null;
  /** Runs instead of `call`, such as to open a dialog. If it returns a response, that is passed to what follows. */
  readonly run?: (values: FormValues, key: string | undefined) => unknown;
  /** The address of a screen to open. Nothing is asked or sent then. */
  readonly href?: string;
  /** The success message. */
  readonly done?: string | ((data: never, values: FormValues) => string);
  /** The action offered with the success message, such as undo. */
  readonly next?: (data: never, values: FormValues) => Action | undefined;
  /** Runs after it has succeeded, such as to open the created record. */
  readonly after?: (data: never, values: FormValues) => void;
}

/** Whether the signed-in user may run the action now. */
export const isPossible = ({ permission, when = true }: Action) => when && may(permission);

function requestOf({ call, ask }: Action, values: FormValues): ApiCall | null {
  const body = ask?.fields && bodyOf(ask.fields, values, ask.record);
  if (typeof call === "function") return call(values, body ?? {});
  return call === undefined ? null : { body, ...call };
}

async function send(action: Action, values: FormValues, key?: string): Promise<ApiReply<never> | null> {
  const { call, match, run } = action;
  if (call === undefined) return ((await run?.(values, key)) ?? null) as ApiReply<never> | null;
  const request = requestOf(action, values);
  if (request === null) throw new Error(previewTexts.incomplete);
  return await callApi<never>(request, { key, match });
}

function report({ done, next, after }: Action, reply: ApiReply<never> | null, values: FormValues): void {
  const data = reply?.data as never;
  const offered = next?.(data, values);
  const text = typeof done === "function" ? done(data, values) : done;
  if (text) showSuccess(text, offered && { title: offered.title, run: () => act(offered) });
  after?.(data, values);
}

/** Runs an action: asks, sends the request, and shows its success or why it was refused. */
export function act(action: Action): void {
  const { title, danger = false, ask, href } = action;
  let reply: ApiReply<never> | null = null;
  const run = async () => {
    reply = await send(action, {});
  };
  if (href !== undefined) navigate(href);
  else if (ask === undefined) void run().then(() => report(action, reply, {}), showRefused);
  else if (ask.fields === undefined) {
    const { submit = title, text = "" } = ask;
    const asked = confirm({ danger, ...ask, text, act: submit, run });
    void asked.then((is_done) => is_done && report(action, reply, {}));
  } else openDialog((close) => <ActionDialog action={action} ask={ask} onClose={close} />);
}

interface ActionDialogProps {
  readonly action: Action;
  readonly ask: ActionQuestion;
  readonly onClose: () => void;
}

/** The fields of an action, a preview, and the button that runs it. */
function ActionDialog({ action, ask: { preview, explain, edits, ...ask }, onClose }: ActionDialogProps) {
  const { title, danger } = action;
  const is_edit = edits ?? ask.record !== undefined;
  return (
    <FormDialog
      fields={[]}
      submit={is_edit ? words.save : title}
      unchanged={!is_edit}
      danger={danger}
      {...ask}
      onClose={onClose}
      onSubmit={async (values, key) => {
        const reply = await send(action, values, key);
        onClose();
        report(action, reply, values);
      }}
    >
      {(values) => (
        <>
          {preview?.(values)}
          {explain && <Effects act={requestOf(action, values)} explain={explain} />}
        </>
      )}
    </FormDialog>
  );
}

/** The possible actions as items of a menu. */
export function menuItems(actions: readonly Action[]): MenuAct[] {
  return actions.filter(isPossible).map((action) => {
    const { title, icon, danger = false, disabled = isOutdated(action.match) } = action;
    return { title, danger, disabled, run: () => act(action), ...(icon === undefined ? {} : { icon }) };
  });
}

/** The button of an action, if it is possible. `name` is its accessible name where only the icon is shown. */
export function ActionButton({ of: action, name }: { readonly of: Action; readonly name?: string }) {
  if (!isPossible(action)) return null;
  const { title, icon, button, danger = false, disabled = isOutdated(action.match), href } = action;
  const kind = name !== undefined ? "plain" : typeof button === "string" ? button : danger ? "danger" : "normal";
  const look = { title: name ?? title, kind, ...(icon === undefined ? {} : { icon }) } as const;
  if (href !== undefined) return <LinkButton {...look} href={href} />;
  return <Button {...look} iconOnly={name !== undefined} disabled={disabled} onClick={() => act(action)} />;
}

interface ActionsProps {
  /** The most important first. Buttons are at the right of the menu, the first one last. */
  readonly of: readonly Action[];
  /** The accessible name of the menu. */
  readonly name?: string;
}

/** The possible actions on a record: a menu and buttons. */
export function Actions({ of: actions, name }: ActionsProps) {
  const inMenu = actions.filter(({ button = false }) => button === false);
  const buttons = actions.filter((action) => !inMenu.includes(action)).reverse();
  return (
    <>
      <ActionMenu items={menuItems(inMenu)} {...(name === undefined ? {} : { name })} />
      {buttons.map((action) => (
        <ActionButton key={action.title} of={action} />
      ))}
    </>
  );
}
