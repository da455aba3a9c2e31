// The simulator beside recordings of the real service: same status, same headers, same shapes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../call.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { type Ask, Bench, DEFINITION, versionBody, withVersion } from '../testing.ts';
import { findSpecs } from './find-specs.ts';

interface Recorded {
  method: string;
  url: string;
  status: number;
  headers: Record<string, string>;
  body: Json;
}

const specs = findSpecs(process.env);
const recordings = specs === undefined ? [] : readAll(join(specs, 'real-traffic'));
const LEADING_ON = ['azure-asyncoperation', 'location', 'etag', 'azure-asyncnotification'];

const SNAPSHOT = (bench: Bench): Ask => ({
  body: {
    location: 'westeurope',
    tags: {},
    properties: {
      incremental: true,
      creationData: { createOption: 'Copy', sourceResourceId: bench.instances()[0]!.osDiskId },
    },
  },
});
/** Only sets with an identity were patched while recording. */
const NOT_DEMANDED = [
  '/identity',
  '/identity/type',
  '/identity/userAssignedIdentities',
  '/identity/principalId',
  '/identity/tenantId',
];
const S = 'virtualMachineScaleSets/pool1';
const V = 'galleries/SIG_demo/images/proto/versions';

/** What is asked of the simulator, and which recordings it is held against. */
const cases: [string, RegExp, number, string, (bench: Bench) => Ask][] = [
  ['GET', /\/virtualMachineScaleSets\/[^/]+$/, 200, S, () => ({})],
  ['PUT', /\/virtualMachineScaleSets\/[^/]+$/, 200, S, () => ({ body: { location: 'westeurope' } })],
  ['PATCH', /\/virtualMachineScaleSets\/[^/]+$/, 200, S, () => ({ body: { tags: {} } })],
  ['DELETE', /\/virtualMachineScaleSets\/[^/]+$/, 202, S, () => ({})],
  ['GET', /\/virtualMachineScaleSets\/[^/]+\/instanceView$/, 200, `${S}/instanceView`, () => ({})],
  ['GET', /\/virtualMachines\/[^/]+\/instanceView$/, 200, `${S}/virtualMachines/0/instanceView`, () => ({})],
  ['POST', /\/virtualMachineScaleSets\/[^/]+\/start$/, 202, `${S}/start`, () => ({ body: { instanceIds: ['0'] } })],
  [
    'POST',
    /\/virtualMachineScaleSets\/[^/]+\/poweroff$/,
    202,
    `${S}/poweroff`,
    () => ({ body: { instanceIds: ['0'] } }),
  ],
  ['POST', /\/virtualMachineScaleSets\/[^/]+\/delete$/, 202, `${S}/delete`, () => ({ body: { instanceIds: ['0'] } })],
  [
    'POST',
    /\/virtualMachineScaleSets\/[^/]+\/virtualMachines\/[^/]+\/deallocate$/,
    202,
    `${S}/virtualMachines/0/deallocate`,
    () => ({}),
  ],
  ['GET', /\/virtualMachineScaleSets\/[^/]+$/, 404, 'virtualMachineScaleSets/none', () => ({})],
  ['GET', /\/virtualMachines\/[^/]+\/instanceView$/, 404, `${S}/virtualMachines/77/instanceView`, () => ({})],
  ['PUT', /\/snapshots\/[^/]+$/, 202, 'snapshots/other', SNAPSHOT],
  ['GET', /\/snapshots\/[^/]+$/, 200, 'snapshots/incremental', () => ({})],
  ['GET', /\/snapshots\/[^/]+$/, 404, 'snapshots/none', () => ({})],
  ['GET', /\/disks\/[^/]+$/, 200, '(a disk)', () => ({})],
  ['PUT', /\/galleries\/[^/]+$/, 201, 'galleries/SIG_new', () => ({ body: { location: 'westeurope' } })],
  ['GET', /\/galleries\/[^/]+$/, 200, 'galleries/SIG_demo', () => ({})],
  ['DELETE', /\/galleries\/[^/]+$/, 202, 'galleries/SIG_empty', () => ({})],
  [
    'PUT',
    /\/galleries\/[^/]+\/images\/[^/]+$/,
    201,
    'galleries/SIG_demo/images/new',
    () => ({
      body: {
        location: 'westeurope',
        tags: {},
        properties: { ...DEFINITION, identifier: { publisher: 'a', offer: 'b', sku: 'c' } },
      },
    }),
  ],
  ['GET', /\/galleries\/[^/]+\/images\/[^/]+$/, 200, 'galleries/SIG_demo/images/proto', () => ({})],
  ['PUT', /\/versions\/[^/]+$/, 201, `${V}/1.0.0`, (bench) => ({ body: versionBody(bench) })],
  ['PUT', /\/versions\/[^/]+$/, 200, `${V}/2026.11.15`, (bench) => ({ body: versionBody(bench) })],
  ['GET', /\/versions\/[^/]+$/, 200, `${V}/2026.11.15`, () => ({})],
  ['DELETE', /\/versions\/[^/]+$/, 202, `${V}/2026.11.15`, () => ({})],
];

