import { expect, test } from 'vitest';
import { guestAgentFacts, parseGuestAgentLine } from './guest-agent-lines.ts';

test.each([
  ['2026-11-15T21:09:20.101010Z INFO Daemon Daemon Azure Linux Agent Version: 2.9.1.1', { step: 'agent-started' }],
  ['2017/07/20 21:02:55.622125 INFO Azure Linux Agent Version:2.2.12', { step: 'agent-started' }],
  ['2017/07/20 21:03:00.185585 INFO Finished provisioning', { step: 'provisioned' }],
  [
    '2018/08/08 17:03:42.899846 INFO ExtHandler ProcessGoalState completed [incarnation 4; 1377 ms]',
    { step: 'goal-state-done' },
  ],
  [
    '2018/08/08 17:03:41.773793 INFO [Microsoft.Azure.Extensions.CustomScript-2.0.6] Enable extension [bin/shim enable]',
    { step: 'extension-began', extension: 'Microsoft.Azure.Extensions.CustomScript-2.0.6', operation: 'enable' },
  ],
  ['2026-11-15T21:09:20.101010Z INFO ExtHandler ExtHandler Downloading agent manifest', undefined],
  ['any other line', undefined],
])('parses %s', (line, expected) => {
  expect(parseGuestAgentLine(line)).toEqual(expected);
});

const began = (atUs: number, extension: string, operation: string) =>
  ({ atUs, step: 'extension-began', extension, operation }) as const;

test('agents that print no command output: the next operation or the end of the goal state ends one', () => {
  const { spans, notes } = guestAgentFacts([
    began(17_889_000, 'E-1.0', 'install'),
    began(26_954_000, 'E-1.0', 'enable'),
    began(30_000_000, 'F-1.0', 'install'),
    { atUs: 36_011_000, step: 'goal-state-done' },
  ]);
  expect(spans.map(({ id, startUs, endUs }) => [id, startUs, endUs])).toEqual([
    ['extension:E-1.0', 17_889_000, 30_000_000],
    ['extension:E-1.0/install', 17_889_000, 26_954_000],
    ['extension:E-1.0/enable', 26_954_000, 30_000_000],
    ['extension:F-1.0', 30_000_000, 36_011_000],
    ['extension:F-1.0/install', 30_000_000, 36_011_000],
  ]);
  expect(spans[1]?.detail).toBe('at most: the log has no end of it, only the next step of the agent');
  expect(notes).toEqual([]);
});

test('an operation without an end in the log has an unknown duration, not 0', () => {
  const { spans, milestones, notes } = guestAgentFacts([
    began(1, 'D-1.0', 'enable'),
    { atUs: 2, step: 'extension-done', extension: 'D-1.0' },
    began(5, 'E-1.0', 'enable'),
  ]);
  expect(spans.map(({ id }) => id)).toEqual(['extension:D-1.0', 'extension:D-1.0/enable']);
  expect(milestones).toEqual([{ name: 'extension-started', atUs: 1, source: 'extension' }]);
  expect(notes).toEqual([
    {
      level: 'warning',
      text: 'enable of extension E-1.0 starts but does not end in the log of the guest agent: its duration is unknown',
    },
  ]);
});

test('a repeated operation gets a numbered id', () => {
  const once = (atUs: number) =>
    [
      { atUs, step: 'extension-began', extension: 'E-1.0', operation: 'enable' },
      { atUs: atUs + 1, step: 'extension-done', extension: 'E-1.0' },
    ] as const;
  const { spans } = guestAgentFacts([...once(1), ...once(10)]);
  expect(spans.map((span) => span.id)).toEqual([
    'extension:E-1.0',
    'extension:E-1.0/enable',
    'extension:E-1.0/enable#2',
  ]);
  expect(spans[0]?.endUs).toBe(11);
});
