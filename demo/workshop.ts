// demo/workshop.ts: what the demo prepares before the first VM and removes afterwards: the base image, packages, a server.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { type RunCommand, runCommand } from '../src/base/command.ts';
import { guestCommands } from '../src/cli/compose/guest-commands.ts';
import { writeAll } from '../src/cli/streams.ts';
import { toolPath } from '../src/host/required-tools.ts';
import { ensureBase } from '../src/vms/qemu/base/build-base.ts';
import { baseRecipe } from '../src/vms/qemu/base/recipe.ts';
import { createQemuProvider } from '../src/vms/qemu/qemu-provider.ts';
import { ensurePackages } from './packages.ts';
import { type FileServer, serveFiles } from './serve-files.ts';

export interface Workshop {
  /** A separate home, so that the demo touches no user data and can remove everything. */
  home: string;
  packages: string[];
  server: FileServer;
  close(): Promise<void>;
}

export async function openWorkshop(signal: AbortSignal): Promise<Workshop> {
  writeAll(1, '== 0. the base image and the packages (kept for the next time)\n');
  const { cache, packages, packagesFolder, furnish, run } = await ensureSupplies(signal);
  const home = mkdtempSync(join(cache, 'demo-'));
  furnish(home);
  const server = await serveFiles(packagesFolder);
  return { home, packages, server, close: () => closeWorkshop(home, server, run) };
}

/** The cache that demos and tests share. */
export interface Supplies {
  /** The folder for separate homes. */
  cache: string;
  packages: string[];
  packagesFolder: string;
  /** Puts the base image into a home. */
  furnish(home: string): void;
  run: RunCommand;
}

export async function ensureSupplies(signal: AbortSignal): Promise<Supplies> {
  const isRoot = process.getuid?.() === 0;
  const env = { ...process.env, PATH: toolPath(process.env.PATH) };
  const run: RunCommand = (argv, options) => runCommand(argv, { env, ...options });
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'headstart');
  const images = join(cache, 'vms');
  const recipe = baseRecipe('bookworm');
  const base = await ensureBase(
    recipe,
    { refresh: false },
    { home: images, clock: systemClock, run, isRoot },
    { signal, onWaiting: tellOnce() },
  );
  writeAll(1, `${base.id}${base.isNew ? '' : ', built earlier'}\n`);
  const disk = join(images, base.id, 'disk.qcow2');
  const packagesFolder = join(cache, 'demo', base.record.name);
  mkdirSync(dirname(packagesFolder), { recursive: true });
  const packages = await ensurePackages({ disk, suite: recipe.suite, folder: packagesFolder }, run);
  writeAll(1, `${packages.length} packages for nodes to install\n`);
  const furnish = (home: string) => {
    cpSync(join(images, dirname(base.id)), join(home, dirname(base.id)), { recursive: true });
    // Slow facts about this machine (does KVM work?) are reused in the demo.
    const accelerator = join(images, 'accelerator.json');
    if (existsSync(accelerator)) cpSync(accelerator, join(home, 'accelerator.json'));
  };
  return { cache, packages, packagesFolder, furnish, run };
}

async function closeWorkshop(home: string, server: FileServer, run: RunCommand): Promise<void> {
  const provider = createQemuProvider({ home, clock: systemClock, run, stopGraceMs: 0, ...guestCommands(process.env) });
  for (const { ref } of await provider.pools.listPools()) await provider.pools.deletePool(ref);
  await server.close();
  rmSync(home, { recursive: true, force: true });
  writeAll(1, 'cleaned up: no VM runs, its disks are gone\n');
}

function tellOnce(): (what: string) => void {
  let told = '';
  return (what) => {
    if (what !== told) writeAll(2, `waiting for ${what}\n`);
    told = what;
  };
}
