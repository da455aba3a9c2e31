import { describe, expect, test } from 'vitest';
import { parseKlog } from './klog.ts';

const NOW_US = Date.UTC(2026, 10, 16) * 1000;

describe('a line of klog', () => {
  test('that is structured gives its sentence and its values', () => {
    const line =
      'I1115 21:08:50.123456    1234 kubelet.go:123] "Registered node" node="node-1" pod.name=a err="say \\"no\\""';
    const { message, values, wallUs } = parseKlog(line, NOW_US)!;
    expect(message).toBe('Registered node');
    expect(Object.fromEntries(values)).toMatchObject({ node: 'node-1', 'pod.name': 'a' });
    expect(values.get('err')).toContain('no');
    expect(wallUs).toBe(Date.UTC(2026, 10, 15, 21, 8, 50) * 1000 + 123_456);
  });

  test('that is not gives the whole text, and no values', () => {
    const parsed = parseKlog('W1115 21:08:50.123456    1 a.go:1] plain text node="x"')!;
    expect(parsed).toEqual({ message: 'plain text node="x"', values: new Map() });
  });

  test('of the months to come is of the year before', () => {
    const { wallUs } = parseKlog('I1231 23:59:59.000000    1 a.go:1] x', NOW_US)!;
    expect(wallUs).toBe(Date.UTC(2025, 11, 31, 23, 59, 59) * 1000);
  });

  test('in JSON gives its message, its texts and its stamp in milliseconds', () => {
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

  test.each(['', 'text', '{"msg":5}', '{"msg":', '[]', 'I1115 21:08:50 short'])('%j is none', (line) => {
    expect(parseKlog(line, NOW_US)).toBeUndefined();
  });
});
