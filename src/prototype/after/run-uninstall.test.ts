// An uninstall removes everything that headstart created, after it has restored the pool, whatever faults occur.
import { describe, expect, it } from 'vitest';
import { TransientError, UserError } from '../../base/errors.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { LeaseHeld } from '../../cluster/lease-held.ts';
import { writeLastRun } from '../last-run.ts';
import { leaseName, prototypeDefinitionName, SEALED_ANNOTATION, savedModelName, TAGS } from '../names.ts';
import { donorViolations, modelViolations, readDonorState } from '../run/invariants.testing.ts';
import { Crash, Dial, FAULTS, type Fault, type Lab, lab, POOL, POOL_REF } from '../testing.ts';
import { uninstallPool } from './run-uninstall.ts';
import type { UninstallOptions } from './uninstall.ts';

const POOL2 = { id: '/pools/pool2', name: 'pool2' };
const CUSTOM_DATA = 'Ym9vdHN0cmFw';
const BACK: Omit<UninstallOptions, 'unsealed'> = { to: 'original', customData: CUSTOM_DATA, isUnsealing: false };

function uninstall(world: Lab, options = BACK, dial = new Dial(), runId = 'uninstall') {
  return uninstallPool(
    { pool: world.ref.pool, gallery: world.intent.gallery, runId, options },
    {
      ...dial.wrapProvider(world.provider),
      cluster: dial.wrap<Cluster>(world.cluster),
      clock: world.clock,
      signal: new AbortController().signal,
      onEvent: () => undefined,
    },
  );
}

async function prototyped(): Promise<Lab> {
  const world = lab();
  await world.run();
  await writeLastRun(world.cluster, world.ref.pool, { outcome: 'succeeded', endedAt: '' });
  return world;
}

/** Everything that headstart created and that still exists. */
function leftovers({ provider, cluster, donor }: Lab): string[] {
  const pool = provider.state.pools.get(donor.ref.pool.id)!;
  const marks = [...cluster.nodes.values()].flatMap(({ annotations }) => Object.keys(annotations));
  return [
    ...[...provider.state.versions.keys()],
    ...[...provider.state.definitions.keys()],
    ...[...provider.state.galleries],
    ...[...provider.state.snapshots.keys()],
    ...[...cluster.secrets.keys()],
    ...[...cluster.leases.keys()],
    ...Object.keys(pool.tags),
    ...pool.instances.flatMap(({ tags }) => Object.keys(tags)),
    ...marks.filter((key) => key.startsWith('headstart.dev/')),
  ];
}

function isOriginal({ provider, donor }: Lab): boolean {
  const { model, customData } = provider.state.pools.get(donor.ref.pool.id)!;
  return model.image.kind === 'marketplace' && customData === CUSTOM_DATA && model.extensions.length === 2;
}

const failure = async (promise: Promise<unknown>): Promise<UserError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UserError);
  return error as UserError;
};

