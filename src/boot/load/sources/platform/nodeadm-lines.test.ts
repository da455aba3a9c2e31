import { describe, expect, test } from 'vitest';
import { run } from '../../../../cli/testing.ts';
import { memoryInput } from '../../input.ts';
import { journalTextSource } from '../logs/journal-text.ts';
import { nodeadmFacts, parseNodeadmLine } from './nodeadm-lines.ts';

const line = (ts: number, msg: string, more: object = {}) =>
  JSON.stringify({ level: 'info', ts, caller: 'init/init.go:49', msg, ...more });

/** 2024-04-04 08:57:17 UTC */
const T = 1_712_221_037;
const JOURNAL = [
  [0.594, 1918, line(T + 0.594, 'Checking user is root..')],
  [0.6, 1918, line(T + 0.6, 'Loading configuration..', { configSource: 'imds://user-data' })],
  [0.61, 1918, line(T + 0.61, 'Loaded configuration', { config: { spec: {} } }).slice(0, 120)],
  [0.62, 1918, line(T + 0.62, 'Fetching instance details..')],
  [0.63, 1918, 'SDK 2024/04/04 08:57:17 DEBUG attempting waiter request, attempt count: 1'],
  [7.12, 1918, line(T + 7.12, 'Instance details populated')],
  [7.2, 1918, line(T + 7.2, 'Configuring daemon...', { name: 'kubelet' })],
  [7.7, 1918, line(T + 7.7, 'Configured daemon', { name: 'kubelet' })],
  [20, 2131, line(T + 20, 'Checking user is root..')],
  [20.1, 2131, line(T + 20.1, 'Ensuring daemon is running..', { name: 'containerd' })],
  [21.4, 2131, line(T + 21.4, 'Daemon is running', { name: 'containerd' })],
  [21.5, 2131, line(T + 21.5, 'Ensuring daemon is running..', { name: 'kubelet' })],
]
  .map(
    ([at, pid, message]) =>
      `Apr 04 08:57:${String(17 + Math.floor(at as number)).padStart(2, '0')} ip-10-0-3-248 nodeadm[${pid}]: ${message}`,
  )
  .join('\n');

describe('nodeadm in the journal', () => {
  test('gives its steps with the unit that ran them, to the microsecond; a step without an end is left out', () => {
    const [boot] = journalTextSource.parse(memoryInput('j.txt', JOURNAL), { nowUs: 1_794_800_000e6 });
    expect(
      boot!.spans.map(({ name, unit, startUs, endUs, wait }) => [name, unit, endUs - startUs, wait !== undefined]),
    ).toEqual([
      ['nodeadm: load configuration', 'nodeadm-config.service', 10_000, false],
      ['nodeadm: fetch instance details', 'nodeadm-config.service', 6_500_000, true],
      ['nodeadm: configure kubelet', 'nodeadm-config.service', 500_000, false],
      ['nodeadm: start containerd', 'nodeadm-run.service', 1_300_000, false],
    ]);
    expect(boot!.spans[0]!.startUs).toBe((T + 0.6) * 1e6);
    expect(boot!.notes.map(({ text }) => text).join()).not.toContain('the year is unknown');
  });

  test('shows in the timeline', async () => {
    const { code, stdout } = await run(['boot', 'timeline', '-'], { stdin: JOURNAL });
    expect(code).toBe(0);
    expect(stdout).toMatch(/6\.500s +wait +node-config +nodeadm: fetch instance details/);
  });
});

describe('parseNodeadmLine', () => {
  test('keeps failures, with their error', () => {
    const failed = parseNodeadmLine(
      '{"level":"fatal","ts":1.5,"caller":"nodeadm/main.go:36","msg":"Command failed","error":"no config"}',
    );
    expect(failed).toEqual({ message: 'Command failed', isFailure: true, error: 'no config', wallUs: 1_500_000 });
    expect(nodeadmFacts([{ ...failed!, atUs: 1 }]).notes[0]!.text).toBe('nodeadm failed: Command failed: no config');
  });

  test.each(['', '{', '{"msg":7}', '{"level":"info","msg":"something else"}', 'SDK DEBUG', '{"ts":1e300,"msg":"x"}'])(
    'ignores %j',
    (text) => {
      expect(parseNodeadmLine(text)).toBeUndefined();
    },
  );
});
