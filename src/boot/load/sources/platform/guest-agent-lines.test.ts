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

test('an operation without an end in the log has length 0', () => {
  const { spans } = guestAgentFacts([{ atUs: 5, step: 'extension-began', extension: 'E-1.0', operation: 'enable' }]);
  expect(spans.map(({ id, startUs, endUs }) => [id, startUs, endUs])).toEqual([
    ['extension:E-1.0', 5, 5],
    ['extension:E-1.0/enable', 5, 5],
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
