import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotFound, Refused } from '../../../base/failures.ts';
import { emptyDefinition, type Lab, makeLab, publishEmpty } from '../testing.ts';
import { parseVersionId, type VersionId, versionFileNames, versionFolder } from './layout.ts';
import { writeHomeRecord } from './record-file.ts';
import { readVersionRecord, resolveVersion, verifyVersion, versionNamesIn } from './version-records.ts';

let lab: Lab;
let home: string;
beforeEach(() => {
  lab = makeLab();
  ({ home } = lab.context);
});
afterEach(() => lab.end());

const definition = { gallery: emptyDefinition.gallery, definition: emptyDefinition.name };
const definitionImage = { kind: 'definition', id: 'galleries/headstart/empty' } as const;

async function publish(...names: string[]): Promise<VersionId[]> {
  const ids: VersionId[] = [];
  for (const name of names) ids.push(parseVersionId(await publishEmpty(lab, name))!);
  return ids;
}

function exclude(id: VersionId): void {
  const record = readVersionRecord(home, id)!;
  writeHomeRecord(join(versionFolder(home, id), versionFileNames.record), { ...record, isExcludedFromLatest: true });
}

describe('versionNamesIn', () => {
  it('is sorted newest first, by number', async () => {
    await publish('2026.9.30', '2026.10.2', '2025.12.31', '2026.10.10');
    expect(versionNamesIn(home, definition)).toEqual(['2026.10.10', '2026.10.2', '2026.9.30', '2025.12.31']);
  });

  it('skips a folder without a record', async () => {
    const [whole, torn] = await publish('1.0.0', '1.0.1');
    rmSync(join(versionFolder(home, torn!), versionFileNames.record));
    expect(versionNamesIn(home, definition)).toEqual([whole!.version]);
  });
});

describe('resolveVersion', () => {
  it('resolves a version to itself, and a definition to its newest version that is not excluded', async () => {
    const [old, newest] = await publish('1.0.0', '1.0.1');
    expect(resolveVersion(home, { kind: 'version', id: 'galleries/headstart/empty/1.0.0' }).id).toEqual(old);
    expect(resolveVersion(home, definitionImage).id).toEqual(newest);
    exclude(newest!);
    expect(resolveVersion(home, definitionImage).id).toEqual(old);
  });

  it.each([
    { kind: 'version', id: 'galleries/headstart/empty/9.9.9' },
    { kind: 'version', id: '../../etc' },
    { kind: 'definition', id: 'galleries/headstart/none' },
    { kind: 'definition', id: 'galleries' },
  ] as const)('throws NotFound for the $kind $id', async (image) => {
    await publish('1.0.0');
    expect(() => resolveVersion(home, image)).toThrow(NotFound);
  });

  it('throws NotFound when every version is excluded', async () => {
    const [only] = await publish('1.0.0');
    exclude(only!);
    expect(() => resolveVersion(home, definitionImage)).toThrow(NotFound);
  });

  it('refuses a marketplace image', () => {
    const image = { kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: 'latest' } as const;
    expect(() => resolveVersion(home, image)).toThrow(Refused);
  });
});

describe('verifyVersion', () => {
  it('accepts what was published, and names the first file that differs or is missing', async () => {
    const [id] = await publish('1.0.0');
    await verifyVersion(home, id!);
    const vmlinux = join(versionFolder(home, id!), versionFileNames.vmlinux);
    writeFileSync(vmlinux, 'other');
    const damaged = { code: 'vms/version-damaged', message: expect.stringContaining(vmlinux) };
    await expect(verifyVersion(home, id!)).rejects.toMatchObject(damaged);
    rmSync(vmlinux);
    await expect(verifyVersion(home, id!)).rejects.toMatchObject(damaged);
  });

  it('throws the abort reason, and does not report it as damage', async () => {
    const [id] = await publish('1.0.0');
    await expect(verifyVersion(home, id!, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });

  it('throws NotFound when the version does not exist', async () => {
    await expect(verifyVersion(home, { ...definition, version: '9.9.9' })).rejects.toBeInstanceOf(NotFound);
  });
});
