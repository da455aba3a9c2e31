import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readMachine } from './read-machine.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-doctor-'));
  mkdirSync(join(home, 'bin'));
});
afterEach(() => rmSync(home, { recursive: true }));

const env = (more: Record<string, string> = {}) => ({ HOME: home, PATH: join(home, 'bin'), ...more });
const install = (program: string, script = '') =>
  writeFileSync(join(home, 'bin', program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

describe('the facts about a machine', () => {
  it('have each program of the required tools, found on PATH', async () => {
    install('genisoimage');
    const { programs } = await readMachine([], {}, { env: env() });
    const isThere = Object.fromEntries([...programs.pool, ...programs.image].map((one) => [one.program, one.isThere]));
    expect(isThere.genisoimage).toBe(true);
    expect(Object.keys(isThere)).toEqual(expect.arrayContaining(['qemu-system-x86_64', 'mmdebstrap', 'lz4']));
  });

  it('have the programs of Kubernetes that are not in the cache', async () => {
    const before = await readMachine([], {}, { env: env({ HEADSTART_CACHE: home }) });
    expect(before.unbuiltPrograms).toContain('etcd');
    const folder = join(home, 'kube/v1.35.8');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'etcd'), '', { mode: 0o755 });
    const after = await readMachine([], {}, { env: env({ HEADSTART_CACHE: home }) });
    expect(after.unbuiltPrograms).toEqual(before.unbuiltPrograms.filter((name) => name !== 'etcd'));
  });

  it.each([
    [
      'echo \'{"GOVERSION":"go1.99.0","GOCACHE":"/x"}\'',
      { isThere: true, detail: expect.stringContaining('go1.99.0') },
    ],
    [
      'echo \'{"GOVERSION":"go1.19.0","GOCACHE":"/x"}\'',
      { isThere: false, detail: expect.stringContaining('too old') },
    ],
    ['[ "$GOTOOLCHAIN" = local ] && exit 1; echo "{}"', { isThere: false, fix: expect.stringContaining('install Go') }],
  ])('have what go says, which downloads nothing: %s', async (script, expected) => {
    install('go', script);
    const deps = { env: env({ HEADSTART_CACHE: home }) };
    expect((await readMachine(['cluster'], {}, deps)).go).toMatchObject(expected);
    expect((await readMachine(['boot'], {}, deps)).go.detail).toBe('not asked for');
  });

  it('change nothing: go writes counters into the config folder of the user', async () => {
    const counts = '[ "$XDG_CONFIG_HOME" ] || XDG_CONFIG_HOME=$HOME/.config; mkdir -p "$XDG_CONFIG_HOME/go/telemetry"';
    install('go', `${counts}; echo '{"GOVERSION":"go1.99.0","GOCACHE":"/x"}'`);
    const config = join(home, 'config');
    for (const more of [{}, { XDG_CONFIG_HOME: config }]) {
      const deps = { env: env({ HEADSTART_CACHE: home, PATH: `${join(home, 'bin')}:/usr/bin:/bin`, ...more }) };
      expect((await readMachine(['cluster'], {}, deps)).go).toMatchObject({ isThere: true });
    }
    expect(readdirSync(home)).toEqual(['bin']);
  });

  it('have the cluster of the kubeconfig and the settings of Azure, when asked for', async () => {
    const options = { kubeconfig: join(home, 'missing') };
    const facts = await readMachine(['kubernetes', 'azure'], options, { env: env({ AZURE_SUBSCRIPTION_ID: 's' }) });
    expect(facts.kubeconfig).toMatchObject({ isThere: false, detail: expect.stringContaining('missing') });
    expect(facts.azureSettings).toMatchObject({ isThere: false, detail: expect.stringContaining('no resource group') });
  });

  it('have no test boot when the home cannot be used', async () => {
    writeFileSync(join(home, 'accelerator.json'), 'not json');
    expect((await readMachine([], { home }, { env: env() })).kvmTestBoot).toBeUndefined();
    writeFileSync(join(home, 'file'), '');
    expect(
      (await readMachine([], {}, { env: env({ HEADSTART_HOME: join(home, 'none') }) })).kvmTestBoot,
    ).toBeUndefined();
  });
});
