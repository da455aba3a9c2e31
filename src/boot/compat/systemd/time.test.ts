import { expect, test } from 'vitest';
import { boot, recordedBoot, unit } from './testing.ts';
import { bootTime, renderTime } from './time.ts';

const textOf = (record: Parameters<typeof bootTime>[0]) => renderTime(bootTime(record)!).split('\n').slice(0, -1);

test('says every phase, the total, the target and what was waiting', () => {
  const record = boot([
    unit('graphical.target', 20, 20, { aliases: ['default.target'] }),
    unit('systemd-networkd-wait-online.service', 3, 8),
  ]);
  expect(textOf(record)).toEqual([
    'Startup finished in 2s (kernel) + 58s (userspace) = 1min',
    'graphical.target reached after 18s in userspace.',
    'of which waited: 5s systemd-networkd-wait-online.service [wait: network: until it is online]',
  ]);
});

test('edge case 32: a container has its userspace only, and no total that means nothing', () => {
  expect(textOf(recordedBoot('models/container'))).toEqual([
    'Startup finished in 15.090s (userspace)',
    'graphical.target reached after 15.089s in userspace.',
  ]);
});

test('edge case 34: an unfinished boot gives what is known, and says so', () => {
  const lines = textOf(boot([unit('multi-user.target', 0, 0), unit('a.service', 3, 7)], { finishUs: 0 }));
  expect(lines[0]).toBe('Startup has not finished, so far 2s (kernel) + 5s (userspace) = 7s');
  expect(lines[1]).toBe('multi-user.target was never reached.');
  expect(lines[2]).toMatch(/^note: the boot had not finished/);
});

test('edge case 35: a default target that was never reached is named', () => {
  expect(bootTime(recordedBoot('models/never-reached'))?.defaultTarget).toEqual({ unit: 'graphical.target' });
});

test('edge case 36: absurd firmware on a virtual machine is doubted, not believed', () => {
  const absurd = boot([], { firmwareUs: 1_700e6 }, { host: { virtualization: 'microsoft' } });
  expect(bootTime(absurd)?.notes).toEqual([
    expect.stringContaining('firmware says 28min 20s on a virtual machine (microsoft)'),
  ]);
  expect(bootTime(boot([], { firmwareUs: 1_700e6 }))?.notes).toEqual([]);
});

test('a time that counts from the kernel is not called one in userspace', () => {
  const { manager: _, ...withoutManager } = boot([unit('graphical.target', 20, 20, { aliases: ['default.target'] })]);
  expect(textOf(withoutManager)[0]).toBe('graphical.target reached after 20s (when userspace began is not known).');
  expect(bootTime(withoutManager)?.defaultTarget).toMatchObject({ reachedUs: 20e6, isSinceUserspace: false });
});

test('there is no answer where nothing tells a phase', () => {
  const { manager: _, ...record } = boot([unit('a.service', 3, 7)]);
  expect(bootTime(record)).toBeUndefined();
});
