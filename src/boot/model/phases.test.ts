import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyBoot, boot, unit } from '../compat/systemd/testing.ts';
import { phases, sharesHostKernel, userspaceStartUs } from './phases.ts';

const names = (record: Parameters<typeof phases>[0]) => phases(record).map((phase) => phase.name);

test('a machine with firmware, loader and initrd has five phases without gaps, the first two before the kernel', () => {
  const record = boot([], { firmwareUs: 9e6, loaderUs: 4e6, initrdUs: 1e6 });
  expect(phases(record)).toEqual([
    { name: 'firmware', startUs: -9e6, endUs: -4e6 },
    { name: 'loader', startUs: -4e6, endUs: 0 },
    { name: 'kernel', startUs: 0, endUs: 1e6 },
    { name: 'initrd', startUs: 1e6, endUs: 2e6 },
    { name: 'userspace', startUs: 2e6, endUs: 60e6 },
  ]);
});

test('edge case 36: firmware is a phase if there is no loader', () => {
  expect(names(boot([], { firmwareUs: 9e6 }))).toEqual(['firmware', 'kernel', 'userspace']);
});

test('edge case 32: a container has userspace only', () => {
  const record = boot([], { securityStartUs: 0, generatorsStartUs: 3e6 });
  expect(sharesHostKernel(record)).toBe(true);
  expect(names(record)).toEqual(['userspace']);
});

test('a journal that names a container needs no stamps of the manager', () => {
  const sources = [{ kind: 'journal-text', input: 'journal.txt' }];
  const times = { securityStartUs: 0, userspaceUs: 612_000e6, finishUs: 612_009e6 };
  expect(names(boot([], times, { sources, host: { virtualization: 'lxc' } }))).toEqual(['userspace']);
  expect(names(boot([], times, { sources, host: { virtualization: 'kvm' } }))).toEqual(['kernel', 'userspace']);
});

test('a source without security stamps does not make a machine a container', () => {
  const record = boot([], { securityStartUs: 0 }, { sources: [{ kind: 'journal-json', input: 'j' }] });
  expect(names(record)).toEqual(['kernel', 'userspace']);
});

test('edge case 33: after a soft reboot, the phases start with the shutdown before it', () => {
  const record = boot([], {
    softRebootsCount: 2,
    shutdownStartUs: 100e6,
    userspaceUs: 103e6,
    finishUs: 110e6,
    firmwareUs: 5e6,
  });
  expect(phases(record)).toEqual([
    { name: 'soft-reboot', startUs: 100e6, endUs: 103e6 },
    { name: 'userspace', startUs: 103e6, endUs: 110e6 },
  ]);
});

test('since systemd 262, a soft reboot starts with the previous shutdown, not with the one to come', () => {
  const previousShutdown = { startUs: 100e6, finishUs: 101e6, lateStartUs: 0, lateFinishUs: 0 };
  const soft = { softRebootsCount: 1, shutdownStartUs: 120e6, userspaceUs: 103e6, finishUs: 110e6 };
  expect(phases(boot([], { ...soft, previousShutdown }))[0]).toEqual({
    name: 'soft-reboot',
    startUs: 100e6,
    endUs: 103e6,
  });
});

test('edge case 34: the userspace phase of an unfinished boot ends with the last unit event', () => {
  const record = boot([unit('a.service', 3, 7), unit('b.service', 9, 0)], { finishUs: 0 });
  expect(phases(record).at(-1)).toEqual({ name: 'userspace', startUs: 2e6, endUs: 9e6 });
});

test('on a clock that starts with userspace, kernel start is negative', () => {
  const record = boot([], {}, { clock: { zero: 'userspace' } });
  expect(userspaceStartUs(record)).toBe(0);
  expect(phases(record)).toEqual([
    { name: 'kernel', startUs: -2e6, endUs: 0 },
    { name: 'userspace', startUs: 0, endUs: 58e6 },
  ]);
});

test('phases never overlap, run backwards or leave a gap', () => {
  fc.assert(
    fc.property(anyBoot, (record) => {
      const found = phases(record);
      for (const [i, phase] of found.entries()) {
        expect(phase.endUs).toBeGreaterThan(phase.startUs);
        if (i > 0) expect(phase.startUs).toBe(found[i - 1]!.endUs);
      }
    }),
  );
});
