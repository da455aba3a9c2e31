import { expect, test } from 'vitest';
import { boot, recordedBoot, unit } from './testing.ts';
import { bootTime, renderTime } from './time.ts';

const textOf = (record: Parameters<typeof bootTime>[0]) => renderTime(bootTime(record)!).split('\n').slice(0, -1);

test('prints every phase, the total, the target and the waits', () => {
  const record = boot([
    unit('graphical.target', 20, 20, { aliases: ['default.target'] }),
    unit('systemd-networkd-wait-online.service', 3, 8),
  ]);
  expect(textOf(record)).toEqual([
    'Startup finished in 2s (kernel) + 58s (userspace) = 1min',
    'graphical.target reached after 18s in userspace.',
    'including 5s of waiting in systemd-networkd-wait-online.service [wait: network: until it is online]',
  ]);
});

test('edge case 32: prints only userspace and no total for a container', () => {
  expect(textOf(recordedBoot('models/container'))).toEqual([
    'Startup finished in 15.090s (userspace)',
    'graphical.target reached after 15.089s in userspace.',
  ]);
});

test('edge case 34: prints the known phases of an unfinished boot, with a note', () => {
  const lines = textOf(boot([unit('multi-user.target', 0, 0), unit('a.service', 3, 7)], { finishUs: 0 }));
  expect(lines[0]).toBe('Startup has not finished, so far 2s (kernel) + 5s (userspace) = 7s');
  expect(lines[1]).toBe('multi-user.target was never reached.');
  expect(lines[2]).toMatch(/^note: the boot had not finished/);
});

test('edge case 35: names a default target that was never reached', () => {
  expect(bootTime(recordedBoot('models/never-reached'))?.defaultTarget).toEqual({ unit: 'graphical.target' });
});

test('edge case 36: notes an absurd firmware time on a virtual machine', () => {
  const absurd = boot([], { firmwareUs: 1_700e6 }, { host: { virtualization: 'microsoft' } });
  expect(bootTime(absurd)?.notes).toEqual([
    expect.stringContaining('firmware reports 28min 20s on a virtual machine (microsoft)'),
  ]);
  expect(bootTime(boot([], { firmwareUs: 1_700e6 }))?.notes).toEqual([]);
});

test('does not call a time since kernel start a time in userspace', () => {
  const { manager: _, ...withoutManager } = boot([unit('graphical.target', 20, 20, { aliases: ['default.target'] })]);
  expect(textOf(withoutManager)[0]).toBe('graphical.target reached after 20s (the start of userspace is unknown).');
  expect(bootTime(withoutManager)?.defaultTarget).toMatchObject({ reachedUs: 20e6, isSinceUserspace: false });
});

test('gives nothing without a phase or a reached target', () => {
  const { manager: _, ...record } = boot([unit('a.service', 3, 7)]);
  expect(bootTime(record)).toBeUndefined();
});
