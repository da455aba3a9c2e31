import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SEA_CONFIG } from '../build/executable.ts';
import { ALLOWED_FOLDERS, DATA_FOLDERS } from '../desired/allowed-paths.ts';
import { READY_MARK } from '../status/ready-mark.ts';
import { COMMAND_LINK, EXECUTABLE_PATH } from './executable-path.ts';
import { ENABLED_LINKS, unitFiles } from './units.ts';

/** Section → setting → all its values, with lists split. */
function settingsOf(text: string): Map<string, string[]> {
  const settings = new Map<string, string[]>();
  let section = '';
  for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
    const title = /^\[(\w+)\]$/.exec(line)?.[1];
    if (title !== undefined) {
      section = title;
      continue;
    }
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    expect(key, line).toBeDefined();
    const name = `${section}.${key}`;
    settings.set(name, [...(settings.get(name) ?? []), ...value!.split(' ')]);
  }
  return settings;
}

const file = (name: string) => unitFiles().find(({ path }) => path.endsWith(name))!;
const service = settingsOf(file('headstart-node.service').text);
const turn = settingsOf(file('headstart-node-turn.service').text);
const target = settingsOf(file('headstart-node-ready.target').text);
const kubelet = settingsOf(file('15-headstart-node.conf').text);

describe('the units of headstart node', () => {
  it('include every file of this folder, each at its own path', () => {
    const here = readdirSync(new URL('.', import.meta.url)).filter((name) => !name.endsWith('.ts'));
    expect(unitFiles()).toHaveLength(here.length);
    expect(new Set(unitFiles().map(({ path }) => path)).size).toBe(here.length);
    for (const to of Object.values(ENABLED_LINKS)) expect(unitFiles().map(({ path }) => `/${path}`)).toContain(to);
  });

  it('start the executable at its path on images', () => {
    expect(service.get('Service.ExecStart')?.slice(0, 3)).toEqual([`/${EXECUTABLE_PATH}`, 'node', 'run']);
    expect(`/usr/${COMMAND_LINK.to.replace('../', '')}`).toBe(`/${EXECUTABLE_PATH}`);
  });

  it('start the daemon in parallel and let it begin after the clone check and the machine setup', () => {
    expect(turn.get('Unit.Wants')).toEqual(['headstart-clone-check.service']);
    expect(turn.get('Unit.After')).toEqual(
      expect.arrayContaining(['headstart-clone-check.service', 'local-fs.target', 'systemd-sysctl.service']),
    );
    expect(service.get('Unit.Wants')).toContain('headstart-node-turn.service');
    expect(service.get('Service.ExecStart')?.slice(3)).toEqual(['--wait-for', turn.get('Service.ExecStart')?.at(-1)]);
    expect(service.has('Service.PrivateTmp')).toBe(false); // would wait for systemd-tmpfiles-setup.service
  });

  it('start before kubelet, and do not wait for cloud-init or an agent', () => {
    expect(service.get('Unit.Before')).toEqual(
      expect.arrayContaining(['kubelet.service', 'cloud-config.service', 'walinuxagent.service']),
    );
    expect(service.get('Unit.DefaultDependencies')).toEqual(['no']);
    const waitedFor = service.get('Unit.After')!.join(' ');
    expect(waitedFor).not.toMatch(/cloud-|waagent|network|sysinit|containerd|basic\.target|multi-user/);
    expect(service.get('Unit.Before')).not.toContain('containerd.service');
  });

  it('start kubelet only after the node is configured in this boot, and do not stop it with the daemon', () => {
    for (const settings of [kubelet, target]) {
      expect(settings.get('Unit.ConditionPathExists')).toEqual([`/${READY_MARK}`]);
      expect(settings.get('Unit.After')).toContain('headstart-node.service');
      for (const bound of ['Requires', 'BindsTo', 'PartOf', 'Requisite']) {
        expect(settings.has(`Unit.${bound}`)).toBe(false);
      }
    }
    expect(service.get('Service.RuntimeDirectoryPreserve')).toEqual(['yes']);
    expect(service.get('Unit.Wants')).toContain('kubelet.service');
    expect(service.get('Service.Restart')).toEqual(['always']);
  });

  it("notice a dead connection of kubelet's client within ten seconds, with values that client-go reads", () => {
    const environment = new Map(kubelet.get('Service.Environment')!.map((one) => one.split('=') as [string, string]));
    expect([...environment.keys()]).toEqual(['HTTP2_READ_IDLE_TIMEOUT_SECONDS', 'HTTP2_PING_TIMEOUT_SECONDS']);
    // strconv.Atoi: anything else is ignored with a warning; 0 would disable the check.
    for (const value of environment.values()) expect(value).toMatch(/^[1-9]\d?$/);
    const worstS = [...environment.values()].reduce((sum, value) => sum + Number(value), 0);
    // Defaults: 45 s. kubelet's lease lasts 40 s and is renewed every 10 s.
    expect(worstS).toBeLessThanOrEqual(10);
  });

  it('allow the daemon to write only where a document may write', () => {
    expect(service.get('Service.ProtectSystem')).toEqual(['strict']);
    const writable = service.get('Service.ReadWritePaths')!.map((path) => path.replace(/^-/, ''));
    for (const folder of [...ALLOWED_FOLDERS, ...DATA_FOLDERS]) expect(writable).toContain(folder.replace(/\/$/, ''));
    for (const folder of writable) expect(folder).toMatch(/^\/(?:etc|var\/lib|opt|srv|usr\/local|mnt|run)$/);
  });

  it('deny writable and executable memory, which the executable does not need without JIT', () => {
    expect(SEA_CONFIG.execArgv).toContain('--jitless');
    expect(service.get('Service.MemoryDenyWriteExecute')).toEqual(['yes']);
  });

  it('allow every kernel setting of hardening guides, but not ptrace', () => {
    expect(service.get('Service.CapabilityBoundingSet')).toEqual(
      expect.arrayContaining(['CAP_SYS_ADMIN', 'CAP_NET_ADMIN', 'CAP_SYS_RAWIO', 'CAP_SYS_PTRACE']),
    );
    expect(service.get('Service.SystemCallFilter')?.join(' ')).not.toMatch(/@debug|@raw-io|ptrace/);
  });

  it('have no tabs, no trailing spaces and a final line break', () => {
    for (const { text, path } of unitFiles()) {
      expect(text, path).toMatch(/\n$/);
      expect(text, path).not.toMatch(/\t|[ ]+\n|\r|\n\n\n/);
    }
  });
});
