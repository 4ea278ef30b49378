// The life of the Debian package: installed, used, upgraded, removed, purged, installed again. Data stays throughout.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildDeb } from "../../package/deb.ts";
import type { Room } from "./rooms.ts";

/** One check: its name, and what was found instead, or null. */
export interface Look {
  readonly what: string;
  readonly instead: string | null;
}

/** Builds a package of a binary with a version number, quickly. */
export async function buildQuickly(binary: string, fonts: string, version: string, out: string): Promise<void> {
  const architecture = process.arch === "arm64" ? "arm64" : "amd64";
  const made_at = new Date(1_767_225_600_000);
  await buildDeb({ binary, fonts, architecture, version, out, made_at, documents: [], compression: "none" });
}

const settings = "/etc/packhouse/packhouse.env";

/** Checks a room, and collects the results. */
class Looks {
  readonly all: Look[] = [];
  readonly room: Room;
  constructor(room: Room) {
    this.room = room;
  }

  /**
   * Runs a shell command in the room. It must exit with `code`, and its output must match the pattern. Returns the
   * output.
   */
  async see(what: string, line: string, wanted: RegExp = /(?:)/, code = 0): Promise<string> {
    const { code: found, output } = await this.room.run("sh", "-c", line);
    const is_so = found === code && wanted.test(output);
    this.all.push({ what, instead: is_so ? null : `${line} ended with ${found}: ${output.trim().slice(-1500)}` });
    return output;
  }

  /** As `see`, for what happens without a command: repeats the check for a while until it holds. */
  async soon(what: string, line: string, wanted: RegExp): Promise<string> {
    const until = performance.now() + patience_ms;
    while (performance.now() < until && !wanted.test((await this.room.run("sh", "-c", line)).output))
      await Bun.sleep(300);
    return this.see(what, line, wanted);
  }
}

const patience_ms = 60_000;

/** The two packages as paths in the room; the second is newer. */
export interface Packages {
  readonly first: string;
  readonly second: string;
}

/** Puts the packages where a room finds them. */
export function share(room: Room, { first, second }: Packages): Packages {
  copyFileSync(first, join(room.shared.here, "first.deb"));
  copyFileSync(second, join(room.shared.here, "second.deb"));
  return { first: `${room.shared.there}/first.deb`, second: `${room.shared.there}/second.deb` };
}

/** The life of the package without a service manager: everything its scripts do, and its commands. */
export async function lifeOfPackage(room: Room, packages: Packages, port: number): Promise<readonly Look[]> {
  const looks = new Looks(room);
  const see = looks.see.bind(looks);
  const { first, second } = share(room, packages);
  await see("it is installed", `dpkg -i ${first}`);
  await see("its user is created, and cannot sign in", "getent passwd packhouse", /:\/var\/lib\/packhouse:.*nologin/);
  await see("only its user reads its data", "stat -c '%a %U %G' /var/lib/packhouse", /^700 packhouse packhouse\n$/);
  await see("only root reads its settings", `stat -c '%a %U' ${settings}`, /^600 root\n$/);
  await see(
    "it starts when the machine boots",
    "test -e /etc/systemd/system/multi-user.target.wants/packhouse.service",
  );
  await see("it runs", "packhouse version", /^packhouse \d/);
  const make = "packhousectl keys create --name till --mode live";
  await see("a command does not create data by accident", make, /There is no Packhouse data/, 66);
  await see("a command uses the service's data", `${make} --create-data`, /ph_live_/);
  await see(
    "the files it creates belong to its user",
    "stat -c '%a %U' /var/lib/packhouse/live.db",
    /^600 packhouse\n$/,
  );
  await see(
    "other users cannot run such commands",
    `setpriv --reuid=nobody --clear-groups ${make}`,
    /must run as root/,
    2,
  );
  await seeSettingsRead(looks);
  await see("its settings are edited", `echo PACKHOUSE_PORT=${port} >> ${settings}`);
  await see("it is upgraded without a question", `dpkg -i ${second} </dev/null`);
  await see("the edited settings stay", `cat ${settings}`, new RegExp(`^PACKHOUSE_PORT=${port}$`, "m"));
  await see("the data stays", "packhousectl keys list", /till/);
  await seeServing(looks, port);
  await see("it is removed", "dpkg --remove packhouse");
  await see("the program is gone", "test ! -e /usr/bin/packhouse && test ! -e /usr/lib/packhouse");
  await see("data and settings stay", `test -e /var/lib/packhouse/live.db && test -e ${settings}`);
  const stay = /keeping \/etc\/packhouse\/packhouse.env[\s\S]*keeping the data in \/var\/lib\/packhouse/;
  await see("it is purged, and prints what stays", "dpkg --purge packhouse", stay);
  await see("the settings stay, and only root reads them", `stat -c '%a %U' ${settings}`, /^600 root\n$/);
  await see("the data stays", "test -e /var/lib/packhouse/live.db && getent passwd packhouse");
  await see("it is installed again with the same data", `dpkg -i ${second} && packhousectl keys list`, /till/);
  await see("the settings are unchanged", `cat ${settings}`, new RegExp(`^PACKHOUSE_PORT=${port}$`, "m"));
  await see("the data and settings are deleted", `rm -r /var/lib/packhouse/* && sed -i /PORT=${port}/d ${settings}`);
  await see("it is purged and mentions neither", "dpkg --purge packhouse 2>&1 | grep stay", /^$/, 1);
  await see("its folders are deleted", "test ! -e /var/lib/packhouse && test ! -e /etc/packhouse");
  return looks.all;
}

