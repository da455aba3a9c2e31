import { describe, expect, it } from 'vitest';
import { Bench, codeOf, DEFINITION, withVersion } from '../testing.ts';
import { requireChildless } from './gallery-resources.ts';

describe('a gallery resource', () => {
  it('is answered with 201 when it is new and with 200 when it exists', () => {
    const bench = new Bench();
    const put = () => bench.ask('PUT', 'galleries/SIG_demo', { body: { location: 'westeurope' } });
    expect(put().status).toBe(201);
    bench.nowMs += 600_000;
    expect(put().status).toBe(200);
  });

  it('refuses another change while it is busy', () => {
    const bench = new Bench();
    withVersion(bench);
    const body = { location: 'westeurope', properties: DEFINITION };
    expect(bench.ask('PUT', 'galleries/SIG_demo/images/proto', { body }).status).toBe(200);
    expect(codeOf(bench.ask('DELETE', 'galleries/SIG_demo/images/proto/versions/2026.11.15'))[0]).toBe(202);
    expect(codeOf(bench.ask('PUT', 'galleries/SIG_demo/images/proto', { body }))).toEqual([409, 'Conflict']);
  });

  it('finds its parts by the path of their ids in any case, and not by a common prefix', () => {
    expect(() => requireChildless('/a/G', [{ id: '/a/g/images/x' }], 'images')).toThrow("include: '/a/g/images/x'");
    expect(requireChildless('/a/G', [{ id: '/a/G2/images/x' }, { id: '/a/G' }], 'images')).toBeUndefined();
  });
});