describe('uninstallPool', () => {
  it('refuses before any change if the command of an extension is unknown, and takes it from the operator', async () => {
    const world = lab();
    const pool = world.provider.state.pools.get(world.donor.ref.pool.id)!;
    pool.settings = {};
    await world.run();
    const { recipe } = world.cluster.secrets.get(savedModelName(POOL_REF))!;
    world.cluster.secrets.set(savedModelName(POOL_REF), {
      recipe: JSON.stringify({ ...(JSON.parse(recipe!) as object), customData: CUSTOM_DATA }),
    });
    const before = leftovers(world);
    expect((await failure(uninstall(world))).code).toBe('prototype/no-way-back');
    expect(leftovers(world)).toEqual(before);
    const protectedSettings = { bootstrap: { commandToExecute: 'join' } };
    await uninstall(world, { to: 'original', isUnsealing: false, protectedSettings });
    expect(pool.protectedSettings).toEqual(protectedSettings);
    expect(isOriginal(world)).toBe(true);
  });

  it('restores the model first, deletes the saved model last, and does nothing the second time', async () => {
    const world = await prototyped();
    const { done, kept, sealed } = await uninstall(world);
    expect(done).toEqual([
      `point ${POOL} at marketplace debian:debian-12:12-gen2:latest instead of version ${world.intent.version}`,
      `delete the versions ${world.intent.version}`,
      `delete the image definition ${prototypeDefinitionName(POOL_REF)}`,
      'delete the gallery SIG_lab',
      'delete the saved original model',
    ]);
    expect(kept).toEqual([]);
    expect(sealed).toEqual([world.donor.computerName]);
    expect(leftovers(world)).toEqual([]);
    expect(isOriginal(world)).toBe(true);
    expect(await uninstall(world)).toEqual({ done: [], kept: [], sealed: [] });
  });

  it('does nothing on a pool that was never prototyped', async () => {
    expect(await uninstall(lab())).toEqual({ done: [], kept: [], sealed: [] });
  });

  it('keeps versions that instances still run, names those, and continues when they are gone', async () => {
    const world = await prototyped();
    const grown = world.provider.scaleOut(world.ref.pool);
    const first = await uninstall(world);
    expect(first.kept).toMatchObject([
      { what: `version ${world.intent.version}`, because: `${grown.computerName} still runs it` },
      { what: 'the saved original model' },
    ]);
    expect(first.kept[0]!.next).toContain('drain and delete that instance');
    expect(isOriginal(world)).toBe(true);
    expect(world.provider.state.versions.size).toBe(1);
    const pool = world.provider.state.pools.get(world.ref.pool.id)!;
    pool.instances.splice(pool.instances.indexOf(grown), 1);
    expect((await uninstall(world)).kept).toEqual([]);
    expect(leftovers(world)).toEqual([]);
  });

  it("keeps another pool's definition and its gallery", async () => {
    const world = await prototyped();
    const [mine] = world.provider.state.definitions.values();
    await world.provider.gallery.ensureDefinition(
      { ...mine!, name: prototypeDefinitionName(POOL2), sku: 'pool2' },
      'here',
    );
    const { kept } = await uninstall(world);
    expect(kept).toEqual([{ what: 'the gallery SIG_lab', because: `it holds ${prototypeDefinitionName(POOL2)}` }]);
    expect([...world.provider.state.definitions.values()].map(({ name }) => name)).toEqual([
      prototypeDefinitionName(POOL2),
    ]);
    expect(world.cluster.secrets.size).toBe(0);
  });

  it('does not delete a definition that is created at the last moment', async () => {
    const world = await prototyped();
    const [mine] = world.provider.state.definitions.values();
    const { deleteGallery } = world.provider.gallery;
    world.provider.gallery.deleteGallery = async (gallery) => {
      await world.provider.gallery.ensureDefinition(
        { ...mine!, name: prototypeDefinitionName(POOL2), sku: 'pool2' },
        'here',
      );
      return deleteGallery(gallery);
    };
    const { kept } = await uninstall(world);
    expect(kept).toMatchObject([{ what: 'the gallery SIG_lab' }]);
    expect(world.provider.state.definitions.size).toBe(1);
  });

  it('to a version keeps that version, its gallery and the saved model, and deletes the others', async () => {
    const world = await prototyped();
    const [made] = [...world.provider.state.versions.values()];
    const old = { ...made!, name: '2026.1.1', id: made!.id.replace(made!.name, '2026.1.1') };
    world.provider.state.versions.set(old.id, old);
    const { kept } = await uninstall(world, { to: { version: '2026.1.1' }, isUnsealing: false });
    expect(kept.map(({ what }) => what)).toEqual(['version 2026.1.1', 'the saved original model']);
    expect(kept.every(({ next }) => next === undefined)).toBe(true);
    expect([...world.provider.state.versions.values()].map(({ name }) => name)).toEqual(['2026.1.1']);
    expect(world.provider.state.pools.get(world.ref.pool.id)!.model.image).toEqual({ kind: 'version', id: old.id });
    expect(world.provider.state.pools.get(world.ref.pool.id)!.tags).toEqual({});
    expect(world.cluster.secrets.has(savedModelName(POOL_REF))).toBe(true);
  });

  it('with --to keep leaves the model and removes everything else', async () => {
    const world = await prototyped();
    const pool = world.provider.state.pools.get(world.ref.pool.id)!;
    pool.model.image = { kind: 'other', id: '/images/mine' };
    const { kept } = await uninstall(world, { to: 'keep', isUnsealing: false });
    expect(kept).toEqual([]);
    expect(pool.model.image).toEqual({ kind: 'other', id: '/images/mine' });
    expect(leftovers(world)).toEqual([]);
  });

  it('refuses before any change if there is no saved model to restore', async () => {
    const world = await prototyped();
    world.cluster.secrets.clear();
    const before = leftovers(world);
    expect((await failure(uninstall(world))).code).toBe('prototype/no-recipe');
    expect(leftovers(world)).toEqual(before);
  });

  it('names a damaged Secret and changes nothing', async () => {
    const world = await prototyped();
    world.cluster.secrets.set(savedModelName(POOL_REF), { recipe: '{' });
    expect((await failure(uninstall(world))).code).toBe('prototype/bad-recipe');
    expect(world.provider.state.versions.size).toBe(1);
  });

  it('is refused during a run, and takes over from a run that died', async () => {
    const world = await prototyped();
    await world.cluster.holdLease(leaseName(POOL_REF), { holder: 'run', durationMs: 900_000, note: 'n' });
    expect(await failure(uninstall(world))).toBeInstanceOf(LeaseHeld);
    world.clock.advance(16 * 60_000);
    await uninstall(world);
    expect(leftovers(world)).toEqual([]);
  });

  it('restores a donor first, with or without its Node object, and deletes the incomplete snapshot', async () => {
    for (const hasNode of [true, false]) {
      const world = lab();
      const found = readDonorState(world);
      const dial = new Dial();
      await lab().run(dial);
      const at = dial.names.indexOf('createSnapshot');
      await expect(world.run(new Dial('crash-after', at), 'dead')).rejects.toBeInstanceOf(UserError);
      expect(world.donor.power).toBe('stopped');
      world.clock.advance(16 * 60_000);
      if (!hasNode) world.cluster.nodes.delete(world.donor.computerName);
      const { done } = await uninstall(world);
      expect(done[0]).toBe(`return ${world.donor.computerName} to service`);
      expect(world.donor.power).toBe('running');
      if (hasNode) expect(donorViolations(world, found)).toEqual([]);
      expect(leftovers(world)).toEqual([]);
      expect(isOriginal(world)).toBe(true);
    }
  });

  it('removes a leftover annotation', async () => {
    const world = await prototyped();
    world.cluster.touch(world.donor.computerName, { annotations: { [SEALED_ANNOTATION]: 'x', mine: 'y' } });
    await uninstall(world);
    expect(world.cluster.nodes.get(world.donor.computerName)!.annotations).toEqual({ mine: 'y' });
  });

  it('keeps the versions of a definition of another publisher', async () => {
    const world = await prototyped();
    for (const definition of world.provider.state.definitions.values()) definition.publisher = 'kamino';
    const { kept } = await uninstall(world);
    expect(kept[0]).toMatchObject({ what: `the image definition ${prototypeDefinitionName(POOL_REF)}` });
    expect(world.provider.state.versions.size).toBe(1);
  });
});

