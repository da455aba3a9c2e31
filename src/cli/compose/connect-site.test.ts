import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ConnectOptions } from '../prototype/connect-options.ts';
import { run, testDeps } from '../testing.ts';
import { connectSite } from './connect-site.ts';

const home = mkdtempSync(join(tmpdir(), 'headstart-site-'));
afterAll(() => rmSync(home, { recursive: true }));

const connect = (options: ConnectOptions, env: Record<string, string> = {}) =>
  connectSite(options, testDeps({ env: { HEADSTART_HOME: home, ...env } }).deps);

describe('connectSite', () => {
  it('connects to the pools of this machine if an option or the environment selects qemu', async () => {
    for (const site of [await connect({ vms: 'qemu' }), await connect({}, { HEADSTART_VMS: 'qemu' })]) {
      expect(site).toMatchObject({ hasCluster: false, gallery: 'SIG_local' });
      expect(await site.pools!()).toEqual([]);
    }
  });

  it('refuses Azure if it is not configured', async () => {
    await expect(connect({})).rejects.toThrow('Azure is not configured');
  });

  it.each<[ConnectOptions, Record<string, string>, string]>([
    [{ overSsh: 'me@node', cluster: false }, { HEADSTART_VMS: 'qemu' }, 'scripts run through the guest agent'],
    [{ vms: 'azure', scrub: false }, {}, 'the copy is never scrubbed'],
    [{}, { HEADSTART_VMS: 'ec2' }, 'not one of azure, qemu'],
  ])('refuses %j with %j before it touches anything', async (options, env, message) => {
    await expect(connect(options, env)).rejects.toThrow(message);
  });

  it('names the known logins for an unknown one', async () => {
    const { code, stderr } = await run(['prototype', 'status', '--login', 'foo']);
    expect(code).toBe(2);
    expect(stderr).toContain('cluster, workload-identity, managed-identity, operator');
  });
});