const hostile = "postgres://u:a$HOME$$`touch /ran`@127.0.0.1:1/db?sslmode=disable&x=1;touch /ran; y";
/** Lines of settings as systemd reads them, and the variables they set. */
const lines: readonly (readonly [line: string, set: string])[] = [
  [`PACKHOUSE_DATABASE_URL=${hostile}`, `PACKHOUSE_DATABASE_URL=${hostile}`],
  [` SINGLE = ' ${hostile} \\ "' `, `SINGLE= ${hostile} \\ "`],
  [`DOUBLE="it's $HOME & more "\r`, "DOUBLE=it's $HOME & more "],
  ["WITHIN=a'b\"c=d # e", "WITHIN=a'b\"c=d # e"],
  ["#COMMENT=$(touch /ran)\n ; touch /ran\n\nEMPTY=", "EMPTY="],
  ["LAST=no line's end", "LAST=no line's end"],
];
const givenLines = lines.map(([line]) => line).join("\n");
const refusedLines = ["export A=1", "touch /ran", "A='b", 'A="b\\$c"', "A='b'c'd'", "A=b\\c"];

/** The settings of a PostgreSQL that is unreachable. */
const noPostgres = [
  "PACKHOUSE_DATABASE_URL=postgres://u:p@127.0.0.1:1/db?sslmode=disable&application_name=packhouse",
  `PACKHOUSE_SECRET_KEY=${"5e".repeat(32)}`,
];

/** Checks that a command which prints its environment got the variables that the lines set. */
async function seeSet(looks: Looks, what: string, line: string): Promise<void> {
  const got = (await looks.see(what, line)).split("\n");
  const lost = lines.map(([, set]) => set).filter((set) => !got.includes(set));
  const instead = lost.length === 0 ? null : `without ${lost.join(", ")}`;
  looks.all.push({ what: `${what} verbatim`, instead });
}

/**
 * Gives commands settings that a shell would execute. Checks what they receive, and that lines which systemd reads
 * differently are refused.
 */
