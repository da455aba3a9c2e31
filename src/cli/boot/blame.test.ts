import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { bootRecord, managerTimes, span, unit } from '../../boot/testing.ts';
import { runVerb } from '../testing.ts';
import { spanArgument, verb } from './blame.ts';

const stdin = JSON.stringify(
  bootRecord({
    manager: managerTimes({ userspaceUs: 2_000_000, finishUs: 40_000_000 }),
    units: [
      unit('slow.service', 3, 6, [], { used: { cpuUs: 412_300 } }),
      unit('quick.service', 3, 0.005),
      unit('bad\u001b[2J.service', 4, 1),
    ],
    spans: [
      span('stage', 10, 20, { name: 'init-network', source: 'cloud-init' }),
      span('module', 11, 15, { name: 'config-a', source: 'cloud-init', parent: 'stage', result: 'fail' }),
      span('parked', 20, 35, { name: 'parked', source: 'cloud-init', wait: 'until it is claimed' }),
    ],
  }),
);
const blame = (...argv: string[]) => runVerb(verb, ['-i', '-', ...argv], { stdin });

describe('boot blame', () => {
  it('lists work by the time it took, and hides entries below 10 ms', async () => {
    const { code, stdout } = await blame();
    expect(code).toBe(0);
    expect(stdout.indexOf('init-network')).toBeLessThan(stdout.indexOf('slow.service'));
    expect(stdout).not.toContain('quick.service');
    expect((await blame('--at-least', '1ms')).stdout).toContain('quick.service');
  });

  it('indents the parts of a stage below it, names its source and what failed', async () => {
    const { stdout } = await blame();
    expect(stdout).toMatch(/^ *10s init-network \[cloud-init\] \(6s own time\)$/m);
    expect(stdout).toMatch(/^ {2} *4s config-a \(failed\)$/m);
  });

  it('tells a unit that waited from one that was busy', async () => {
    expect((await blame()).stdout).toMatch(/^ *6s slow\.service \(at most 412ms CPU: mostly waiting\)$/m);
    const { work } = JSON.parse((await blame('--json')).stdout) as { work: { name: string; used?: object }[] };
    expect(work.find(({ name }) => name === 'slow.service')?.used).toEqual({
      ...{ cpuUs: 412_300, isStartOnly: false, verdict: 'waiting' },
    });
  });

  it('keeps waits apart from work', async () => {
    const { stdout } = await blame();
    const [work, waits] = stdout.split('All waits for things outside the node, on the path or not:\n');
    expect(work).not.toContain('parked');
    expect(waits).toMatch(/15s parked \[cloud-init\] \[until it is claimed\]/);
  });

  it('prints no control characters, and all entries with --json', async () => {
    expect((await blame()).stdout).not.toContain('\u001b');
    const { kind, work } = JSON.parse((await blame('--json')).stdout) as { kind: string; work: { name: string }[] };
    expect(kind).toBe('BootBlame');
    expect(work.map(({ name }) => name)).toContain('quick.service');
  });
});

it('spanArgument reads spans like systemd, and refuses other text', () => {
  expect(spanArgument('1min 5s')).toBe(65_000_000);
  expect(() => spanArgument('soon')).toThrow(InvalidArgumentError);
});
