// vms/qemu/machine/accelerator.ts: can guests run on this machine's own processor? Only a guest that really ran is an answer.

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

/** On a processor of its own a kernel needs about a second; what takes longer is no faster than emulation. */
const PROBE_DEADLINE_MS = 15_000;

const KNOWN = 'accelerator.json';
const knownSchema = z.object({ bootId: z.string(), accelerator: z.enum(['kvm', 'tcg']) });

/**
 * /dev/kvm may be there and refuse, or take a guest and then hang: firmware runs on some where a 64-bit kernel never gets anywhere. So
 * a kernel is booted until it panics for want of a root disk. Asked once per boot of this machine, since hanging takes its time.
 */
export async function accelerator(
  { home, run, hasKvm = canOpenKvm }: { home: string; run: RunCommand; hasKvm?: () => Promise<boolean> },
  vmlinux: string | undefined,
  { signal, onWaiting }: CallOptions = {},
): Promise<Accelerator> {
  if (vmlinux === undefined || !(await hasKvm())) return 'tcg';
  const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => 'unknown');
  const path = join(home, KNOWN);
  const known = readHomeRecord(path, knownSchema);
  if (known?.bootId === bootId) return known.accelerator;
  onWaiting?.('a look at whether KVM really runs a guest here');
  const { outcome, code } = await run(killedWithParent(probeArgv(vmlinux)), { timeoutMs: PROBE_DEADLINE_MS, signal });
  signal?.throwIfAborted();
  const found = outcome === 'exited' && code === 0 ? 'kvm' : 'tcg';
  writeHomeRecord(path, { bootId, accelerator: found });
  return found;
}

/** What one home has found out holds for another on the same machine; nothing is lost when it cannot be passed on. */
export function shareAccelerator(fromHome: string, toHome: string): void {
  try {
    const known = readHomeRecord(join(fromHome, KNOWN), knownSchema);
    if (known) writeHomeRecord(join(toHome, KNOWN), known);
  } catch {
    // Then it is found out again.
  }
}

/** Ends with 0 when the guest came as far as asking for a restart. */
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
