import { describe, expect, it } from 'vitest';
import { Bench, codeOf, DEFINITION, withVersion } from '../testing.ts';

const IMAGE = 'galleries/SIG_demo/images/proto';

describe('a definition', () => {
  it.each([
    ['osState', { osState: 'Specialized' }],
    ['generation', { hyperVGeneration: 'V1' }],
    ['identifier', { identifier: { publisher: 'x', offer: 'y', sku: 'z' } }],
  ])('never changes its %s', (_, change) => {
    const bench = new Bench();
    withVersion(bench);
    const body = { location: 'westeurope', properties: { ...DEFINITION, ...change } };
    expect(codeOf(bench.ask('PUT', IMAGE, { body }))).toEqual([409, 'PropertyChangeNotAllowed']);
  });

  it('accepts the same PUT again', () => {
    const bench = new Bench();
    withVersion(bench);
    const body = { location: 'westeurope', properties: DEFINITION };
    expect(bench.askAndWait('PUT', IMAGE, { body }).body?.status).toBe('Succeeded');
  });

  it('has a unique publisher, offer and sku within the gallery', () => {
    const bench = new Bench();
    withVersion(bench);
    const body = { location: 'westeurope', properties: DEFINITION };
    expect(codeOf(bench.ask('PUT', 'galleries/SIG_demo/images/second', { body }))).toEqual([409, 'Conflict']);
  });
});
