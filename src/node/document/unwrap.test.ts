import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseText } from './parse-text.ts';
import { MAX_DELIVERED_BYTES, MIME_TYPE, unwrap } from './unwrap.ts';

const text = 'apiVersion: headstart.dev/v1\nkind: NodeConfig\nmetadata: {generation: 1}\n';
const plain = Buffer.from(text);
const base64 = (bytes: Uint8Array) => Buffer.from(Buffer.from(bytes).toString('base64'));
const inLines = (bytes: Uint8Array) =>
  Buffer.from(
    base64(bytes)
      .toString()
      .replace(/.{1,76}/g, '$&\r\n'),
  );

const mime = (...parts: readonly (readonly [head: string, body: string])[]) =>
  Buffer.from(
    [
      'Content-Type: multipart/mixed; boundary="==b=="\nMIME-Version: 1.0\n',
      ...parts.map(([head, body]) => `--==b==\n${head}\n\n${body}`),
      '--==b==--\n',
    ].join('\n'),
  );
const ours = [`Content-Type: ${MIME_TYPE}+yaml; charset="utf-8"`, text] as const;
const script = ['Content-Type: text/x-shellscript', '#!/bin/sh\necho hello'] as const;

describe('unwrap', () => {
  it.each([
    ['plain text', plain],
    ['base64', base64(plain)],
    ['base64 in lines', inLines(plain)],
    ['gzip', gzipSync(plain)],
    ['base64 of gzip', base64(gzipSync(plain))],
    ['the MIME part with our content type', mime(script, ours)],
    [
      'a MIME part in base64',
      mime(script, [`Content-Type: ${MIME_TYPE}\nContent-Transfer-Encoding: base64`, inLines(plain).toString()]),
    ],
    ['a compressed MIME message', gzipSync(mime(ours, script))],
    ['a MIME message with a single part', Buffer.from(`Content-Type: ${MIME_TYPE}+json\n\n${text}`)],
  ])('reads %s', (_, bytes) => {
    const unwrapped = unwrap(bytes);
    expect('text' in unwrapped && unwrapped.text.trim()).toBe(text.trim());
  });

  it.each([
    ['too many bytes', Buffer.alloc(MAX_DELIVERED_BYTES + 1, '#'), 'config/too-large'],
    ['gzip of too many bytes', gzipSync(Buffer.alloc(8 << 20)), 'config/too-large'],
    ['truncated gzip', gzipSync(plain).subarray(0, -12), 'config/truncated'],
    ['damaged gzip', Buffer.concat([gzipSync(plain).subarray(0, 12), Buffer.alloc(40, 7)]), 'config/not-readable'],
    ['truncated base64', base64(plain).subarray(0, 41), 'config/truncated'],
    ['a truncated MIME message', mime(script, ours).subarray(0, -8), 'config/truncated'],
    ['a MIME message without our part', mime(script), 'config/not-a-node-config'],
    ['a MIME message with two of our parts', mime(ours, ours), 'config/not-a-node-config'],
    ['a MIME message of another type', Buffer.from('Content-Type: text/plain\n\nhello'), 'config/not-a-node-config'],
    [
      'a MIME part in an unknown encoding',
      mime([`Content-Type: ${MIME_TYPE}\nContent-Transfer-Encoding: x-rot13`, text]),
      'config/not-readable',
    ],
    ['binary data', Buffer.from([0xff, 0xfe, 0, 1, 2, 3]), 'config/not-readable'],
    ['text with a NUL', Buffer.from('kind: a\0b'), 'config/not-readable'],
    [
      'gzip of gzip of gzip of gzip of gzip',
      [1, 2, 3, 4, 5].reduce<Buffer>((bytes) => gzipSync(bytes), plain),
      'config/not-readable',
    ],
  ])('refuses %s', (_, bytes, reason) => {
    expect(unwrap(bytes)).toMatchObject({ problem: { reason } });
  });

  it('never throws, for any bytes', async () => {
    const starts = fc.constantFrom(
      '',
      '\x1f\x8b\x08',
      'Content-Type: multipart/mixed; boundary=b\n\n',
      '{',
      'a: ',
      '- ',
    );
    await fc.assert(
      fc.asyncProperty(starts, fc.uint8Array({ maxLength: 300 }), async (start, bytes) => {
        const unwrapped = unwrap(Buffer.concat([Buffer.from(start, 'latin1'), bytes]));
        if ('text' in unwrapped) await parseText(unwrapped.text);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['spaces', `${' '.repeat(1 << 19)}!`],
    ['headers', `Content-Type: ${'multipart/a;'.repeat(1 << 15)}`],
    ['boundaries', `Content-Type: multipart/mixed; boundary=b\n\n${'\n--b'.repeat(1 << 15)}`],
    ['equal signs', `${'='.repeat(1 << 19)}`],
    ['certificates', `a: "${'-----BEGIN A'.repeat(1 << 14)}"`],
  ])('reads half a megabyte of %s quickly', async (_, words) => {
    const unwrapped = unwrap(Buffer.from(words), 1 << 20);
    if ('text' in unwrapped) await parseText(unwrapped.text);
  });

  it('returns the original text for every wrapping', () => {
    const wraps = [base64, inLines, (bytes: Uint8Array) => gzipSync(bytes)];
    const texts = fc.string({ minLength: 1 }).map((words) => `kind: "${JSON.stringify(words).slice(1, -1)}"\n`);
    fc.assert(
      fc.property(texts, fc.array(fc.constantFrom(...wraps), { maxLength: 3 }), (words, layers) => {
        const delivered = layers.reduce<Uint8Array>((bytes, wrap) => wrap(bytes), Buffer.from(words));
        expect(unwrap(delivered)).toEqual({ text: words });
      }),
    );
  });
});

describe('parseText', () => {
  it.each([
    ['{"a": [1, null, true], "b": {"c": "d"}}', { a: [1, null, true], b: { c: 'd' } }],
    ['a: [1, null, true]\nb: {c: d}\n', { a: [1, null, true], b: { c: 'd' } }],
    ['{a: 1, # a comment\n b: 2}', { a: 1, b: 2 }],
    ['a: &x [1]\nb: *x\n', { a: [1], b: [1] }],
    ['when: 2026-11-16T02:00:00Z\nmode: 0644\nyes: no\n', { when: '2026-11-16T02:00:00Z', mode: 644, yes: 'no' }],
    ['x: .inf\n', { x: 'Infinity' }],
  ])('reads %j', async (given, value) => {
    expect(await parseText(given)).toEqual({ value });
  });

  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x]',
    ...['b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name, at) => {
      const before = 'abcdefg'[at];
      return `${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`;
    }),
  ].join('\n');

  it.each([
    ['', 'config/not-a-node-config'],
    ['#cloud-config\npackages: [jq]\n', 'config/not-a-node-config'],
    ['#!/bin/sh\nreboot\n', 'config/not-a-node-config'],
    ['{"a": 1, "b": {"c": ', 'config/truncated'],
    ['a: 1\nb: [1, 2', 'config/truncated'],
    ['a: "x', 'config/truncated'],
    ['a: 1\na: 2\n', 'config/not-readable'],
    ['a: *unknown\n', 'config/not-readable'],
    ['a: !!binary aGVsbG8=\n', 'config/not-readable'],
    ['a: !include /etc/shadow\n', 'config/not-readable'],
    ['a: 1\n---\nb: 2\n', 'config/not-readable'],
    [bomb, 'config/not-readable'],
    ['['.repeat(50_000), 'config/not-readable'],
    [`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`, 'config/not-readable'],
    ['a: 1\n  b: 2\n', 'config/not-readable'],
  ])('refuses %.40j', async (given, reason) => {
    expect(await parseText(given)).toMatchObject({ problem: { reason } });
  });

  it('does not quote refused text, which may contain a secret', async () => {
    const canary = 'hunter2';
    for (const given of [
      `a: *${canary}`,
      `{"a": ${canary}`,
      `a: [${canary}: x: y`,
      `a: !${canary} b`,
      `x: "${canary}`,
      `x: [${canary}, }`,
    ]) {
      expect(JSON.stringify(await parseText(given))).not.toContain(canary);
    }
  });
});
