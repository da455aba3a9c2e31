import { describe, expect, it } from 'vitest';
import type { FileEffect, ObservedState, PlanStep } from '../desired/tree.ts';
import type { FileChange } from './files.ts';
import type { LiveChange } from './live.ts';
import { aChange, anObservation, aUnit } from './plans.testing.ts';
import { orderSteps, type PlannedWork } from './steps.ts';

const NO_WORK: PlannedWork = {
  files: [],
  folders: { make: [], remove: [], owned: new Set() },
  live: [],
  units: { exists: () => true, isAboutToBeMasked: () => false, orphans: [] },
  stale: [],
  class: 1,
};
const file = (path: string, ...effects: FileEffect[]): FileChange => ({
  change: aChange({ what: path }),
  step: { do: 'write-file', path, mode: 0o644, uid: 0, gid: 0, content: '', encoding: 'utf8' },
  effects,
  stale: [],
});
const live = (step: Extract<PlanStep, { do: 'set' | 'clear' }>): LiveChange => ({
  change: aChange(),
  kind: step.kind,
  step,
});
const set = (kind: Extract<PlanStep, { do: 'set' }>['kind'], key: string, value: string) =>
  live({ do: 'set', kind, key, value });
const UNITS = new Map(['kubelet.service', 'containerd.service', 'a.service'].map((name) => [name, aUnit(true)]));
const restart = (unit: string): FileEffect => ({ do: 'restart', unit });
const order = (work: Partial<PlannedWork>, observed: Partial<ObservedState> = {}) =>
  orderSteps({ ...NO_WORK, ...work }, anObservation({ units: UNITS, ...observed })).map((step) => {
    const what = 'unit' in step ? step.unit : 'key' in step ? step.key : 'path' in step ? step.path : '';
    return `${step.do} ${what}`.trim();
  });

describe('the steps of a plan', () => {
  it('write files before they restart the units that read them, containerd before kubelet, each once', () => {
    const files = [
      file('/etc/k', restart('kubelet.service'), { do: 'daemon-reload' }),
      file('/etc/c', restart('containerd.service'), restart('kubelet.service'), { do: 'daemon-reload' }),
      file('/etc/a', restart('a.service')),
    ];
    expect(order({ files })).toEqual([
      'write-file /etc/k',
      'write-file /etc/c',
      'write-file /etc/a',
      'daemon-reload',
      'restart-unit a.service',
      'restart-unit containerd.service',
      'restart-unit kubelet.service',
    ]);
  });

  it('load modules before their kernel settings', () => {
    expect(order({ live: [set('sysctl', 'net.x', '1'), set('module', 'x', 'loaded')] })).toEqual([
      'set x',
      'set net.x',
    ]);
  });

  it('clear values before they set values', () => {
    const changes = [set('swap', '/new', '1'), live({ do: 'clear', kind: 'swap', key: '/old' })];
    expect(order({ live: changes })).toEqual(['clear /old', 'set /new']);
  });

  it('drain first and uncordon last, only on a node in service', () => {
    expect(order({ class: 4, live: [set('sysctl', 'a', '1')] })).toEqual(['drain', 'set a', 'uncordon']);
    expect(order({ class: 4, live: [set('sysctl', 'a', '1')] }, { kubeletPhase: 'not-started' })).toEqual(['set a']);
    expect(order({ class: 3, live: [set('sysctl', 'a', '1')] })).toEqual(['set a']);
  });

  it('restart nothing before a reboot', () => {
    const files = [file('/etc/k', restart('kubelet.service'), { do: 'reload', unit: 'a.service' })];
    expect(order({ class: 6, files })).toEqual(['drain', 'write-file /etc/k', 'reboot', 'uncordon']);
  });

  it('stop kubelet, delete its stale state, then start it', () => {
    const files = [file('/etc/k', restart('kubelet.service'))];
    expect(order({ class: 4, files, stale: ['/var/lib/kubelet/cpu_manager_state'] })).toEqual([
      'drain',
      'stop-unit kubelet.service',
      'write-file /etc/k',
      'remove-state /var/lib/kubelet/cpu_manager_state',
      'start-unit kubelet.service',
      'uncordon',
    ]);
  });

  it('restart and reload only units that keep running, and do not reload a unit that they restart', () => {
    const files = [
      file('/etc/a', restart('a.service'), { do: 'reload', unit: 'a.service' }, { do: 'reload', unit: 'down.service' }),
    ];
    expect(order({ files })).toEqual(['write-file /etc/a', 'restart-unit a.service']);
    expect(order({ files, live: [set('unit-active', 'a.service', 'no')] })).toEqual([
      'set a.service',
      'write-file /etc/a',
    ]);
  });

  it('restart kubelet if the server in its kubeconfig changes', () => {
    expect(order({ live: [set('kubeconfig', '', 'https://x')] })).toEqual(['set', 'restart-unit kubelet.service']);
  });

  it('stop a unit before its file is removed, and enable a unit again when its file changes', () => {
    const gone: FileChange = { ...file('/etc/systemd/system/a.service'), step: { do: 'remove-file', path: '/etc/a' } };
    const units = { exists: () => false, isAboutToBeMasked: () => false, orphans: ['a.service'] };
    expect(order({ files: [gone], units })).toEqual(['stop-unit a.service', 'remove-file /etc/a']);
    expect(order({ files: [file('/etc/a', { do: 'enable', unit: 'a.service' })] })).toEqual([
      'write-file /etc/a',
      'set a.service',
    ]);
  });

  it('apply tmpfiles only for a file that is written', () => {
    const effect: FileEffect = { do: 'apply-tmpfiles', path: '/etc/t' };
    expect(order({ files: [file('/etc/t', effect)] })).toEqual(['write-file /etc/t', 'apply-tmpfiles /etc/t']);
    const gone: FileChange = { ...file('/etc/t', effect), step: { do: 'remove-file', path: '/etc/t' } };
    expect(order({ files: [gone] })).toEqual(['remove-file /etc/t']);
  });
});
