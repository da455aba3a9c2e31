import { describe, expect, test } from 'vitest';
import { parseKlog } from './klog.ts';

const NOW_US = Date.UTC(2026, 10, 16) * 1000;

describe('parseKlog', () => {
  test('gives the message and the values of a structured line', () => {
    const line =
      'I1115 21:08:50.123456    1234 kubelet.go:123] "Registered node" node="node-1" pod.name=a err="say \\"no\\""';
    const { message, values, wallUs } = parseKlog(line, NOW_US)!;
    expect(message).toBe('Registered node');
    expect(Object.fromEntries(values)).toMatchObject({ node: 'node-1', 'pod.name': 'a' });
    expect(values.get('err')).toContain('no');
    expect(wallUs).toBe(Date.UTC(2026, 10, 15, 21, 8, 50) * 1000 + 123_456);
  });

  test('gives the whole text of an unstructured line, without values', () => {
    const parsed = parseKlog('W1115 21:08:50.123456    1 a.go:1] plain text node="x"')!;
    expect(parsed).toEqual({ message: 'plain text node="x"', values: new Map() });
  });

  test('takes a date later in the year than now for last year', () => {
    const { wallUs } = parseKlog('I1231 23:59:59.000000    1 a.go:1] x', NOW_US)!;
    expect(wallUs).toBe(Date.UTC(2025, 11, 31, 23, 59, 59) * 1000);
  });

  test('gives the message, string values and millisecond stamp of a JSON line', () => {
    const line = '{"ts":1794776930123.5,"msg":"Starting","node":"n","v":0}';
    expect(parseKlog(line)).toEqual({
      message: 'Starting',
      values: new Map([
        ['msg', 'Starting'],
        ['node', 'n'],
      ]),
      wallUs: 1_794_776_930_123_500,
    });
    expect(parseKlog('{"msg":"x"}')).not.toHaveProperty('wallUs');
  });

  test.each(['', 'text', '{"msg":5}', '{"msg":', '[]', 'I1115 21:08:50 short'])('rejects %j', (line) => {
    expect(parseKlog(line, NOW_US)).toBeUndefined();
  });
});
