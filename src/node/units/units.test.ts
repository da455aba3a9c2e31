import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SEA_CONFIG } from '../build/executable.ts';
import { ALLOWED_FOLDERS, DATA_FOLDERS } from '../desired/allowed-paths.ts';
import { READY_MARK } from '../status/ready-mark.ts';
import { COMMAND_LINK, EXECUTABLE_PATH } from './executable-path.ts';
import { ENABLED_LINKS, unitFiles } from './units.ts';

/** Section → setting → all that it was given, lists taken apart. */
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
  it('are all there is in this folder, each in a place of its own', () => {
    const here = readdirSync(new URL('.', import.meta.url)).filter((name) => !name.endsWith('.ts'));
    expect(unitFiles()).toHaveLength(here.length);
    expect(new Set(unitFiles().map(({ path }) => path)).size).toBe(here.length);
    for (const to of Object.values(ENABLED_LINKS)) expect(unitFiles().map(({ path }) => `/${path}`)).toContain(to);
  });

  it('start the executable where images have it', () => {
    expect(service.get('Service.ExecStart')?.slice(0, 3)).toEqual([`/${EXECUTABLE_PATH}`, 'node', 'run']);
    expect(`/usr/${COMMAND_LINK.to.replace('../', '')}`).toBe(`/${EXECUTABLE_PATH}`);
  });

  it('let the daemon begin once the clone check has ended and the machine is set up; it is started beside them', () => {
    expect(turn.get('Unit.Wants')).toEqual(['headstart-clone-check.service']);
    expect(turn.get('Unit.After')).toEqual(
      expect.arrayContaining(['headstart-clone-check.service', 'local-fs.target', 'systemd-sysctl.service']),
    );
    expect(service.get('Unit.Wants')).toContain('headstart-node-turn.service');
    expect(service.get('Service.ExecStart')?.slice(3)).toEqual(['--wait-for', turn.get('Service.ExecStart')?.at(-1)]);
    expect(service.has('Service.PrivateTmp')).toBe(false); // would be behind systemd-tmpfiles-setup.service
  });

  it('have kubelet last, and neither cloud-init nor an agent in front', () => {
    expect(service.get('Unit.Before')).toEqual(
      expect.arrayContaining(['kubelet.service', 'cloud-config.service', 'walinuxagent.service']),
    );
    expect(service.get('Unit.DefaultDependencies')).toEqual(['no']);
    const waitedFor = service.get('Unit.After')!.join(' ');
    expect(waitedFor).not.toMatch(/cloud-|waagent|network|sysinit|containerd|basic\.target|multi-user/);
    expect(service.get('Unit.Before')).not.toContain('containerd.service');
  });

  it('hold kubelet back until the daemon has said so in this boot, and let it live when the daemon does not', () => {
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

  it('let the daemon write where a document may, and read the rest', () => {
    expect(service.get('Service.ProtectSystem')).toEqual(['strict']);
    const writable = service.get('Service.ReadWritePaths')!.map((path) => path.replace(/^-/, ''));
    for (const folder of [...ALLOWED_FOLDERS, ...DATA_FOLDERS]) expect(writable).toContain(folder.replace(/\/$/, ''));
    for (const folder of writable) expect(folder).toMatch(/^\/(?:etc|var\/lib|opt|srv|usr\/local|mnt|run)$/);
  });

  it('let the daemon write no code, as an executable without a compiler needs none', () => {
    expect(SEA_CONFIG.execArgv).toContain('--jitless');
    expect(service.get('Service.MemoryDenyWriteExecute')).toEqual(['yes']);
  });

  it('let the daemon set every kernel setting that hardening guides name, and debug nobody', () => {
    expect(service.get('Service.CapabilityBoundingSet')).toEqual(
      expect.arrayContaining(['CAP_SYS_ADMIN', 'CAP_NET_ADMIN', 'CAP_SYS_RAWIO', 'CAP_SYS_PTRACE']),
    );
    expect(service.get('Service.SystemCallFilter')?.join(' ')).not.toMatch(/@debug|@raw-io|ptrace/);
  });

  it('are what systemd can read: no tabs, no stray blanks, an end to the last line', () => {
    for (const { text, path } of unitFiles()) {
      expect(text, path).toMatch(/\n$/);
      expect(text, path).not.toMatch(/\t|[ ]+\n|\r|\n\n\n/);
    }
  });
});