async function seeSettingsRead(looks: Looks): Promise<void> {
  const { here, there } = looks.room.shared;
  const see = looks.see.bind(looks);
  const give = (text: string) => {
    writeFileSync(join(here, "given.env"), text);
    return `cat ${there}/given.env >${settings}`;
  };
  await see("the settings are saved", `cp -p ${settings} /root/kept.env`);
  const given = give(givenLines);
  await see("the program is replaced by `env`", `${given} && ln -sf /usr/bin/env /usr/bin/packhouse`);
  await seeSet(looks, "its settings are read", "packhousectl");
  for (const line of refusedLines)
    await see(`${line} is refused`, `${give(`#\n${line}\n`)} && packhousectl`, /^packhousectl: line 2 of /, 2);
  await see("nothing in them was executed", "test ! -e /ran");
  const away = give(`${noPostgres.join("\n")}\n`);
  await see("the program is restored", `${away} && ln -sf ../lib/packhouse/packhouse /usr/bin/packhouse`);
  await see("a command does not use other data", "packhousectl keys list", /ECONNREFUSED 127.0.0.1:1/, 1);
  const unit = readFileSync(join(import.meta.dir, "../../package/deb/packhouse.service"), "utf8");
  const hopeless = /^RestartPreventExitStatus=(.*)$/m.exec(unit)?.[1]?.split(" ") ?? [];
  const { code, output } = await looks.room.run("packhousectl", "serve");
  const again = code !== 0 && !hopeless.includes(String(code)) && /^StartLimitIntervalSec=0$/m.test(unit);
  looks.all.push({
    what: "it keeps starting until PostgreSQL is reachable",
    instead: again ? null : `${code}: ${output}`,
  });
  await see("the settings are restored", `cp -p /root/kept.env ${settings}`);
}

/** Serves as the unit would, checks its health, and stops it gracefully. */
async function seeServing(looks: Looks, port: number): Promise<void> {
  const server = looks.room.start(["packhousectl", "serve"]);
  const decoder = new TextDecoder();
  let output = "";
  for await (const chunk of server.stdout) {
    output += decoder.decode(chunk, { stream: true });
    if (/accepts requests at/.test(output)) break;
  }
  await looks.see(
    "it serves with the edited settings",
    "packhousectl health",
    new RegExp(`^ok at http://127.0.0.1:${port}`),
  );
  await looks.see("it runs as its user", "ps -o user= -C packhouse | sort -u", /^packhous/);
  await looks.see("it receives SIGTERM", "pkill -TERM -x packhouse");
  const code = await server.exited;
  looks.all.push({ what: "it stops gracefully", instead: code === 0 ? null : `exit code ${code}: ${output}` });
}

const startedAgain = (times: number) => new RegExp(`(?=[\\s\\S]*NRestarts=${times}\\n)[\\s\\S]*SubState=running`);
const refused = /(?=[\s\S]*ActiveState=failed)(?=[\s\S]*NRestarts=0)[\s\S]*ExecMainStatus=2\n/;
const active = "systemctl show packhouse -p ActiveState -p SubState -p NRestarts -p MainPID -p Result";

const drops = "/etc/systemd/system/packhouse.service.d";

/** The life of the package under systemd: the unit starts, watches, restarts, reloads and stops it. */
export async function lifeUnderSystemd(room: Room, packages: Packages): Promise<readonly Look[]> {
  const looks = new Looks(room);
  const see = looks.see.bind(looks);
  const soon = looks.soon.bind(looks);
  const { first, second } = share(room, packages);
  const ready = /(?=[\s\S]*ActiveState=active)[\s\S]*SubState=running/;
  await see("it is installed and started", `dpkg -i ${first} && ${active}`, ready);
  await see(
    "systemd knows that it serves",
    "systemctl status packhouse",
    /accepts requests at http:\/\/127.0.0.1:3000/,
  );
  await see("it is healthy", "packhousectl health", /^ok at/);
  await see("it runs as its user", "ps -o user= -C packhouse | sort -u", /^packhous/);
  await see("the unit is valid", 'systemd-analyze verify packhouse.service 2>&1 | grep -v "man packhouse"; true', /^$/);
  const exposure = await see(
    "the unit is locked down",
    "systemd-analyze security packhouse",
    /exposure level.*: [01]\.\d OK/,
  );
  console.log(`  ${/Overall.*/.exec(exposure)?.[0] ?? ""}`);
  await see("a key is created while it runs", "packhousectl keys create --name till --mode live", /ph_live_/);
  const drop = "[Service]\nWatchdogSec=3\n";
  writeFileSync(join(room.shared.here, "watchdog.conf"), drop);
  const reread = `mkdir -p ${drops} && cp ${room.shared.there}/watchdog.conf ${drops}/ && systemctl daemon-reload`;
  await see(
    "its watchdog interval is shortened",
    `${reread} && systemctl restart packhouse && sleep 8 && ${active}`,
    ready,
  );
  await see("it outlives its watchdog interval", active, /NRestarts=0/);
  await see("it is reloaded", `systemctl reload packhouse && ${active}`, ready);
  await see("it is killed", "pkill -KILL -x packhouse");
  await soon("it is restarted", active, startedAgain(1));
  await see("it hangs", "pkill -STOP -x packhouse");
  await soon("it is restarted again", active, startedAgain(2));
  await see("the journal names the cause", "journalctl -u packhouse --no-pager", /Watchdog timeout/);
  const before = /MainPID=(\d+)/.exec((await room.run("sh", "-c", active)).output)?.[1];
  const after = await see("it is upgraded and runs again", `dpkg -i ${second} </dev/null && ${active}`, ready);
  looks.all.push({
    what: "as a new process",
    instead: before !== /MainPID=(\d+)/.exec(after)?.[1] ? null : `still ${before}`,
  });
  await see("the data stays", "packhousectl keys list", /till/);
  await see("it is verified", "packhousectl verify", /live: 0 differences\ntest: 0 differences/);
  await see(
    "it does not start with wrong settings",
    `echo PACKHOUSE_PORT=x >> ${settings}; ! systemctl restart packhouse`,
  );
  await see("it is not retried", `sleep 3; ${active} -p ExecMainStatus`, refused);
  await see(
    "the settings are corrected",
    `sed -i '/PORT=x/d' ${settings} && systemctl restart packhouse && ${active}`,
    ready,
  );
  await seeWaiting(looks);
  await see("it is stopped", `systemctl stop packhouse && ${active}`, /ActiveState=inactive/);
  await see("its exit code is 0", "systemctl show packhouse -p ExecMainStatus", /=0\n/);
  await see(
    "it is started and removed",
    "systemctl start packhouse && dpkg --remove packhouse && ! pgrep -x packhouse",
  );
  await see(
    "it is purged",
    "dpkg --purge packhouse && ! systemctl cat packhouse && test -e /var/lib/packhouse/live.db",
  );
  return looks.all;
}

/** Checks how systemd reads settings, and that it keeps starting the service until PostgreSQL is reachable. */
async function seeWaiting(looks: Looks): Promise<void> {
  writeFileSync(join(looks.room.shared.here, "given.env"), givenLines);
  const given = `EnvironmentFile=${looks.room.shared.there}/given.env`;
  const unit = ["Type=oneshot", given, "StandardOutput=file:/run/reads"];
  const text = ["[Service]", ...unit, "ExecStart=/usr/bin/env"].join("\n");
  writeFileSync(join(looks.room.shared.here, "reads.service"), text);
  const placed = `cp ${looks.room.shared.there}/reads.service /run/systemd/system/ && systemctl daemon-reload`;
  const read = `${placed} && systemctl start reads && cat /run/reads`;
  await seeSet(looks, "systemd reads settings", read);
  const away = noPostgres.map((line) => `echo '${line}' >> ${settings}`).join("; ");
  const often = `printf '[Service]\\nRestartSec=100ms\\n' > ${drops}/often.conf && systemctl daemon-reload`;
  await looks.see("PostgreSQL is unreachable", `${often} && ${away}; ! systemctl restart packhouse`);
  await looks.soon("it is retried", active, /NRestarts=(?:1[2-9]|[2-9]\d)\n/);
  await looks.soon("systemd does not give up", active, /ActiveState=activating/);
  const back = `sed -i '/127.0.0.1:1/d; /SECRET_KEY=5e/d' ${settings} && rm ${drops}/often.conf`;
  await looks.see("PostgreSQL is reachable again", `${back} && systemctl daemon-reload`);
  await looks.soon("it serves again on its own", active, /SubState=running/);
}
