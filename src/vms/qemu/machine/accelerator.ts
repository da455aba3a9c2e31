// vms/qemu/machine/accelerator.ts: does KVM work on this machine? Only a guest that really booted is proof.

import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { CallOptions } from '../../../base/call-options.ts';
import type { RunCommand } from '../../../base/command.ts';
import type { ToolArgv } from '../../../host/required-tools.ts';
import { killedWithParent } from '../../../host/run-tool.ts';
import { readHomeRecord, writeHomeRecord } from '../home/record-file.ts';
import type { Accelerator } from './command-line.ts';

/** With KVM a kernel boots in about a second; anything slower is no better than emulation. */
const PROBE_DEADLINE_MS = 15_000;

const KNOWN = 'accelerator.json';
const knownSchema = z.object({ bootId: z.string(), accelerator: z.enum(['kvm', 'tcg']) });

/**
 * /dev/kvm may exist and refuse, or start a guest and then hang: on some machines firmware runs but a 64-bit kernel never boots. So we
 * boot a kernel until it panics because it has no root disk. The result is cached per boot of this machine, since a hang takes 15 s.
 */
export async function accelerator(
  { home, run, hasKvm = canOpenKvm }: { home: string; run: RunCommand; hasKvm?: () => Promise<boolean> },
  vmlinux: string | undefined,
  { signal, onWaiting }: CallOptions = {},
): Promise<Accelerator> {
  if (vmlinux === undefined || !(await hasKvm())) return 'tcg';
  const known = await testedAccelerator(home);
  if (known) return known;
  onWaiting?.('a test boot to see whether KVM works');
  const { outcome, code } = await run(killedWithParent(probeArgv(vmlinux)), { timeoutMs: PROBE_DEADLINE_MS, signal });
  signal?.throwIfAborted();
  const found = outcome === 'exited' && code === 0 ? 'kvm' : 'tcg';
  writeHomeRecord(join(home, KNOWN), { bootId: await readBootId(), accelerator: found });
  return found;
}

/** The result of the test boot since this machine started; undefined if there was none. */
export async function testedAccelerator(home: string): Promise<Accelerator | undefined> {
  const known = readHomeRecord(join(home, KNOWN), knownSchema);
  return known?.bootId === (await readBootId()) ? known.accelerator : undefined;
}

function readBootId(): Promise<string> {
  return readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => 'unknown');
}

/** Copies the cached result to another home on the same machine. Best effort. */
export function shareAccelerator(fromHome: string, toHome: string): void {
  try {
    const known = readHomeRecord(join(fromHome, KNOWN), knownSchema);
    if (known) writeHomeRecord(join(toHome, KNOWN), known);
  } catch {
    // The other home probes again.
  }
}

/** QEMU exits with 0 when the guest got as far as requesting a reboot. */
function probeArgv(vmlinux: string): ToolArgv {
  const bare = ['-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'];
  const machine = ['-machine', 'q35', '-accel', 'kvm', '-cpu', 'max', '-m', '256'];
  return ['qemu-system-x86_64', ...bare, ...machine, '-kernel', vmlinux, '-append', 'panic=-1 quiet'];
}

async function canOpenKvm(): Promise<boolean> {
  return access('/dev/kvm', constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
}
