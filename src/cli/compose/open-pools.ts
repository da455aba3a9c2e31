// cli/compose/open-pools.ts: opens the pools of this machine with everything they need: metadata, relay, scrub, cluster.
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { runCommand } from '../../base/command.ts';
import { joinLocalCluster } from '../../local/join-cluster.ts';
import type { QemuOptions } from '../../vms/qemu/context.ts';
import type { QemuProvider } from '../../vms/qemu/local-provider.ts';
import { type HomeOptions, homeFolder, withHomeOption } from '../pool/home.ts';
import type { CliDeps } from '../verb.ts';
import { guestCommands } from './guest-commands.ts';
import { refillInBackground } from './refill-in-background.ts';

export interface PoolOptions extends HomeOptions {
  json?: boolean;
}

/** How the copy of a donor's disk is changed. */
export interface CaptureOptions {
  /** false: the copy keeps the donor's identity, and only the clone check replaces it at boot. */
  scrub?: boolean;
  /** off: clones do not run cloud-init. */
  cloudInit?: 'on' | 'off';
}

/** `read` needs no QEMU; `run` reports every missing program at once. */
export type Purpose = 'read' | 'run';

/** A parameter of verbs, so that tests can pass a fake. */
export type OpenPools = (
  options: HomeOptions & CaptureOptions,
  deps: CliDeps,
  purpose?: Purpose,
) => Promise<QemuProvider>;

export function withPoolOptions(command: Command): Command {
  return withHomeOption(command).option('--json', 'print JSON instead of text');
}

export const openPools: OpenPools = async (options, deps, purpose = 'read') => {
  if (purpose === 'run') {
    const { requireTools } = await import('../../host/required-tools.ts');
    const { POOL_TOOLS } = await import('../../vms/qemu/required-tools.ts');
    const isRoot = process.getuid?.() === 0;
    requireTools(POOL_TOOLS, { path: deps.env.PATH, isRoot, code: 'pool/missing-programs' });
  }
  const { createQemuProvider } = await import('../../vms/qemu/qemu-provider.ts');
  const scrub = scrubOf(options);
  const home = homeFolder(options, deps.env);
  return createQemuProvider({
    home,
    joinCluster: joinLocalCluster(home),
    refill: ({ name }) => refillInBackground(home, name, deps.env),
    clock: systemClock,
    run: runCommand,
    ...guestCommands(deps.env),
    ...(scrub && { scrub }),
    ...(options.cloudInit === 'off' && { cloudInit: 'off' }),
  });
};

const SCRUB_MS = 30 * 60_000;

/** The copy is checked again from outside after the edit; see vms/qemu/scrub. Loads the modules only when a copy is made. */
function scrubOf({ scrub, cloudInit }: CaptureOptions): QemuOptions['scrub'] {
  if (scrub === false && cloudInit !== 'off') return undefined;
  return async (copy, call) => {
    const [{ scrubDisk }, { COPY_ROOT }, { SCRUB_ITEMS, scrubScript }] = await Promise.all([
      import('../../vms/qemu/scrub/scrub-disk.ts'),
      import('../../vms/qemu/scrub/scrub-init.ts'),
      import('../../clone-check/seal-script.ts'),
    ]);
    await scrubDisk(
      {
        ...copy,
        ...(scrub !== false && { script: { text: scrubScript(COPY_ROOT), items: SCRUB_ITEMS } }),
        ...(cloudInit === 'off' && { cloudInit }),
      },
      { run: runCommand, deadlineMs: SCRUB_MS, ...call },
    );
  };
}
