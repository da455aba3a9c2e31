import { describe, expect, test } from 'vitest';
import { boot, unit } from '../testing.ts';
import { behaviourOf } from '../versions.ts';
import { analyze, NEWEST } from './testing.ts';

test('edge case 35: prints that the default target was never reached, with a full stop from v251 on', () => {
  const record = boot([unit('graphical.target', 0, 0, { aliases: ['default.target'] })]);
  expect(analyze(record, ['time']).stdout).toMatch(/\ngraphical\.target was never reached\.\n$/);
  expect(analyze(record, ['time'], behaviourOf(249)).stdout).toMatch(/\ngraphical\.target was never reached\n$/);
});

test('edge case 36: prints absurd firmware time, and firmware without a loader, unchanged', () => {
  const record = boot([], { firmwareUs: 1_700e6 });
  expect(analyze(record, ['time']).stdout).toMatch(
    /^Startup finished in 28min 20s \(firmware\) \+ 2s \(kernel\) \+ 58s \(userspace\) = 29min 20s \n/,
  );
});

test('prints no kernel and no total for a container', () => {
  const record = boot([unit('multi-user.target', 8, 8)], { securityStartUs: 0, securityFinishUs: 0, userspaceUs: 3e6 });
  expect(analyze(record, ['time'], NEWEST).stdout).toBe(
    'Startup finished in 57s (userspace) \nmulti-user.target reached after 5s in userspace.\n',
  );
});

test('prints firmware, loader, kernel and initrd separately', () => {
  const record = boot([], { firmwareUs: 5e6, loaderUs: 2e6, initrdUs: 1e6 });
  expect(analyze(record, ['time']).stdout).toMatch(
    /^Startup finished in 3s \(firmware\) \+ 2s \(loader\) \+ 1s \(kernel\) \+ 1s \(initrd\) \+ 58s \(userspace\) = 1min 5s \n/,
  );
});

test('prints that default.target was never reached if no default target is known', () => {
  expect(analyze(boot([]), ['time']).stdout).toContain('\ndefault.target was never reached.');
});

describe('the shutdown before a live update, since v262', () => {
  const previousShutdown = { startUs: 1e6, finishUs: 4.5e6, lateStartUs: 4.6e6, lateFinishUs: 5e6 };
  const times = { firmwareUs: 5e6, loaderUs: 2e6, previousShutdown };
  const firstLine = (version: number, more = {}) =>
    analyze(boot([], { ...times, ...more }), ['time'], behaviourOf(version)).stdout.split('\n')[0];

  test('is printed first and added to the total', () => {
    expect(firstLine(262)).toBe(
      'Startup finished in 3.500s (stopping) + 100ms (exit) + 400ms (systemd-shutdown) + ' +
        '3s (firmware) + 2s (loader) + 2s (kernel) + 58s (userspace) = 1min 9s ',
    );
    expect(firstLine(261)).toMatch(/^Startup finished in 3s \(firmware\) .* = 1min 5s $/);
  });

  test.each(['startUs', 'finishUs', 'lateStartUs', 'lateFinishUs'])('is left out without %s', (stamp) => {
    const part = { previousShutdown: { ...previousShutdown, [stamp]: 0 } };
    expect(firstLine(262, part)).toBe(firstLine(261));
  });

  test('never has a negative phase', () => {
    const part = { previousShutdown: { ...previousShutdown, lateStartUs: 4e6 } };
    expect(firstLine(262, part)).toContain('3.500s (stopping) + 0 (exit) + 1s (systemd-shutdown) + ');
  });
});
