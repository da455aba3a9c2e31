import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import * as f from './formats.ts';

const accepts = (schema: z.ZodMiniType, value: unknown) => z.safeParse(schema, value).success;

describe.each([
  ['address', f.address(), ['10.0.0.4', '::1', 'fd00::1'], ['10.0.0', '10.0.0.4/24', 'host', '']],
  [
    'cidr',
    f.cidr(),
    ['10.0.0.0/16', '::/0', 'fd00::/128'],
    ['10.0.0.0', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/8/8', '1/x'],
  ],
  ['serverName', f.serverName(), ['10.0.0.4', 'ntp.example.com'], ['NTP', 'a b', '-a']],
  ['hostName', f.hostName(), ['node-1', 'a.b'], ['Node', 'a_b', 'a-', 'a'.repeat(64)]],
  ['kubernetesVersion', f.kubernetesVersion(), ['1.35.8', '1.36.0-rc.1'], ['v1.35.8', '1.35', '1.35.8 ']],
  [
    'instant',
    f.instant(),
    ['2026-11-16T02:00:00Z', '2026-11-16T02:00:00.5+01:00'],
    ['2026-11-16', '2026-13-16T02:00:00Z'],
  ],
  ['timeOfDay', f.timeOfDay(), ['00:00', '23:59'], ['24:00', '2:00', '02:60']],
  ['path', f.path(), ['/etc/motd', '/a/b.c'], ['/', 'etc', '/a/../b', '/a//b', '/a b', '/.a']],
  ['fileMode', f.fileMode(), ['0644', '755'], ['0888', '07777', '44']],
  [
    'endpoint',
    f.endpoint(),
    ['https://api.example.com', 'https://10.0.0.1:6443'],
    ['http://a', 'https://a/', 'https://a/b', 'https://u:p@a', 'a'],
  ],
  [
    'httpUrl',
    f.httpUrl(),
    ['http://a/b', 'https://a'],
    ['ftp://a', 'http://u@a', 'http://a/?q', 'http://a/#x', 'http://a b'],
  ],
  ['proxyUrl', f.proxyUrl(), ['http://u:p@proxy:3128'], ['http://proxy/x', 'socks5://proxy']],
  ['line', f.line(), ['', 'a "b" ü'], ['a\nb', 'a\u001b[0m', 'a\u2028']],
  [
    'certificates',
    f.certificates(),
    [],
    [
      '',
      'x',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----',
    ],
  ],
] as const)('%s', (_, schema, good, bad) => {
  it('accepts only valid values', () => {
    expect(good.filter((text) => !accepts(schema, text))).toEqual([]);
    expect(bad.filter((text) => accepts(schema, text))).toEqual([]);
  });
});

describe('a time span', () => {
  it.each([
    ['90s', 90_000],
    ['5min', 300_000],
    ['1h 30min', 5_400_000],
    ['1.5s', 1500],
    ['0', 0],
    ['90', undefined],
    ['soon', undefined],
    ['', undefined],
    ['0.0001s', undefined],
  ])('%j is %s ms', (text, ms) => {
    expect(f.spanMs(text)).toBe(ms);
  });

  it('is refused outside its limits, with the limit in the message', () => {
    const messageOf = (text: string) => z.safeParse(f.span(1000, 60_000), text).error?.issues[0]?.message;
    expect(messageOf('500ms')).toBe('is shorter than 1s');
    expect(messageOf('2min')).toBe('is longer than 60s');
    expect(messageOf('60s')).toBeUndefined();
  });

  it('in whole milliseconds is the same after formatting and parsing', () => {
    fc.assert(fc.property(fc.nat(), (ms) => f.spanMs(`${ms}ms`) === ms));
  });
});

describe('a described field', () => {
  it('keeps its rules, and a secret is write-only in the JSON Schema', () => {
    expect(accepts(f.field('A port.', f.integer(1, 9)), 10)).toBe(false);
    expect(z.toJSONSchema(f.secret('A token.', f.line(10)))).toMatchObject({
      description: 'A token.',
      writeOnly: true,
      maxLength: 10,
    });
  });
});
