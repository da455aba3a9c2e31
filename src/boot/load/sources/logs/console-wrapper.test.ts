import { expect, test } from 'vitest';
import { inputText, memoryInput } from '../../input.ts';
import { isWrapped, unwrapped } from './console-wrapper.ts';

const TEXT = `[    0.000000] Linux version 6.1.0\r\n[  OK  ] Started A.\r\n${'x'.repeat(100)}\n`;

test.each([
  ['aws, JSON', JSON.stringify({ InstanceId: 'i-0', Output: TEXT, Timestamp: '2026-11-17T10:00:00' }, null, 4)],
  ['the API of EC2', JSON.stringify({ Output: Buffer.from(TEXT).toString('base64') })],
  ['gcloud, JSON', JSON.stringify({ contents: TEXT, kind: 'compute#serialPortOutput', next: '900', start: '0' })],
  ['aws, YAML', `InstanceId: i-0\nOutput: ${JSON.stringify(TEXT)}\nTimestamp: '2026-11-17T10:00:00'\n`],
])('unwraps the output of %s', async (_, text) => {
  const input = memoryInput('console.json', text);
  expect(isWrapped(input)).toBe(true);
  expect(inputText((await unwrapped(input))!)).toBe(TEXT);
});

test.each(['{"a": 1}', '{"Output": 7}', '{"Output": "cut of', 'a: 1\nOutput: [', '', TEXT])(
  'finds no console in %j',
  async (text) => {
    expect(await unwrapped(memoryInput('x', text))).toBeUndefined();
  },
);
