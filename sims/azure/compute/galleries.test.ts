import { describe, expect, it } from 'vitest';
import { objectAt } from '../service/json.ts';
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

describe('a PATCH', () => {
  const tags = { a: 'b' };
  const changes = { description: 'for new nodes' };

  it.each(['galleries/SIG_demo', IMAGE])('of %s changes what it names, and nothing else', (path) => {
    const bench = new Bench();
    withVersion(bench);
    const before = bench.ask('GET', path).body!;
    const first = bench.ask('PATCH', path, { body: { properties: changes } });
    expect([first.status, objectAt(first.body, 'properties')?.provisioningState]).toEqual([200, 'Updating']);
    bench.nowMs += 600_000;
    expect(bench.askAndWait('PATCH', path, { body: { tags } }).body?.status).toBe('Succeeded');
    const properties = { ...objectAt(before, 'properties'), ...changes };
    expect(bench.ask('GET', path).body).toEqual({ ...before, tags, properties });
  });

  it.each(['galleries/SIG_demo', IMAGE])('of %s is refused while another change runs, and without it', (path) => {
    const bench = new Bench();
    expect(codeOf(bench.ask('PATCH', path, { body: { tags } }))).toEqual([404, 'ResourceNotFound']);
    withVersion(bench);
    bench.ask('PATCH', path, { body: { tags } });
    expect(codeOf(bench.ask('PATCH', path, { body: { tags: {} } }))).toEqual([409, 'Conflict']);
  });

  it.each(['failed', 'succeeded-but-not-applied'] as const)('that %s changes nothing', (fate) => {
    const bench = new Bench();
    withVersion(bench);
    for (const path of ['galleries/SIG_demo', IMAGE]) {
      bench.askAndWait('PATCH', path, { body: { tags }, strike: { fate } });
      expect(bench.ask('GET', path).body?.tags).toEqual({});
    }
  });

  it('of a definition cannot change what is fixed', () => {
    const bench = new Bench();
    withVersion(bench);
    const body = { properties: { osState: 'Specialized' } };
    expect(codeOf(bench.ask('PATCH', IMAGE, { body }))).toEqual([409, 'PropertyChangeNotAllowed']);
  });
});
