import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Input, memoryInput } from '../../input.ts';
import { recognise } from '../../load.ts';
import { openInputs } from '../../open-inputs.ts';
import { sourceSuite } from '../source.suite.ts';
import { dmesgSource } from './dmesg.ts';
import { journalJsonSource } from './journal-json.ts';
import { journalTextSource } from './journal-text.ts';

const NOW_US = Date.UTC(2026, 10, 16) * 1000;
const CONTEXT = { nowUs: NOW_US };
const at = (text: string) => Date.parse(text) * 1000;
const parse = (text: string) => journalTextSource.parse(memoryInput('j.txt', text), CONTEXT);
const fixture = (path: string) =>
  memoryInput(path, readFileSync(new URL(`../../../fixtures/${path}`, import.meta.url)));

async function recorded(boot: string, name: string): Promise<Input> {
  const path = new URL(`../../../fixtures/boots/${boot}.tar.gz`, import.meta.url).pathname;
  const groups = await openInputs(path, () => new Uint8Array());
  return groups.flatMap((group) => group.inputs).find((input) => input.name.endsWith(`/${name}`))!;
}

describe.each(['first-boot', 'clone-boot'])('the recorded %s as text', (boot) => {
  test('is recognised as a journal, and its dmesg as dmesg', async () => {
    const text = await recorded(boot, 'journal.txt');
    expect(journalTextSource.recognise(text)).toBeGreaterThan(dmesgSource.recognise(text));
    const kernelLog = await recorded(boot, 'dmesg.txt');
    expect(journalTextSource.recognise(kernelLog)).toBe(0);
    expect(dmesgSource.recognise(kernelLog)).toBeGreaterThan(0.6);
    expect(journalTextSource.recognise(await recorded(boot, 'cloud/cloud-init.log'))).toBe(0);
  });

  test('gives the same units and nearly the same times as the JSON', async () => {
    const [text] = journalTextSource.parse(await recorded(boot, 'journal.txt'), CONTEXT);
    const [json] = journalJsonSource.parse(await recorded(boot, 'journal.json'));
    const byName = new Map(text?.units?.map((unit) => [unit.name, unit]));
    const started = json!.units!.filter((unit) => unit.activatingUs > 0 && !unit.name.endsWith('.device'));
    for (const unit of started) {
      const found = byName.get(unit.name);
      expect(found, unit.name).toBeDefined();
      // Text has the time of receipt, which is late when the journal is busy.
      expect(Math.abs(found!.activatingUs - unit.activatingUs), unit.name).toBeLessThan(200_000);
    }
    expect(started.length).toBeGreaterThan(80);
    expect(text?.clock).toBe('monotonic');
    expect(Math.abs(text!.manager!.finishUs - json!.manager!.finishUs)).toBeLessThan(3_000);
    expect(text?.host?.hostname).toBe(json?.host?.hostname);
  });
});

test.each([
  ['short', 'Nov 15 21:08:50', at('2026-11-15T21:08:50Z')],
  ['short of last year', 'Dec  3 01:02:03', at('2025-12-03T01:02:03Z')],
  ['short-precise', 'Nov 15 21:08:50.123456', at('2026-11-15T21:08:50Z') + 123_456],
  ['short-iso', '2026-11-15T21:08:50+0200', at('2026-11-15T19:08:50Z')],
  ['short-iso-precise', '2026-11-15T21:08:50.123456+00:00', at('2026-11-15T21:08:50Z') + 123_456],
  ['short-full', 'Sun 2026-11-15 21:08:50 UTC', at('2026-11-15T21:08:50Z')],
  ['short-unix', '1794776930.123456', 1_794_776_930_123_456],
  ['short-monotonic', '[   12.345678]', 12_345_678],
])('reads %s stamps', (_, stamp, atUs) => {
  const text = `${stamp} node-1 systemd[1]: Started a.service - A.\n`;
  const [boot] = parse(text);
  expect(boot?.units).toMatchObject([{ name: 'a.service', activatedUs: atUs }]);
  expect(boot?.host?.hostname).toBe('node-1');
  expect(journalTextSource.recognise(memoryInput('j', text.repeat(5)))).toBeGreaterThan(0.8);
});

test('"Startup finished" in a wall-clock journal gives an anchor', () => {
  const [boot] = parse(
    'Nov 15 21:09:43 n systemd[1]: Startup finished in 1.500s (kernel) + 2.500s (initrd) + 1min 6s (userspace) = 1min 10s.\n',
  );
  expect(boot?.manager).toMatchObject({ initrdUs: 1.5e6, userspaceUs: 4e6, finishUs: 70e6 });
  // The receipt may be a second late, the stamp is cut to seconds, and no line is from before the kernel start.
  expect(boot?.anchors).toContainEqual({ monotonicUs: 70e6, wallUs: at('2026-11-15T21:09:42Z'), errorUs: 2e6 });
  expect(boot?.notes.map((note) => note.text).join()).toContain('read as UTC');
});

