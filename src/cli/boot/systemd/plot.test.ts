import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { boot, expectDocument, expectRefused, FIXTURES, useRecorded } from './testing.ts';

describe.each(['first-boot', 'clone-boot'])('the recorded %s', (name) => {
  const recorded = useRecorded(name);
  test('systemd-analyze plot is reproduced byte for byte from the whole archive', async () => {
    const { stdout } = await boot('plot', '--compat=252', '-i', recorded.archive);
    expect(stdout).toBe(recorded.answers.get('analyze-plot.svg'));
  });
});

test('--json is one document with the units', () => expectDocument('plot', 'SystemdPlot', 'units'));

test('--compat --json prints the real tool’s rows', async () => {
  const { stdout } = await boot('plot --compat --json=short --no-legend', '-i', join(FIXTURES, 'models/initrd'));
  expect(JSON.parse(stdout)[0]).toMatchObject({ name: 'u09-net.mount', activating: expect.any(Number) });
});

test.each(['plot --scale-svg=-1', 'plot --scale-svg=wide', 'plot --scale-svg=1001'])(
  '%s is refused with a next step',
  (verb) => expectRefused(verb, 'boot/bad-option'),
);
