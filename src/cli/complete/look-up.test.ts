import { describe, expect, it } from 'vitest';
import type { TypedCommand } from './decide.ts';
import { lookUp } from './look-up.ts';
import { completionHome } from './testing.ts';
import type { NamedKind } from './value-kinds.ts';

const at = completionHome();
const valuesOf = async (kind: NamedKind, options: [string, string[]][] = [], env: Record<string, string> = {}) => {
  const given: TypedCommand = { path: 'prototype run', options: new Map(options), args: [], files: [] };
  const deps = { env: { HEADSTART_HOME: at.home, ...env }, nowUs: () => 0 };
  return (await lookUp(kind, given, '', deps)).map(({ value }) => value);
};

describe('lookUp', () => {
  it('returns fixed words without reading anything', async () => {
    expect(await valuesOf('api-versions', [['--home', ['/nonexistent']]])).toEqual(expect.arrayContaining(['v1']));
  });

  it('returns the pools of this machine only if the VMs are on this machine', async () => {
    expect(await valuesOf('pools-of-vms')).toEqual([]);
    expect(await valuesOf('pools-of-vms', [['--vms', ['qemu']]])).toEqual(['gpu', 'pool1']);
    expect(await valuesOf('pools-of-vms', [], { HEADSTART_VMS: 'qemu' })).toEqual(['gpu', 'pool1']);
  });

  it('returns the pools of this machine for standby nodes, unless the VMs are on Azure', async () => {
    for (const env of [{}, { HEADSTART_VMS: '' }, { HEADSTART_VMS: 'qemu' }])
      expect(await valuesOf('standby-pools', [], env)).toEqual(['gpu', 'pool1']);
    expect(await valuesOf('standby-pools', [], { HEADSTART_VMS: 'azure' })).toEqual([]);
    expect(await valuesOf('standby-pools', [['--vms', ['azure']]])).toEqual([]);
    expect(await valuesOf('standby-pools', [['--vms', ['qemu']]], { HEADSTART_VMS: 'azure' })).toEqual([
      'gpu',
      'pool1',
    ]);
  });

  it('reads the home folder that is named last', async () => {
    expect(await valuesOf('pools', [['--home', ['/nonexistent', at.home]]], { HEADSTART_HOME: '/x' })).toEqual([
      'gpu',
      'pool1',
    ]);
  });

  it('returns nothing on a failure', async () => {
    expect(await valuesOf('pools', [['--home', ['\0']]])).toEqual([]);
  });
});