test('takes year and zone from the banner of cloud-init, and January follows December', () => {
  const [boot] = parse(
    'Dec 31 23:59:50 n kernel: [    0.000000] Linux version 5.4.0\nDec 31 23:59:58 n systemd[1]: Started a.service - A.\n' +
      "Jan  1 00:00:01 n cloud-init[400]: Cloud-init v. 22.4.2 running 'init-local' at Mon, 31 Dec 2018 22:00:00 +0000. Up 7.21 seconds.\n" +
      'Jan  1 00:00:02 n systemd[1]: Started b.service - B.\n',
  );
  expect(boot?.units).toMatchObject([
    { name: 'a.service', activatedUs: at('2018-12-31T21:59:58Z') },
    { name: 'b.service', activatedUs: at('2018-12-31T22:00:02Z') },
  ]);
  expect(boot?.notes.map(({ text }) => text)).toEqual([expect.stringContaining('local time (UTC+02:00)')]);
});

test('says that the year is unknown if no line names it', () => {
  const [boot] = parse('Nov 28 21:09:43 n systemd[1]: Started a.service - A.\n');
  expect(boot?.notes.map(({ text }) => text).join()).toContain('the year is unknown and read as 2025');
});

test('finds every boot of a syslog file whose kernel lines have their own stamps', () => {
  const boot = (day: number, kernel: string) =>
    `Nov ${day} 10:00:05 n kernel: [    0.000000] Linux version ${kernel}\nNov ${day} 10:00:05 n kernel: [    2.500000] Run /sbin/init as init process\n` +
    `Nov ${day} 10:00:16 n systemd[1]: Startup finished in 3.000s (kernel) + 8.477s (userspace) = 11.477s.\n`;
  const boots = parse(boot(1, '5.4.0-1') + boot(2, '5.4.0-2'));
  expect(boots.map(({ host, manager }) => [host?.kernel, manager?.finishUs])).toEqual([
    ['5.4.0-1', 11_477_000],
    ['5.4.0-2', 11_477_000],
  ]);
  expect(boots[1]?.monotonic).toMatchObject({
    spans: [{ id: 'kernel:until-init', startUs: 0, endUs: 2.5e6 }],
    milestones: [{ name: 'kernel-start', atUs: 0 }],
  });
});

test('reads tags in brackets', () => {
  const text = 'Nov 28 21:09:43 n [eb-cfn-init]: + main\n';
  expect(
    parse(text)[0]
      ?.notes.map(({ text }) => text)
      .join(),
  ).not.toContain('is not a journal line');
});

test('a separator or a kernel start begins a new boot', () => {
  const id = 'd'.repeat(32);
  const boots = parse(
    `[    0.000000] n kernel: Linux version 6.1\n[    1.000000] n systemd[1]: Started a.service.\n-- Boot ${id} --\n` +
      '[    0.000000] n kernel: Linux version 6.2\n[    0.000000] n kernel: Linux version 6.3\n',
  );
  expect(boots.map((boot) => [boot.bootId, boot.host?.kernel])).toEqual([
    [undefined, '6.1'],
    [id, '6.2'],
    [undefined, '6.3'],
  ]);
});

test('warns about lines that are not journal lines, but accepts indented continuation lines', () => {
  const [boot] = parse('Nov 15 21:08:50 n app[1]: two\n    lines\nnonsense\nmore\n');
  expect(boot?.notes.map((note) => note.text)).toContain('j.txt: line 3 is not a journal line (and 1 more like it)');
});

test('notes that systemd prints no unit names', () => {
  const [boot] = parse('Nov 15 21:08:50 n systemd[1]: Started OpenSSH server daemon.\n');
  expect(boot?.units).toBeUndefined();
  expect(boot?.notes.map((note) => note.text).join()).toContain('does not print unit names');
});

test('edge case 44: uses the first of several NodeReady lines, and notes how many there are', () => {
  const [boot] = journalTextSource.parse(fixture('kubernetes/kubelet.txt'), CONTEXT);
  expect(boot?.milestones.find((milestone) => milestone.name === 'node-ready')?.atUs).toBe(at('2026-11-15T21:10:12Z'));
  expect(boot?.notes.map((note) => note.text)).toContain(
    'the node became Ready 2 times in this boot; the first is used',
  );
});

test("prefers kubelet's own stamp over a journal stamp in whole seconds", () => {
  const [boot] = journalTextSource.parse(fixture('kubernetes/kubelet.txt'), CONTEXT);
  expect(boot?.milestones.find((milestone) => milestone.name === 'kubelet-started')?.atUs).toBe(
    at('2026-11-15T21:09:53.5Z'),
  );
});

