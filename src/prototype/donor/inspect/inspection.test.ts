import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInspection } from './inspection.ts';
import { joinMethod } from './join-method.ts';
import { describeReference, staticReferences } from './static-references.ts';

const NOW_MS = Date.UTC(2026, 10, 15);

describe('parseInspection', () => {
  it('detects truncated output', () => {
    expect(parseInspection('headstart-inspect\t1\nkernel\t6.8\n')).toMatchObject({ isComplete: false, kernel: '6.8' });
    expect(parseInspection('welcome\nheadstart-inspect\t1\nkernel\t6.8\nend\nbye\n')).toMatchObject({
      isComplete: true,
    });
  });

  it('never throws, and neither do the decisions based on it', () => {
    const word = fc.constantFrom(
      'reference',
      'credential',
      'disk',
      'kubeconfig',
      'certificate',
      'token',
      'network',
      'ipv6',
      'x',
      '1',
      '::',
      'end',
    );
    const line = fc.array(fc.oneof(word, fc.string()), { maxLength: 7 }).map((fields) => fields.join('\t'));
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const seen = parseInspection(`headstart-inspect\t1\n${lines.join('\n')}`);
        staticReferences(seen).map(describeReference);
        expect(joinMethod(seen, { nodeName: 'n', nowMs: NOW_MS })).toHaveProperty('kind');
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseInspection(text).isComplete).toBe(false);
      }),
    );
  });
});
