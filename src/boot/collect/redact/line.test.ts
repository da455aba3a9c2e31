import { describe, expect, it } from 'vitest';
import { redactText } from '../redact.ts';
import { createLineRedactor, mayHoldSecret } from './line.ts';

const redacted = (...lines: string[]) => {
  const redactLine = createLineRedactor();
  return lines.map(redactLine);
};

describe('createLineRedactor', () => {
  it('redacts a key file across the entries of a journal, including its short last line', () => {
    const lines = [
      '-----BEGIN PRIVATE KEY-----',
      'MIIEvQIBADAN',
      'q83kFg==',
      '-----END PRIVATE KEY-----',
      'Started x.',
    ];
    const journal = lines.map((MESSAGE, i) => JSON.stringify({ __REALTIME_TIMESTAMP: `179477690190767${i}`, MESSAGE }));
    const entries = redactText(journal.join('\n'))
      .split('\n')
      .map((line) => JSON.parse(line) as { __REALTIME_TIMESTAMP: string; MESSAGE: string });
    expect(entries.map((entry) => entry.MESSAGE)).toEqual(['[redacted]', '[redacted]', '[redacted]', '', 'Started x.']);
    expect(entries.map((entry) => entry.__REALTIME_TIMESTAMP.at(-1))).toEqual(['0', '1', '2', '3', '4']);
  });

  it('keeps the prefix of the lines of a key file', () => {
    expect(
      redacted('Nov 15 host sh: -----BEGIN A-----', 'Nov 15 host sh: MIIEvQ==', 'Nov 15 host sh: -----END A-----', 'x'),
    ).toEqual(['Nov 15 host sh: [redacted]', 'Nov 15 host sh: [redacted]', 'Nov 15 host sh: ', 'x']);
  });

  it('stops after 400 lines if a key file has no END', () => {
    const lines = redacted('-----BEGIN A-----', ...Array<string>(500).fill('word'));
    expect(lines.filter((line) => line === '[redacted]')).toHaveLength(400);
    expect(lines.at(-1)).toBe('word');
  });

  it('redacts the indented block below a secret key, except blank lines', () => {
    expect(redacted('  password: |', '    hunter', '', '    22', '  user: me')).toEqual([
      '  password: [redacted]',
      '    [redacted]',
      '',
      '    [redacted]',
      '  user: me',
    ]);
  });

  it.each([
    ['echo root:hunter22 | chpasswd -e', 'echo [redacted] | chpasswd -e'],
    ['chpasswd <<< root:hunter22', 'chpasswd [redacted]'],
    ['curl -H "Authorization: Bearer abc" https://x', 'curl -H "Authorization: [redacted]'],
    ['a token=abc b=c', 'a token=[redacted] b=c'],
    ['join --token abc --node n', 'join --token [redacted] --node n'],
    ['https://me:abc@host/x', 'https://[redacted]@host/x'],
  ])('redacts %j', (line, expected) => {
    expect(redacted(line)).toEqual([expected]);
  });

  it('mayHoldSecret rules out text without a possible secret', () => {
    expect(mayHoldSecret('systemd')).toBe(false);
    expect(mayHoldSecret('token=abc')).toBe(true);
    expect(mayHoldSecret('abcdef.0123456789abcdef')).toBe(true);
  });
});