test('reads a kubelet log with klog stamps only', () => {
  const klog = readFileSync(new URL('../../../fixtures/kubernetes/kubelet.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.includes('kubelet['))
    .map((line) => line.slice(line.indexOf(']: ') + 3))
    .join('\n');
  const input = memoryInput('kubelet.log', klog);
  expect(journalTextSource.recognise(input)).toBeGreaterThan(0.8);
  const [boot] = journalTextSource.parse(input, CONTEXT);
  expect(boot?.milestones).toMatchObject([
    { name: 'kubelet-started', atUs: at('2026-11-15T21:09:53.5Z') },
    { name: 'node-registered', atUs: at('2026-11-15T21:09:58.2Z') },
    { name: 'node-ready', atUs: at('2026-11-15T21:10:12Z') },
  ]);
  expect(boot?.host).toMatchObject({ nodeName: 'pool1-000003', kubeletVersion: 'v1.31.2' });
});

test('recognises and reads lines with colours', () => {
  const line = '\x1b[0;1;39mNov 15 21:08:50 n systemd[1]: Started a.service - A.\x1b[0m\n';
  const input = memoryInput('j', line.repeat(3));
  expect(recognise(input)?.kind).toBe('journal-text');
  expect(journalTextSource.parse(input, CONTEXT)[0]?.units).toMatchObject([{ name: 'a.service' }]);
});

test('recognises a kubelet log after more text than the head of an input has', () => {
  const klog = 'I1115 21:08:50.123456    4787 flags.go:59] FLAG: --address="0.0.0.0"\n';
  const trace = '+ export A=1\n'.repeat(20_000);
  expect(recognise(memoryInput('kubelet.log', trace + klog.repeat(30)))?.kind).toBe('journal-text');
  expect(recognise(memoryInput('x', trace + klog))).toBeUndefined();
});

test.each([3, 70])('recognises a kubelet log of %i lines after hundreds of lines of a shell script', (count) => {
  const klog = 'I1115 21:09:53.500000    1 server.go:1] "Kubelet version" kubeletVersion="v1.31.2"\n';
  const input = memoryInput('kubelet.log', '+ export A=1\n'.repeat(609) + klog.repeat(count));
  expect(journalTextSource.recognise(input)).toBeGreaterThan(0);
  expect(journalTextSource.parse(input, CONTEXT)[0]?.milestones).toMatchObject([{ name: 'kubelet-started' }]);
  expect(journalTextSource.recognise(memoryInput('x', '+ export A=1\n'.repeat(609)))).toBe(0);
});

test("reads provisioning and extensions from the Azure agent's log, without secrets", () => {
  const input = fixture('azure/waagent.log');
  expect(journalTextSource.recognise(input)).toBeGreaterThan(0.6);
  const [boot] = journalTextSource.parse(input, CONTEXT);
  expect(boot?.milestones).toMatchObject([
    { name: 'guest-agent-started', atUs: at('2026-11-15T21:09:20Z') + 101_010 },
    { name: 'extension-started', atUs: at('2026-11-15T21:09:34Z') },
  ]);
  const extension = 'extension:Microsoft.Azure.Extensions.CustomScript-2.1.10';
  expect(boot?.spans.map(({ id, startUs, endUs, result }) => [id, (endUs - startUs) / 1e6, result])).toEqual([
    ['guest-agent:provisioning', 2, undefined],
    ['guest-agent:goal-state', 14, undefined],
    [extension, 9, 'fail'],
    [`${extension}/install`, 2.5, undefined],
    [`${extension}/enable`, 6, 'fail'],
  ]);
  expect(JSON.stringify(boot)).not.toContain('notasecret');
});

test('reads the lines before the cut, wherever the text is truncated', () => {
  const lines = Array.from({ length: 8 }, (_, i) => `Nov 15 21:08:5${i} n systemd[1]: Started u${i}.service - U.\n`);
  const text = lines.join('');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: text.length }), (cut) => {
      const names = (parse(text.slice(0, cut))[0]?.units ?? []).map((unit) => unit.name);
      const whole = Math.floor(cut / lines[0]!.length);
      for (let i = 0; i < whole; i++) expect(names).toContain(`u${i}.service`);
    }),
  );
});

test('edge case 50: reads 100,000 lines to the end', () => {
  const text = `${'Nov 15 21:08:50 n app[1]: chatter\n'.repeat(100_000)}Nov 15 21:08:59 n systemd[1]: Started last.service - L.\n`;
  expect(parse(text)[0]?.units?.[0]?.name).toBe('last.service');
});

sourceSuite(journalTextSource, fixture('kubernetes/kubelet.txt').bytes(), 'lines of kubelet');
sourceSuite(journalTextSource, fixture('azure/waagent.log').bytes(), 'lines of the guest agent');