describe('unsealing', () => {
  const answer = (items: string) => ({ exitCode: 0, stdout: items, stderr: '' });

  it('removes the clone check from every Ready node and lists the others', async () => {
    const world = await prototyped();
    world.cluster.scripts.length = 0;
    world.cluster.runScript = () => answer('drop-in=ok\nowner=ok\n');
    const [first, second, third] = [...world.cluster.nodes.keys()];
    const { sealed } = await uninstall(world, { ...BACK, isUnsealing: true });
    expect(world.cluster.scripts.map(({ node }) => node)).toEqual([first, second, third]);
    expect(world.cluster.scripts.every(({ script }) => script.includes("'unseal'"))).toBe(true);
    expect(sealed).toEqual([]);
  });

  it('stops part-way when it fails, and the same command continues', async () => {
    const world = await prototyped();
    world.cluster.runScript = () => answer('drop-in=failed read-only file system\nowner=absent\n');
    const error = await failure(uninstall(world, { ...BACK, isUnsealing: true }));
    expect(error).toMatchObject({ code: 'prototype/not-unsealed', exitCode: 4 });
    expect(error.message).toContain('read-only file system');
    expect(isOriginal(world)).toBe(true);
    expect(world.provider.state.versions.size).toBe(1);
    world.cluster.runScript = () => answer('owner=absent\n');
    await uninstall(world, { ...BACK, isUnsealing: true });
    expect(leftovers(world)).toEqual([]);
  });

  it.each(['', 'owner=failed x\n', 'drop-in=ok\n'])('rejects the output %j', async (stdout) => {
    const world = await prototyped();
    world.cluster.runScript = () => answer(stdout);
    expect((await failure(uninstall(world, { ...BACK, isUnsealing: true }))).code).toBe('prototype/not-unsealed');
  });
});

