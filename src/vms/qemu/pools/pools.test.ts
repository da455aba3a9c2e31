import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../base/errors.ts';
import { Conflict, NotFound, Refused } from '../../../base/failures.ts';
import { poolFolder, poolKey, poolRecord } from '../home/layout.ts';
import { type Lab, makeLab, poolSpec, publishEmpty } from '../testing.ts';
import { checkSpec } from './pools.ts';

let lab: Lab;
let image: string;
beforeEach(async () => {
  lab = makeLab();
  image = await publishEmpty(lab);
});
afterEach(() => lab.end());

const extension = { publisher: 'p', type: 't', after: [], script: 'exit 0' };

describe('createPool', () => {
  it('keeps secrets in private files', async () => {
    await lab.provider.pools.createPool(poolSpec(image, { customData: 'c2VjcmV0' }));
    const folder = poolFolder(lab.context.home, 'web');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of [poolRecord, poolKey]) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, `${poolKey}.pub`), 'utf8')).toContain('ssh-ed25519');
  });

  it('refuses an existing name, and leaves that pool unchanged', async () => {
    const first = await lab.provider.pools.createPool(poolSpec(image, { tags: { a: '1' } }));
    await expect(lab.provider.pools.createPool(poolSpec(image, { tags: { a: '2' } }))).rejects.toBeInstanceOf(Conflict);
    expect(await lab.provider.pools.listPools()).toEqual([first]);
  });

  it('leaves nothing when the image does not exist or is not local', async () => {
    const gone = poolSpec('galleries/headstart/empty/9.9.9');
    await expect(lab.provider.pools.createPool(gone)).rejects.toBeInstanceOf(NotFound);
    const other = { kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: 'latest' } as const;
    await expect(lab.provider.pools.createPool(poolSpec(image, { image: other }))).rejects.toBeInstanceOf(UserError);
    expect(existsSync(poolFolder(lab.context.home, 'web'))).toBe(false);
  });

  it('returns the spec it was made from', async () => {
    const spec = poolSpec(image, {
      customData: 'Y3VzdG9t',
      userData: 'dXNlcg==',
      extensions: [{ ...extension, name: 'a' }],
      services: [{ address: '168.0.0.100', port: 80, to: { host: 'localhost', port: 8080 } }],
      readyUnit: 'kubelet.service',
    });
    const { ref } = await lab.provider.pools.createPool(spec);
    expect(await lab.provider.pools.readSpec(ref)).toEqual(spec);
    expect(await lab.provider.publisher.readModel(ref)).toEqual({
      image: spec.image,
      customData: spec.customData,
      extensions: spec.extensions,
    });
  });

  it('follows the newest version that is not excluded', async () => {
    for (const name of ['2026.9.30', '2026.10.2', '2026.11.1']) await publishEmpty(lab, name);
    const [definition] = (await lab.provider.gallery.listDefinitions('headstart'))!;
    await lab.provider.gallery.setExcludedFromLatest(definition!, '2026.11.1', true);
    const { ref } = await lab.provider.pools.createPool(
      poolSpec('', { image: { kind: 'definition', id: definition!.id } }),
    );
    const [made] = await lab.provider.pools.setCapacity(ref, 1);
    expect(made?.image).toEqual({ kind: 'version', id: `${definition!.id}/2026.10.2` });
  });
});

describe('deletePool', () => {
  it('ends its machines and deletes its folders, and succeeds when the pool does not exist', async () => {
    const { ref } = await lab.provider.pools.createPool(poolSpec(image));
    const made = await lab.provider.pools.setCapacity(ref, 2);
    for (const _ of [1, 2]) await lab.provider.pools.deletePool(ref);
    expect(lab.machines.ended.sort()).toEqual(made.map(({ vmId }) => vmId).sort());
    expect(existsSync(poolFolder(lab.context.home, 'web'))).toBe(false);
  });
});

describe('checkSpec', () => {
  it('reports all problems at once', () => {
    const bad = poolSpec(image, {
      name: 'Not A Name',
      customData: 'not base64!',
      size: { cpus: 0, memoryMb: 1024, diskGb: 4 },
      services: [
        { address: '168.0.0.2', port: 80, to: { host: 'a b', port: 80 } },
        { address: '168.0.0.100', port: 0, to: { host: 'a', port: 80 } },
      ],
      extensions: [
        { ...extension, name: 'a/../b' },
        { ...extension, name: 'c' },
        { ...extension, name: 'c' },
      ],
      readyUnit: 'a b',
    });
    const parts = [
      'name:',
      'customData:',
      'size.cpus:',
      '168.0.0.2',
      'services.0.to.host',
      'services.1.port',
      'extensions.0.name',
      'c is listed twice',
      'readyUnit',
    ];
    for (const part of parts) expect(() => checkSpec(bad)).toThrow(part);
  });

  it('refuses an image that is not local', async () => {
    const change = {
      image: { kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: 'latest' } as const,
      bootstrap: 'none' as const,
      extensions: { keep: [], add: [] },
      tags: {},
    };
    const pool = await lab.provider.pools.createPool(poolSpec(image));
    await expect(lab.provider.publisher.changeModel(pool, change)).rejects.toBeInstanceOf(UserError);
    await expect(lab.provider.pools.readPool({ id: 'pools/../..', name: 'x' })).rejects.toBeInstanceOf(Refused);
  });
});
