// e2e/programs/ensure-containerd.ts: the containerd and runc that Debian has, as programs in a cache outside the tree: nothing is installed on this machine.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type RunCommand, runCommand } from '../../src/base/command.ts';
import { fetchDebian } from '../../src/container/fetch-debian.ts';
import { cacheFolder } from './ensure-helm.ts';

export interface ContainerdPrograms {
  /** The folder for PATH, because containerd runs the other programs by name. */
  folder: string;
  containerd: string;
  ctr: string;
}

const PROGRAMS = ['usr/bin/containerd', 'usr/bin/ctr', 'usr/bin/containerd-shim-runc-v2', 'usr/sbin/runc'];

export async function ensureContainerd(): Promise<ContainerdPrograms> {
  const folder = join(cacheFolder(), 'containerd');
  if (!existsSync(folder)) await fetchInto(folder);
  return { folder, containerd: join(folder, 'containerd'), ctr: join(folder, 'ctr') };
}

/** The unpacked package is larger than the usual limit of a program's output. */
const run: RunCommand = (argv, options) => runCommand(argv, { maxBytes: 512 << 20, ...options });

async function fetchInto(folder: string): Promise<void> {
  console.error(`fetching Debian's containerd and runc (once, 28 MB; kept in ${folder})`);
  mkdirSync(cacheFolder(), { recursive: true });
  const temporary = mkdtempSync(join(cacheFolder(), '.containerd-'));
  try {
    const packages = await fetchDebian(['containerd', 'runc'], temporary, run);
    const programs = join(temporary, 'programs');
    mkdirSync(programs);
    for (const path of PROGRAMS) {
      const bytes = packages.map(({ files }) => files.get(path)).find((file) => file !== undefined);
      if (!bytes) throw new Error(`${path} is in neither of Debian's packages containerd and runc`);
      writeFileSync(join(programs, basename(path)), bytes, { mode: 0o755 });
    }
    renameSync(programs, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
