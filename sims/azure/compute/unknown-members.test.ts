import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSpecs } from '../referee/find-specs.ts';
import { readRecordings } from '../referee/recordings.ts';
import { fieldAt, type Json, type JsonObject, stringAt } from '../service/json.ts';
import { findRoute } from '../service/routes.ts';
import { Bench, codeOf, DEFINITION, versionBody, withVersion } from '../testing.ts';
import { unknownMember } from './unknown-members.ts';

const SET = 'virtualMachineScaleSets/pool1';
const location = 'westeurope';

const bodies: [string, string, JsonObject, string, string][] = [
  [SET, 'PUT', { location, properties: { bogus: 1 } }, 'BadRequest', 'properties.bogus'],
  [
    SET,
    'PATCH',
    { properties: { virtualMachineProfile: { osProfile: { customdata: '' } } } },
    'BadRequest',
    'customdata',
  ],
  [
    SET,
    'PATCH',
    { properties: { virtualMachineProfile: { extensionProfile: { extensions: [{}, { propertys: {} }] } } } },
    'BadRequest',
    'extensions[1].propertys',
  ],
  [SET, 'PATCH', { sku: { capacity: 1, count: 2 } }, 'BadRequest', 'sku.count'],
  [SET, 'PATCH', { bogus: {} }, 'InvalidRequestContent', "'bogus'"],
  [`${SET}/virtualMachines/0`, 'PUT', { location, properties: { protection: {} } }, 'BadRequest', 'protection'],
  ['snapshots/snap', 'PATCH', { properties: { size: 3 } }, 'BadRequest', 'properties.size'],
  ['galleries/SIG_demo', 'PUT', { location, properties: { text: '' } }, 'BadRequest', 'properties.text'],
  [
    'galleries/SIG_demo/images/proto',
    'PUT',
    { location, properties: { ...DEFINITION, generation: 'V2' } },
    'BadRequest',
    'properties.generation',
  ],
  [
    'galleries/SIG_demo/images/proto/versions/2026.11.15',
    'PATCH',
    { properties: { publishingProfile: { replicas: 3 } } },
    'BadRequest',
    'publishingProfile.replicas',
  ],
];

describe('a member that Azure does not know', () => {
  it.each(bodies)('of %s is refused: %s %j', (path, method, body, code, where) => {
    const bench = new Bench();
    withVersion(bench);
    const before = structuredClone(bench.world);
    const answer = bench.ask(method, path, { body });
    expect(codeOf(answer)).toEqual([400, code]);
    expect(stringAt(answer.body, 'error', 'message')).toContain(where);
    expect({ ...bench.world, buckets: {}, requests: 0 }).toEqual({ ...before, buckets: {}, requests: 0 });
  });

  it('may be inside what belongs to somebody else: tags and settings of extensions', () => {
    const extension = { name: 'x', properties: { settings: { any: { thing: 1 } }, protectedSettings: { a: 'b' } } };
    const profile = { extensionProfile: { extensions: [extension] } };
    const body = { tags: { bogus: 'x' }, properties: { virtualMachineProfile: profile } };
    expect(new Bench().ask('PATCH', SET, { body }).status).toBe(200);
  });

  it('is not in anything the simulator answers: a client may send all of it back', () => {
    const bench = new Bench();
    withVersion(bench);
    const version = 'galleries/SIG_demo/images/proto/versions/2026.11.15';
    const paths = [SET, `${SET}/virtualMachines/0`, 'snapshots/snap', 'galleries/SIG_demo', version];
    for (const path of [...paths, bench.instances()[0]!.osDiskId!]) {
      const { type } = findRoute('GET', bench.urlOf(path).pathname)!;
      const { body } = bench.ask('GET', path, { query: '$expand=ReplicationStatus' });
      expect([path, unknownMember(type, body)]).toEqual([path, undefined]);
    }
    expect(unknownMember('galleries/images/versions', versionBody(bench))).toBeUndefined();
  });
});

const specs = findSpecs(process.env);
if (specs === undefined)
  process.stderr.write('NOT CHECKED: the members that Azure knows, for lack of specifications\n');

describe.runIf(specs !== undefined)('the members that Azure knows', () => {
  it('contain every example of a change in the specification', () => {
    const pattern =
      'specification/**/examples/*/{VirtualMachineScaleSet,Snapshot,Disk,Gallery,GalleryImage}*_{Create,Update}*.json';
    let checked = 0;
    for (const file of globSync(join(specs!, pattern))) {
      const example = JSON.parse(readFileSync(file, 'utf8')) as JsonObject;
      const found = exampleRequest(file, example);
      if (!found) continue;
      checked++;
      expect([file, unknownMember(found.type, found.body)]).toEqual([file, undefined]);
    }
    expect(checked).toBeGreaterThan(50);
  });

  it('contain every recorded request', () => {
    const writes = readRecordings(specs!).flatMap(({ method, url, requestBody }) => {
      const type = /^(PUT|PATCH)$/.test(method)
        ? findRoute(method, new URL(url, 'https://recorded').pathname)?.type
        : undefined;
      return type === undefined ? [] : [{ type, requestBody }];
    });
    expect(writes.length).toBeGreaterThan(20);
    for (const { type, requestBody } of writes) expect(unknownMember(type, requestBody)).toBeUndefined();
  });
});

const TYPES: [RegExp, string, string][] = [
  [/\/VirtualMachineScaleSet_/, 'virtualMachineScaleSets', 'parameters'],
  [/\/Snapshot_/, 'snapshots', 'snapshot'],
  [/\/Disk_/, 'disks', 'disk'],
  [/\/Gallery_/, 'galleries', 'gallery'],
  [/\/GalleryImage_/, 'galleries/images', 'galleryImage'],
  [/\/GalleryImageVersion_/, 'galleries/images/versions', 'galleryImageVersion'],
];

function exampleRequest(file: string, example: JsonObject): { type: string; body: Json } | undefined {
  const [, type, name] = TYPES.find(([pattern]) => pattern.test(file)) ?? [];
  const body = name === undefined ? undefined : fieldAt(example, 'parameters', name);
  return type === undefined || body === undefined || body === null ? undefined : { type, body };
}