describe.runIf(specs !== undefined)('the simulator answers as the recorded service did:', () => {
  it.each(cases)('%s %s %i', (method, pattern, status, path, ask) => {
    const real = recordings.filter(
      (one) => one.method === method && one.status === status && pattern.test(new URL(one.url, 'https://x').pathname),
    );
    expect(real.length).toBeGreaterThan(0);
    const bench = new Bench();
    withVersion(bench);
    bench.askAndWait('PUT', 'galleries/SIG_empty', { body: { location: 'westeurope' } });
    bench.askAndWait('PUT', 'snapshots/incremental', SNAPSHOT(bench));
    const target = path === '(a disk)' ? bench.instances()[0]!.osDiskId! : path;
    compare(bench.ask(method, target, ask(bench)), real);
  });

  it.each([
    ['operations', 'POST', `${S}/virtualMachines/0/poweroff`, () => ({})],
    ['DiskOperations', 'PUT', 'snapshots/other', SNAPSHOT],
    ['capsOperations', 'PUT', 'galleries/SIG_new', () => ({ body: { location: 'westeurope' } })],
  ] as [string, string, string, (bench: Bench) => Ask][])('polls of %s', (kind, method, path, ask) => {
    const bench = new Bench();
    const url = bench.ask(method, path, ask(bench)).headers!['azure-asyncoperation']!;
    const real = recordings.filter(
      ({ url: one }) => one.includes(`/${kind}/`) && !one.includes('monitor=true') && !one.includes('runCommand'),
    );
    const inState = (state: string) => real.filter(({ body }) => isObject(body) && body.status === state);
    compare(bench.ask('GET', url), inState('InProgress').length > 0 ? inState('InProgress') : real);
    bench.nowMs += 600_000;
    compare(bench.ask('GET', url), inState('Succeeded').map(withoutOutput));
  });
});

/** Only disks and run-command tell what came out; its shape is that of the resource. */
function withoutOutput(one: Recorded): Recorded {
  if (!isObject(one.body)) return one;
  const { properties: _, ...body } = one.body;
  return { ...one, body };
}

function compare(answer: Answer, real: Recorded[]): void {
  expect(answer.status).toBe(real[0]!.status);
  for (const name of LEADING_ON) {
    const has = answer.headers?.[name] !== undefined;
    const had = real.map(({ headers }) => headers[name] !== undefined);
    expect(had, `header ${name}: ${has}`).toContain(has);
  }
  const known = real.map(({ body }) => typesOf(body));
  const mine = typesOf(answer.body ?? null);
  for (const [path, type] of mine) {
    const seen = new Set(known.flatMap((types) => types.get(path) ?? []));
    if (seen.size > 0) expect([...seen], `type of ${path}`).toContain(type);
  }
  const [first, ...others] = known;
  const always = [...(first?.keys() ?? [])].filter(
    (path) => others.every((types) => types.has(path)) && !NOT_DEMANDED.includes(path),
  );
  for (const path of always.filter((one) => one.split('/').length <= 3)) expect([...mine.keys()]).toContain(path);
}

/** Every path of a document and the type found there; items of a list share one path, keys of tags are not looked at. */
function typesOf(value: Json, path = '', types = new Map<string, string>()): Map<string, string> {
  if (Array.isArray(value)) for (const item of value) typesOf(item, `${path}/[]`, types);
  else if (isObject(value) && !path.endsWith('/tags')) walk(value, path, types);
  if (path !== '') types.set(path, Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value);
  return types;
}

function walk(document: JsonObject, path: string, types: Map<string, string>): void {
  for (const [key, value] of Object.entries(document)) {
    if (value !== undefined) typesOf(value, `${path}/${key}`, types);
  }
}

function readAll(folder: string): Recorded[] {
  return readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Recorded[]);
}
