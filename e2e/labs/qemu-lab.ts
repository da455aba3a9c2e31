// e2e/labs/qemu-lab.ts: a home with an empty image: real QEMU processes whose firmware finds nothing to boot.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { type RunCommand, runCommand } from '../../src/base/command.ts';
import { publishVersion } from '../../src/vms/qemu/images/make-version.ts';
import type { PoolSpec, QemuProvider } from '../../src/vms/qemu/local-provider.ts';
import { createQemuProvider } from '../../src/vms/qemu/qemu-provider.ts';

export interface EmptyLab {
  home: string;
  provider: QemuProvider;
  spec(name: string): PoolSpec;
  /** Ids of the processes that run in the home. */
  processes(): number[];
  end(): Promise<void>;
}

export async function makeEmptyLab(): Promise<EmptyLab> {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-qemu-'));
  // Longer than the address of a unix socket, and with all characters that are special to QEMU, slirp or a shell.
  const home = join(folder, `a "home", with 'quotes' = $(id); ${'and more '.repeat(12)}`);
  const provider = emptyProvider(home, runCommand);
  const image = { kind: 'version', id: await publishEmpty(home) } as const;
  const extension = { publisher: 'headstart', script: 'exit 0\n' };
  return {
    home,
    provider,
    spec: (name) => ({
      name,
      image,
      customData: Buffer.from('#cloud-config\nruncmd: [join]\n').toString('base64'),
      extensions: [
        { ...extension, name: 'bootstrap', type: 'CustomScript', after: [] },
        { ...extension, name: 'health', type: 'ApplicationHealthLinux', after: ['bootstrap'] },
      ],
      size: { cpus: 1, memoryMb: 32, diskGb: 1 },
      services: [],
      tags: { team: 'payments' },
    }),
    processes: () => processesIn(home),
    async end() {
      for (const pool of await provider.pools.listPools()) await provider.pools.deletePool(pool.ref);
      rmSync(folder, { recursive: true });
    },
  };
}

export function emptyProvider(home: string, run: RunCommand): QemuProvider {
  return createQemuProvider({
    home,
    clock: systemClock,
    run,
    metadataCommand: ['/bin/false'],
    relayCommand: ['/bin/false'],
    stopGraceMs: 300,
    accelerator: 'tcg',
  });
}

async function publishEmpty(home: string): Promise<string> {
  mkdirSync(home);
  const disk = join(home, 'empty.qcow2');
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', disk, '16M']);
  const traits = { osState: 'generalized', generation: 'V2', architecture: 'x64', securityType: 'Standard' } as const;
  const identity = { publisher: 'headstart', offer: 'empty', sku: 'empty' };
  const definition = { gallery: 'headstart', name: 'empty', ...traits, ...identity };
  const deps = { home, clock: systemClock, run: runCommand };
  return publishVersion(deps, { definition, name: '1.0.0', tags: {} }, { disk });
}

export function processesIn(home: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(home) && readFileSync(`/proc/${pid}/cmdline`).length > 0;
      } catch {
        return false; // ended meanwhile, or not readable
      }
    })
    .map(Number);
}
