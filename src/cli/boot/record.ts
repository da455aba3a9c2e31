// cli/boot/record.ts: `headstart boot record`: saves the record of this boot, or installs a timer that records every boot.
import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { type Argv, runCommand } from '../../base/command.ts';
import { parseSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { ownLauncher } from '../../base/own-files/own-files.ts';
import { pruneRecords, RECORDS_FOLDER, recordPath, storeRecord } from '../../boot/keep/record-store.ts';
import {
  ensureInstalled,
  ensureUninstalled,
  type RecordUnit,
  recordUnit,
  refuseHiddenLauncher,
  SERVICE,
  TIMER,
} from '../../boot/keep/record-unit.ts';
import { printJson } from '../output/json.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { type BootOptions, readBoot, withBootOptions, withInputArguments } from './read-boot.ts';

interface Options extends BootOptions {
  dir: string;
  keep: string;
  settle?: string;
  install?: boolean;
  uninstall?: boolean;
  root?: string;
  launcher: string;
  dryRun?: boolean;
}

const LAUNCHER = ownLauncher(new URL('../../../headstart', import.meta.url));

export const verb: Verb = {
  examples: [
    'boot record',
    'boot record --install',
    'boot record --install --root image-root --launcher /usr/bin/headstart',
  ],
  configure(command) {
    withInputArguments(withBootOptions(command))
      .option('--dir <DIR>', 'the folder with the records', RECORDS_FOLDER)
      .option('--keep <N>', 'how many records to keep; older ones are deleted', '100')
      .option('--settle <SPAN>', 'wait until systemd has finished the boot, at most this long, before recording')
      .option('--install', 'install a systemd timer that records every boot three minutes after its start')
      .option('--uninstall', 'remove the timer; the records stay')
      .option('--root <DIR>', 'with --install and --uninstall: the root folder of an image instead of this machine')
      .addOption(
        new Option('--launcher <PATH>', 'with --install: the headstart that the unit runs').default(
          LAUNCHER,
          'the one that is running',
        ),
      )
      .option('--dry-run', 'print what would be written or removed, and do nothing');
  },
  async run(_args, options: Options, deps) {
    const keep = positive(options.keep);
    if (options.install && options.uninstall) throw usage('--install and --uninstall exclude each other');
    if (options.install && options.dir !== RECORDS_FOLDER)
      throw usage(`--dir ${options.dir}: the installed timer always records into ${RECORDS_FOLDER}`);
    if (options.host !== undefined && (options.install || options.uninstall || options.settle !== undefined))
      throw usage('--host is for recording a boot now: --install, --uninstall and --settle work on this machine only');
    if (options.install && options.root === undefined) refuseHiddenLauncher(options.launcher);
    if (options.install || options.uninstall) {
      const unit = recordUnit({ launcher: options.launcher, keep, root: options.root ?? '' });
      return options.install ? install(unit, options, deps) : uninstall(unit, options, deps);
    }
    if (options.settle !== undefined) await waitForBoot(options.settle, deps);
    await record(options, keep, deps);
  },
};

async function record(options: Options, keep: number, deps: CliDeps): Promise<void> {
  const boot = await readBoot(options, deps);
  if (options.dryRun) {
    const path = recordPath(boot, options.dir);
    if (options.json) printJson(deps, 'BootRecorded', { isDryRun: true, bootId: boot.bootId, path, keep });
    else deps.stdout(`would write ${path} and keep the newest ${keep}\n`);
    return;
  }
  const { path, bytes } = storeRecord(boot, options.dir);
  const removed = pruneRecords(options.dir, keep);
  deps.stderr(
    `recorded boot ${boot.bootId} (${bytes} bytes)${removed.length > 0 ? `, removed ${removed.length} old` : ''}\n`,
  );
  if (options.json) printJson(deps, 'BootRecorded', { isDryRun: false, bootId: boot.bootId, path, bytes, removed });
  else deps.stdout(`${path}\n`);
}

/** An unfinished boot is recorded, too: it is the most interesting one. */
async function waitForBoot(span: string, deps: CliDeps): Promise<void> {
  const us = parseSpan(span);
  if (us === undefined) throw usage(`--settle: ${JSON.stringify(span)} is not a time span such as 30min`);
  const argv: Argv = ['systemctl', 'is-system-running', '--wait'];
  const ran = await runCommand(argv, { timeoutMs: Math.ceil(us / 1000), signal: deps.signal(), env: deps.env });
  if (ran.outcome === 'timed-out')
    deps.stderr(`warning: the boot was not finished after ${span}; recording it as unfinished\n`);
}

async function install(unit: RecordUnit, { root, dryRun, json }: Options, deps: CliDeps): Promise<void> {
  const start: Argv[] = isSystemdHere(root)
    ? [
        ['systemctl', 'daemon-reload'],
        ['systemctl', 'start', TIMER],
      ]
    : [];
  if (json) printJson(deps, 'BootRecordInstall', { isDryRun: dryRun === true, ...unit, commands: start });
  if (dryRun) {
    if (!json) for (const { path, text } of unit.files) deps.stdout(`# ${path}\n${text}\n`);
    if (!json)
      deps.stdout(
        `# ${unit.link.path} -> ${unit.link.target}\n${start.map((argv) => `# ${argv.join(' ')}\n`).join('')}`,
      );
    return;
  }
  ensureInstalled(unit);
  for (const argv of start) await mustRun(argv, deps);
  for (const { path } of unit.files) deps.stderr(`wrote ${path}\n`);
  deps.stderr(
    start.length > 0 ? `${TIMER} is running\n` : `${TIMER} will run from the next boot; systemd is not running here\n`,
  );
}

async function uninstall(unit: RecordUnit, { root, dryRun, dir, json }: Options, deps: CliDeps): Promise<void> {
  const isLive = isSystemdHere(root);
  const paths = [unit.link.path, ...unit.files.map((file) => file.path)];
  if (dryRun) {
    if (json) printJson(deps, 'BootRecordUninstall', { isDryRun: true, paths });
    else deps.stdout(paths.map((path) => `would remove ${path}\n`).join(''));
    return;
  }
  // Also stop the service: it may be waiting for the end of this boot, and would keep running without its unit.
  if (isLive && existsSync(unit.files[1]!.path)) await mustRun(['systemctl', 'stop', TIMER, SERVICE], deps);
  const removed = ensureUninstalled(unit);
  if (isLive && removed.length > 0) await mustRun(['systemctl', 'daemon-reload'], deps);
  if (json) printJson(deps, 'BootRecordUninstall', { isDryRun: false, paths: removed });
  for (const path of removed) deps.stderr(`removed ${path}\n`);
  deps.stderr(removed.length > 0 ? `the records in ${dir} stay\n` : 'nothing to do: not installed\n');
}

function isSystemdHere(root: string | undefined): boolean {
  return root === undefined && existsSync('/run/systemd/system');
}

async function mustRun(argv: Argv, deps: CliDeps): Promise<void> {
  const ran = await runCommand(argv, { signal: deps.signal(), env: deps.env });
  if (ran.code === 0) return;
  throw new UserError(`${argv.join(' ')} failed: ${ran.stderr.trim() || ran.outcome}`, {
    code: 'boot/systemctl-failed',
    next: `run \`${argv.join(' ')}\` as root and check its output`,
    exitCode: 1,
  });
}

function positive(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw usage(`--keep: ${JSON.stringify(text)} is not a number of at least 1`);
}

function usage(message: string): UserError {
  return new UserError(message, { code: 'boot/bad-usage', next: 'headstart boot record --help' });
}
