import { describe, expect, it } from 'vitest';
import { mergeEvidence } from '../../../model/merge-evidence.ts';
import { blame } from '../../../questions/blame.ts';
import { timeline } from '../../../questions/timeline.ts';
import { memoryInput } from '../../input.ts';
import { journalJsonSource } from './journal-json.ts';
import { Sleeps } from './sleeps.ts';

const WALL = 1_794_800_000e6;
const entry = (monotonicS: number, asleepS: number, message: string, more: object = {}) =>
  JSON.stringify({
    __MONOTONIC_TIMESTAMP: String(monotonicS * 1e6),
    __REALTIME_TIMESTAMP: String(WALL + (monotonicS + asleepS) * 1e6),
    ...{ _BOOT_ID: '46bc72e7a99d4d429784493dd92e074f', _TRANSPORT: 'kernel', SYSLOG_IDENTIFIER: 'kernel' },
    MESSAGE: message,
    ...more,
  });
const READY =
  'I1116 12:45:38.191484     435 kubelet_node_status.go:578] "Fast updating node status as it just became ready" node="a"';
const kubelet = { SYSLOG_IDENTIFIER: 'kubelet', _TRANSPORT: 'stdout', _SYSTEMD_UNIT: 'kubelet.service' };
const THREE_DAYS_S = 3 * 86_400;

function boot(...lines: string[]) {
  const evidence = journalJsonSource.parse(memoryInput('j', lines.join('\n')));
  return mergeEvidence([{ isFolder: true, evidence }])[0]!;
}

describe('a machine that was suspended', () => {
  it.each([
    ['PM: suspend entry (deep)', 'PM: suspend exit', 'suspended'],
    ['PM: hibernation: hibernation entry', 'PM: hibernation: hibernation exit', 'hibernated'],
    ['Freezing user space processes', 'ACPI: PM: Waking up from system sleep state S4', 'hibernated'],
  ])('has a wait with its length and error, which is part of no total: %s', (before, after, name) => {
    const record = boot(
      entry(0, 0, 'Linux version 6.1.0'),
      entry(20, 0, before),
      entry(20.4, THREE_DAYS_S, after),
      entry(22, THREE_DAYS_S, READY, kubelet),
    );
    const { rows, totalUs, waitUs } = timeline(record);
    expect(rows.find((row) => row.name === name)).toMatchObject({
      ...{ kind: 'wait', tookUs: 0, detail: `${name} for 3d ± 1s; not part of the total` },
    });
    expect([totalUs, waitUs]).toEqual([22e6, 0]);
    expect(blame(record).waits).toEqual([]);
  });

  it('is not told of a clock that only a time service set, nor of a sleep that no clock shows', () => {
    const stepped = boot(entry(0, 0, 'Linux version 6.1.0'), entry(20, 0, 'a'), entry(21, 3600, 'b'));
    expect(stepped.spans.filter(({ id }) => id.startsWith('platform:'))).toEqual([]);
    const sleeps = new Sleeps();
    sleeps.addLine(20e6, 'PM: suspend entry (s2idle)');
    sleeps.addJump(500e6, 501e6, 3600e6);
    sleeps.addJump(20e6, 21e6, -3600e6);
    expect(sleeps.spans()).toEqual([]);
  });
});
