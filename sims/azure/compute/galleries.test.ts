import { describe, expect, it } from 'vitest';
import { Bench, codeOf, DEFINITION, withVersion } from '../testing.ts';

const IMAGE = 'galleries/SIG_demo/images/proto';
const VERSION = `${IMAGE}/versions/2026.11.15`;

describe('names', () => {
  it.each([
    ['galleries/SIG-demo', { location: 'westeurope' }],
    ['galleries/_SIG', { location: 'westeurope' }],
    [`galleries/${'x'.repeat(81)}`, { location: 'westeurope' }],
    ['galleries/SIG_demo/images/-x', { location: 'westeurope', properties: DEFINITION }],
  ])('PUT %s is refused', (path, body) => {
    const bench = new Bench();
    bench.askAndWait('PUT', 'galleries/SIG_demo', { body: { location: 'westeurope' } });
    expect(codeOf(bench.ask('PUT', path, { body }))).toEqual([400, 'InvalidParameter']);
  });
});

describe('deletion', () => {
  it('works from the leaves to the root, and answers 204 for a missing resource', () => {
    const bench = new Bench();
    withVersion(bench);
    expect(codeOf(bench.ask('DELETE', 'galleries/SIG_demo'))).toEqual([409, 'CannotDeleteResource']);
    expect(codeOf(bench.ask('DELETE', IMAGE))).toEqual([409, 'CannotDeleteResource']);
    for (const path of [VERSION, IMAGE, 'galleries/SIG_demo']) {
      expect(bench.askAndWait('DELETE', path).body?.status).toBe('Succeeded');
      expect(bench.ask('DELETE', path).status).toBe(204);
    }
  });
});
