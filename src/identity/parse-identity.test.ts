import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identitySchema, isKnown } from './identity.ts';
import { FACT_NAMES } from './items.ts';
import { parseIdentity } from './parse-identity.ts';

const output = (...lines: string[]) => `headstart-identity 1\n${lines.join('\n')}\nend\n`;
const factsOf = (...lines: string[]) => parseIdentity('a', output(...lines))!.identity.facts;
const HEX = 'ab'.repeat(32);

describe('the output of the collect script', () => {
  it('is nothing unless it is complete', () => {
    expect(parseIdentity('a', '')).toBeUndefined();
    expect(parseIdentity('a', 'sh: not found\n')).toBeUndefined();
    expect(parseIdentity('a', `headstart-identity 1\nmachine-id\t\t${'1'.repeat(32)}\n`)).toBeUndefined();
  });

  it('never throws, and gives facts that a file can hold, for any lines of the guest', () => {
    const item = fc.oneof(fc.constantFrom<string>(...FACT_NAMES, '?', 'certificate', 'time', 'other'), fc.string());
    const line = fc.tuple(item, fc.string(), fc.string({ maxLength: 1000 })).map((parts) => parts.join('\t'));
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const parsed = parseIdentity('a', output(...lines));
        if (parsed) expect(identitySchema.safeParse(parsed.identity).error).toBeUndefined();
      }),
    );
  });

  it('has no value where the machine has only a placeholder', () => {
    const facts = factsOf(
      'machine-id\t\tuninitialized',
      'product-uuid\t\t00000000-0000-0000-0000-000000000000',
      'host-name\t\t ',
      'random-seed\t\te3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    expect(FACT_NAMES.filter((name) => isKnown(facts[name]))).toEqual([]);
  });

  it('compares names without regard to case, and keys with', () => {
    expect(factsOf('host-name\t\tNode-A')['host-name']).toEqual({ values: [{ value: 'node-a' }] });
    const [upper, lower] = ['AAAA', 'aaaa'].map((key) => factsOf(`ssh-host-key\tssh-rsa\t${key}`)['ssh-host-key']);
    expect(upper).not.toEqual(lower);
  });

  it('gives different items different hashes of the same value', () => {
    const facts = factsOf(`random-seed\t\t${HEX}`, `random-bytes\tfresh\t${HEX}`);
    expect(facts['random-seed']).not.toEqual(facts['random-bytes']);
    expect(JSON.stringify(facts)).not.toContain(HEX);
  });

  it('has the time of the machine', () => {
    expect(parseIdentity('a', output('time\t\t1800000000123456789'))?.takenMs).toBeCloseTo(1_800_000_000_123, -1);
    expect(parseIdentity('a', output())?.takenMs).toBeUndefined();
    expect(parseIdentity('a', output('time\t\t%s%N'))?.takenMs).toBeUndefined();
  });
});
