import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseStartupFinished } from './startup-finished.ts';

test.each([
  [
    'Startup finished in 10.494s (kernel) + 1min 34.274s (userspace) = 1min 44.768s.',
    { userspaceUs: 10_494_000, finishUs: 104_768_000, initrdUs: 0 },
  ],
  [
    'Startup finished in 1s (kernel) + 2s (initrd) + 3s (userspace) = 6s',
    { initrdUs: 1e6, userspaceUs: 3e6, finishUs: 6e6 },
  ],
  [
    'Startup finished in 4s (firmware) + 3s (loader) + 1s (kernel) + 3s (userspace) = 11s',
    { firmwareUs: 7e6, loaderUs: 3e6, finishUs: 4e6 },
  ],
  ['Startup finished in 1.500s.', { userspaceUs: 0, finishUs: 1.5e6, securityStartUs: 0 }],
])('parseStartupFinished parses %s', (text, expected) => {
  expect(parseStartupFinished(text)).toMatchObject(expected);
});

test.each(['', 'Startup finished in', 'Startup finished in a while', 'Bootup is not yet finished'])(
  'parseStartupFinished rejects %j',
  (text) => {
    expect(parseStartupFinished(text)).toBeUndefined();
  },
);

test('the total is the one that systemd printed, and each phase still prints the same', () => {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(3)}s`;
  fc.assert(
    fc.property(
      fc.integer({ min: 2000, max: 300e6 }),
      fc.integer({ min: 2000, max: 300e6 }),
      fc.integer({ min: 2000, max: 300e6 }),
      (kernelUs, initrdUs, userspaceUs) => {
        const ms = (us: number) => Math.floor(us / 1000);
        const total = ms(kernelUs + initrdUs + userspaceUs);
        const phases = `${seconds(ms(kernelUs))} (kernel) + ${seconds(ms(initrdUs))} (initrd) + ${seconds(ms(userspaceUs))} (userspace)`;
        const times = parseStartupFinished(`Startup finished in ${phases} = ${seconds(total)}.\n`)!;
        expect(times.finishUs).toBe(total * 1000);
        expect(ms(times.initrdUs)).toBe(ms(kernelUs));
        expect(ms(times.userspaceUs - times.initrdUs)).toBe(ms(initrdUs));
        expect(ms(times.finishUs - times.userspaceUs)).toBe(ms(userspaceUs));
      },
    ),
  );
});

test('a total that cannot be the sum of the phases is ignored', () => {
  const text = 'Startup finished in 2s (kernel) + 3s (userspace) = 1min 9s.';
  expect(parseStartupFinished(text)).toMatchObject({ userspaceUs: 2e6, finishUs: 5e6 });
});
