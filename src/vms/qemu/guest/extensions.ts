// vms/qemu/guest/extensions.ts: run a model's extension scripts on a new instance, each once and in order.

import type { CallOptions } from '../../../base/call-options.ts';
import { UserError } from '../../../base/errors.ts';
import type { InstanceRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { instanceRecordOf, poolRecordOf, writeInstanceRecord } from '../home/instance-records.ts';
import { instanceFolder } from '../home/layout.ts';
import { lockPool } from '../home/pool-lock.ts';
import type { InstanceRecord } from '../home/records.ts';
import type { LocalExtension } from '../local-provider.ts';
import { runInGuest, writeInGuest } from './guest.ts';

const CALL_DEADLINE_MS = 60_000;
const LOOK_EVERY_MS = 1_000;
const FOLDER = '/run/headstart-extensions';

type Progress = InstanceRecord['extensions'][number];

/** Returns when all have run. Each script runs as a systemd unit in the guest, so that it survives us and a later command finds it. */
export async function runExtensions(
  context: QemuContext,
  ref: InstanceRef,
  options: CallOptions & { untilMs: number },
): Promise<void> {
  for (;;) {
    const next = nextOf(instanceRecordOf(context.home, ref).extensions);
    if (!next) return;
    const { extension } = next;
    await mark(context, ref, extension.name, 'begun', options);
    await runOne(context, ref, extension, options);
    await mark(context, ref, extension.name, 'done', options);
  }
}

export const hasRun = ({ extensions }: InstanceRecord) => extensions.every(({ state }) => state === 'done');

/** An extension that has begun comes first, then the first without open dependencies. In a dependency cycle: the first open one. */
export function nextOf(all: readonly Progress[]): Progress | undefined {
  const open = all.filter(({ state }) => state !== 'done');
  const isOpen = (name: string) => open.some(({ extension }) => extension.name === name);
  return (
    open.find(({ state }) => state === 'begun') ??
    open.find(({ extension }) => !extension.after.some(isOpen)) ??
    open[0]
  );
}

async function runOne(
  context: QemuContext,
  ref: InstanceRef,
  { name, script }: LocalExtension,
  options: CallOptions & { untilMs: number },
): Promise<void> {
  const { clock } = context;
  const { signal, onWaiting, untilMs } = options;
  const folder = instanceFolder(context.home, ref);
  const unit = `headstart-extension-${name}.service`;
  const run = (...argv: [string, ...string[]]) =>
    runInGuest(context, folder, argv, { deadlineMs: CALL_DEADLINE_MS, signal });
  const state = async () => {
    const shown = await run('systemctl', 'show', '--property=LoadState,ActiveState,Result,ExecMainStatus', unit);
    return new Map(
      shown.stdout
        .toString()
        .split('\n')
        .map((line) => line.split('=', 2) as [string, string]),
    );
  };
  // Marked as begun but not loaded: the guest rebooted in between, so the script runs again.
  if ((await state()).get('LoadState') !== 'loaded') {
    const path = `${FOLDER}/${name}`;
    await run('mkdir', '-p', '-m', '0700', FOLDER);
    await writeInGuest(context, folder, path, Buffer.from(script), signal);
    const begun = await run(
      'systemd-run',
      '--quiet',
      '--no-block',
      `--unit=${unit}`,
      '--property=Type=oneshot',
      '--property=RemainAfterExit=yes',
      '/bin/sh',
      path,
    );
    if (begun.exitCode !== 0)
      throw failed(ref, name, `could not start it: ${begun.stderr.toString().trim().slice(-500)}`);
  }
  for (;;) {
    const seen = await state();
    if (seen.get('ActiveState') === 'active') return;
    if (seen.get('ActiveState') === 'failed')
      throw failed(ref, name, `${seen.get('Result')}, status ${seen.get('ExecMainStatus')}`);
    if (clock.nowMs() >= untilMs) throw failed(ref, name, 'it did not finish in time');
    onWaiting?.(`extension ${name} on ${ref.id}`);
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

async function mark(
  context: QemuContext,
  ref: InstanceRef,
  name: string,
  state: Progress['state'],
  options: CallOptions,
): Promise<void> {
  const { home } = context;
  await lockPool(context.home, ref.pool, `marking extension ${name} of ${ref.id}`, options, async () => {
    const record = instanceRecordOf(home, ref);
    const extensions = record.extensions.map((one) => (one.extension.name === name ? { ...one, state } : one));
    writeInstanceRecord(home, poolRecordOf(home, ref.pool), { ...record, extensions });
  });
}

function failed({ id }: InstanceRef, name: string, why: string): UserError {
  return new UserError(`extension ${name} failed on ${id}: ${why}`, {
    code: 'vms/extension-failed',
    kept: 'The instance is running.',
    next: `read its log with \`headstart pool exec ${id} -- journalctl --unit headstart-extension-${name}\``,
    exitCode: 1,
  });
}
