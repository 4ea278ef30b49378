// The current state of settings for their cards, such as "3 keys". Each is read with one cheap request.
import type { ComponentType } from "preact";
import type { Permission } from "../../../../http/auth/permissions.ts";
import type { BackupSettings, MailSettings, Server } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { may, session } from "../../api/session.ts";
import type { AuditEntry } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { now } from "../../components/now.ts";
import { ago } from "../../text/format.ts";
import { overviewTexts } from "../../text/settings_cards.ts";

const texts = overviewTexts.states;

interface CountedList {
  readonly method: "GET";
  readonly path: string;
  /** Whether the API lists all records at once. */
  readonly whole?: true;
  readonly permission?: Permission;
}

/** The number of records in a list. */
function counted({ path, whole, permission }: CountedList, text: (count: number) => string, none: string = texts.none) {
  return function Counted() {
    const list = may(permission) ? path : null;
    const { data, pagination } = useQuery<readonly unknown[]>(list, whole ? undefined : { limit: 1 });
    const total = pagination === null ? data?.length : pagination.total;
    return total === undefined ? null : total === 0 ? none : text(total);
  };
}

function BackupState() {
  const { data } = useQuery<BackupSettings>("/backups/settings");
  if (data === undefined) return null;
  if (data.late) return <Badge tone="warning">{texts.backupsLate}</Badge>;
  if (!data.configured) return <Badge tone="warning">{texts.notSetUp}</Badge>;
  const at = data.last?.ended_at ?? null;
  return at === null ? texts.none : texts.lastBackup(ago(at, now.value));
}

function MailState() {
  const { data } = useQuery<MailSettings>("/mail");
  return data && (data.configured ? data.server?.address : texts.notSetUp);
}

function ServerState() {
  const { data = [] } = useQuery<readonly Server[]>("/servers");
  const [first, ...others] = data;
  if (first === undefined) return null;
  if (others.some(({ version }) => version !== first.version)) return <Badge tone="warning">{texts.unlike}</Badge>;
  return texts.servers(data.length, first.version);
}

function AuditState() {
  const { data } = useQuery<readonly AuditEntry[]>("/audit", { limit: 1 });
  const [last] = data ?? [];
  return last === undefined ? null : texts.last(ago(last.created_at, now.value));
}

function FactorState() {
  const { user } = session.value ?? {};
  return user === undefined ? null : user.second_factor ? texts.factorOn : texts.factorOff;
}

/** What shows the state of a setting, by the path of its screen. */
export const cardStates: Readonly<Record<string, ComponentType>> = {
  "/settings/house": counted({ method: "GET", path: "/inventory/locations", whole: true }, texts.warehouses),
  "/settings/users": counted({ method: "GET", path: "/users" }, texts.users),
  "/settings/profile": FactorState,
  "/settings/merchants": counted({ method: "GET", path: "/merchants" }, texts.merchants),
  "/settings/platforms": counted({ method: "GET", path: "/platforms" }, texts.stores),
  "/settings/privacy": counted({ method: "GET", path: "/erasures" }, texts.erasures),
  "/shipping/carriers": counted(
    { method: "GET", path: "/shipping/carrier_accounts", permission: "shipping.manage" },
    texts.accounts,
    texts.noAccounts,
  ),
  "/shipping/rate_cards": counted({ method: "GET", path: "/shipping/rate_cards" }, texts.rateCards),
  "/settings/keys": counted({ method: "GET", path: "/keys" }, texts.keys),
  "/settings/webhooks": counted({ method: "GET", path: "/webhooks" }, texts.webhooks),
  "/settings/backups": BackupState,
  "/settings/servers": ServerState,
  "/settings/mail": MailState,
  "/settings/audit": AuditState,
};
