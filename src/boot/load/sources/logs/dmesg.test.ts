import { expect, test } from 'vitest';
import { run } from '../../../../cli/testing.ts';
import { memoryInput } from '../../input.ts';
import { openInputs } from '../../open-inputs.ts';
import { sourceSuite } from '../source.suite.ts';
import { dmesgSource } from './dmesg.ts';

const parse = (text: string) => dmesgSource.parse(memoryInput('dmesg.txt', text));

test.each([
  ['first-boot', 4_261_483, 11_858_390],
  ['clone-boot', 2_730_864, 7_293_272],
])("the recorded %s has kernel start, the kernel's end and systemd's banner", async (boot, initUs, systemdUs) => {
  const path = new URL(`../../../fixtures/boots/${boot}.tar.gz`, import.meta.url).pathname;
  const inputs = (await openInputs(path, () => new Uint8Array())).flatMap((group) => group.inputs);
  const [evidence, ...more] = dmesgSource.parse(inputs.find((input) => input.name.endsWith('/dmesg.txt'))!);
  expect(more).toEqual([]);
  expect(evidence).toMatchObject({
    clock: 'monotonic',
    host: { kernel: '6.1.0-54-cloud-amd64', systemdVersion: '252.39-1~deb12u2', virtualization: 'qemu' },
    milestones: [
      { name: 'kernel-start', atUs: 0 },
      { name: 'userspace', atUs: systemdUs, errorUs: systemdUs - initUs + 500_000 },
    ],
  });
  expect(evidence?.spans[0]).toMatchObject({ id: 'kernel:until-init', startUs: 0, endUs: initUs });
  expect(evidence?.notes).toEqual([]);
  expect(evidence?.manager).toBeUndefined();
  expect(evidence?.units?.length).toBeGreaterThan(30);
});

test.each([
  ['plain', '[    1.500000] Run /init as init process'],
  ['raw', '<6>[    1.500000] Run /init as init process'],
  ['decoded', 'kern  :info  : [    1.500000] Run /init as init process'],
  ['with the caller', '[    1.500000][    T1] Run /init as init process'],
  ['with the delta', '[    1.500000 <    0.000123>] Run /init as init process'],
])('reads lines in the format: %s', (_, line) => {
  expect(dmesgSource.recognise(memoryInput('d', `${line}\n`.repeat(5)))).toBeGreaterThan(0.6);
  expect(parse(`${line}\n`)[0]?.spans[0]?.endUs).toBe(1.5e6);
});

test('puts dates on the wall clock, and notes that they are unreliable', () => {
  const lines = [
    '[Sun Nov 15 21:08:50 2026] systemd[1]: Started a.service - A.',
    '2026-11-15T21:08:50,000000+00:00 systemd[1]: Started a.service - A.',
  ];
  for (const line of lines) {
    const [boot] = parse(`${line}\n`);
    expect(boot).toMatchObject({ clock: 'wall', units: [{ name: 'a.service', activatedUs: 1_794_776_930e6 }] });
    expect(boot?.notes[0]?.text).toContain('plain seconds are exact');
  }
});

test('gives a wait for a device, failed if the device never appeared', () => {
  const [boot] = parse(
    '[    1.000000] systemd[1]: Expecting device dev-sdb.device - /dev/sdb...\n' +
      '[    2.000000] systemd[1]: Expecting device dev-sdc.device - /dev/sdc...\n' +
      '[    3.000000] systemd[1]: Found device dev-sdb.device - /dev/sdb.\n' +
      '[   92.000000] systemd[1]: Timed out waiting for device dev-sdc.device - /dev/sdc.\n',
  );
  expect(boot?.spans).toMatchObject([
    { unit: 'dev-sdb.device', startUs: 1e6, endUs: 3e6, wait: 'the device had not appeared' },
    { unit: 'dev-sdc.device', startUs: 2e6, endUs: 92e6, wait: 'the device never appeared', result: 'fail' },
  ]);
  // For systemd, a device takes no time to start.
  expect(boot?.units?.[0]).toMatchObject({ activatingUs: 3e6, activatedUs: 3e6 });
});

test('gives two boots, oldest first, for a console log of two, and warns about a broken line by number', () => {
  const boots = parse('[    0.000000] Linux version 6.1 (x)\nbroken\n[    0.000000] Linux version 6.2 (x)\n');
  expect(boots.map((boot) => boot.host?.kernel)).toEqual(['6.1', '6.2']);
  expect(boots[0]?.notes[0]?.text).toBe('dmesg.txt: line 2 is not a kernel line');
});

test('accepts indented continuation lines of a message', () => {
  const text = [
    '[    0.618998] .... node  #0, CPUs:      #1',
    '[    0.700000] calibrate_delay_direct() failed to get a good estimate for loops_per_jiffy.',
    '               Probably due to long platform interrupts. Consider using "lpj=" boot option.',
    '[    0.766605] smp: Brought up 1 node, 2 CPUs',
    '  broken',
    '',
  ].join('\n');
  const [boot] = parse(text);
  expect(boot?.notes.map((note) => note.text)).toEqual(['dmesg.txt: line 5 is not a kernel line']);
});

sourceSuite(dmesgSource, '<6>[    0.000000] Linux version 6.1\n[    1.000000] systemd[1]: Starting a.service - A...\n');

test('boots with the same times in one log stay apart, each with its line as its name', async () => {
  const boot = '[    0.000000] Linux version 6.1.0\n[    1.500000] Run /init as init process\n';
  expect(parse(boot + boot).map(({ name }) => name)).toEqual(['line 1', 'line 3']);
  const { stderr } = await run(['boot', 'timeline', '-'], { stdin: boot + boot });
  expect(stderr).toContain(
    "showing the last of 2 boots; choose one with --boot NAME or N: -1 ('line 1'), 0 ('line 3')",
  );
});