describe('an uninstall of a pool that shares its definition with another pool of its name', () => {
  it('keeps what is not its own, and removes its own saved model', async () => {
    const world = await prototyped();
    const [own] = world.provider.state.versions.values();
    const id = own!.id.replace(own!.name, '2020.1.1');
    const tags = { ...own!.tags, [TAGS.pool]: '/groups/two/pools/pool1' };
    world.provider.state.versions.set(id, { ...own!, id, name: '2020.1.1', tags });
    const { kept } = await uninstall(world);
    expect([...world.provider.state.versions.values()].map(({ name }) => name)).toEqual(['2020.1.1']);
    expect(world.provider.state.definitions.size).toBe(1);
    expect(world.cluster.secrets.size).toBe(0);
    expect(kept).toEqual([
      { what: 'version 2020.1.1', because: 'it belongs to another pool, /groups/two/pools/pool1' },
    ]);
    const refused = await failure(uninstall(world, { ...BACK, to: { version: '2020.1.1' } }));
    expect(refused.message).toContain('2020.1.1');
  });
});

describe('the fault campaign of an uninstall', () => {
  let cases = 0;

  async function broken(fault: Fault, at: number): Promise<string[]> {
    const world = await prototyped();
    const found = readDonorState(world);
    const dial = new Dial(fault, at);
    await uninstall(world, BACK, dial, 'first').catch((error: unknown) => {
      const isAnswer = error instanceof UserError || error instanceof TransientError || error instanceof Crash;
      if (!isAnswer) throw error;
    });
    const violations = [...modelViolations(world), ...donorViolations(world, found)];
    world.clock.advance(16 * 60_000);
    const { kept } = await uninstall(world, BACK, new Dial(), 'second');
    return [
      ...violations,
      ...modelViolations(world),
      ...leftovers(world),
      ...kept.map(({ what }) => what),
      ...(isOriginal(world) ? [] : ['the pool is not back']),
    ];
  }

  it.each(FAULTS)('%s at every call and a resume leave nothing behind and break nothing', async (fault) => {
    const dial = new Dial();
    await uninstall(await prototyped(), BACK, dial);
    for (let at = 0; at < dial.calls; at++) {
      cases++;
      expect(await broken(fault, at), `${fault} at call ${at} of ${dial.calls}`).toEqual([]);
    }
  });

  it('has a case for every call', () => {
    console.log(`fault campaign of an uninstall: ${cases} cases`);
    expect(cases).toBeGreaterThan(300);
  });
});
