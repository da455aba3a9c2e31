// Everything of ours goes, the pool first back on its feet, whatever happens on the way.
import { describe, expect, it } from 'vitest';
import { TransientError, UserError } from '../../base/errors.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { LeaseHeld } from '../../cluster/lease-held.ts';
import { leaseName, prototypeDefinitionName, SEALED_ANNOTATION, savedModelName } from '../names.ts';
import { donorViolations, modelViolations, readDonorState } from '../run/invariants.testing.ts';
import { Crash, Dial, FAULTS, type Fault, type Lab, lab, POOL } from '../testing.ts';
import { uninstallPool } from './run-uninstall.ts';
import type { UninstallOptions } from './uninstall.ts';

const CUSTOM_DATA = 'Ym9vdHN0cmFw';
const BACK: Omit<UninstallOptions, 'unsealed'> = { to: 'original', customData: CUSTOM_DATA, isUnsealing: false };

function uninstall(world: Lab, wish = BACK, dial = new Dial(), runId = 'uninstall') {
  return uninstallPool(
    { pool: world.ref.pool, gallery: world.intent.gallery, runId, wish },
    {
      ...dial.wrapFactory(world.factory),
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
  return world;
}

/** What is left of ours anywhere. */
function leftovers({ factory, cluster, donor }: Lab): string[] {
  const pool = factory.state.pools.get(donor.ref.pool.id)!;
  const marks = [...cluster.nodes.values()].flatMap(({ annotations }) => Object.keys(annotations));
  return [
    ...[...factory.state.versions.keys()],
    ...[...factory.state.definitions.keys()],
    ...[...factory.state.galleries],
    ...[...factory.state.snapshots.keys()],
    ...[...cluster.secrets.keys()],
    ...[...cluster.leases.keys()],
    ...Object.keys(pool.tags),
    ...pool.instances.flatMap(({ tags }) => Object.keys(tags)),
    ...marks.filter((key) => key.startsWith('headstart.dev/')),
  ];
}

function isOriginal({ factory, donor }: Lab): boolean {
  const { model, customData } = factory.state.pools.get(donor.ref.pool.id)!;
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

describe('uninstalling', () => {
  it('puts the pool back first, then removes everything, the way back last; the second time there is nothing to do', async () => {
    const world = await prototyped();
    const { done, kept, sealed } = await uninstall(world);
    expect(done).toEqual([
      `point ${POOL} from version ${world.intent.version} at marketplace debian:debian-12:12-gen2:latest`,
      `delete the versions ${world.intent.version}`,
      `delete the image definition ${prototypeDefinitionName(POOL)}`,
      'delete the gallery SIG_lab',
      'delete the saved original recipe',
    ]);
    expect(kept).toEqual([]);
    expect(sealed).toEqual([world.donor.computerName]);
    expect(leftovers(world)).toEqual([]);
    expect(isOriginal(world)).toBe(true);
    expect(await uninstall(world)).toEqual({ done: [], kept: [], sealed: [] });
  });

  it('on a pool that never was prototyped has nothing to do', async () => {
    expect(await uninstall(lab())).toEqual({ done: [], kept: [], sealed: [] });
  });

  it('keeps what instances still run, names them, and goes on when they are gone', async () => {
    const world = await prototyped();
    const born = world.factory.scaleOut(world.ref.pool);
    const first = await uninstall(world);
    expect(first.kept).toMatchObject([
      { what: `version ${world.intent.version}`, because: `${born.computerName} still runs it` },
      { what: 'the saved original recipe' },
    ]);
    expect(first.kept[0]!.next).toContain('drain and delete that instance');
    expect(isOriginal(world)).toBe(true);
    expect(world.factory.state.versions.size).toBe(1);
    const pool = world.factory.state.pools.get(world.ref.pool.id)!;
    pool.instances.splice(pool.instances.indexOf(born), 1);
    expect((await uninstall(world)).kept).toEqual([]);
    expect(leftovers(world)).toEqual([]);
  });

  it("leaves another pool's definition, and the gallery that it is in", async () => {
    const world = await prototyped();
    const [mine] = world.factory.state.definitions.values();
    await world.factory.gallery.ensureDefinition(
      { ...mine!, name: prototypeDefinitionName('pool2'), sku: 'pool2' },
      'here',
    );
    const { kept } = await uninstall(world);
    expect(kept).toEqual([{ what: 'the gallery SIG_lab', because: `it holds ${prototypeDefinitionName('pool2')}` }]);
    expect([...world.factory.state.definitions.values()].map(({ name }) => name)).toEqual([
      prototypeDefinitionName('pool2'),
    ]);
    expect(world.cluster.secrets.size).toBe(0);
  });

  it('does not lose a definition that somebody makes in the last moment', async () => {
    const world = await prototyped();
    const [mine] = world.factory.state.definitions.values();
    const { deleteGallery } = world.factory.gallery;
    world.factory.gallery.deleteGallery = async (gallery) => {
      await world.factory.gallery.ensureDefinition(
        { ...mine!, name: prototypeDefinitionName('pool2'), sku: 'pool2' },
        'here',
      );
      return deleteGallery(gallery);
    };
    const { kept } = await uninstall(world);
    expect(kept).toMatchObject([{ what: 'the gallery SIG_lab' }]);
    expect(world.factory.state.definitions.size).toBe(1);
  });

  it('to a version keeps that version, its gallery and the way back, and deletes the others', async () => {
    const world = await prototyped();
    const [made] = [...world.factory.state.versions.values()];
    const old = { ...made!, name: '2026.1.1', id: made!.id.replace(made!.name, '2026.1.1') };
    world.factory.state.versions.set(old.id, old);
    const { kept } = await uninstall(world, { to: { version: '2026.1.1' }, isUnsealing: false });
    expect(kept.map(({ what }) => what)).toEqual(['version 2026.1.1', 'the saved original recipe']);
    expect(kept.every(({ next }) => next === undefined)).toBe(true);
    expect([...world.factory.state.versions.values()].map(({ name }) => name)).toEqual(['2026.1.1']);
    expect(world.factory.state.pools.get(world.ref.pool.id)!.model.image).toEqual({ kind: 'version', id: old.id });
    expect(world.factory.state.pools.get(world.ref.pool.id)!.tags).toEqual({});
    expect(world.cluster.secrets.has(savedModelName(POOL))).toBe(true);
  });

  it('keeps the model where the operator has put it, and removes all the same', async () => {
    const world = await prototyped();
    const pool = world.factory.state.pools.get(world.ref.pool.id)!;
    pool.model.image = { kind: 'other', id: '/images/mine' };
    const { kept } = await uninstall(world, { to: 'keep', isUnsealing: false });
    expect(kept).toEqual([]);
    expect(pool.model.image).toEqual({ kind: 'other', id: '/images/mine' });
    expect(leftovers(world)).toEqual([]);
  });

  it('refuses before it touches anything when there is no recipe to go back to', async () => {
    const world = await prototyped();
    world.cluster.secrets.clear();
    const before = leftovers(world);
    expect((await failure(uninstall(world))).code).toBe('prototype/no-recipe');
    expect(leftovers(world)).toEqual(before);
  });

  it('says which Secret is damaged, and changes nothing', async () => {
    const world = await prototyped();
    world.cluster.secrets.set(savedModelName(POOL), { recipe: '{' });
    expect((await failure(uninstall(world))).code).toBe('prototype/bad-recipe');
    expect(world.factory.state.versions.size).toBe(1);
  });

  it('is refused beside a run, and takes over from one that died', async () => {
    const world = await prototyped();
    await world.cluster.holdLease(leaseName(POOL), { holder: 'run', durationMs: 900_000, note: 'n' });
    expect(await failure(uninstall(world))).toBeInstanceOf(LeaseHeld);
    world.clock.advance(16 * 60_000);
    await uninstall(world);
    expect(leftovers(world)).toEqual([]);
  });

  it('brings a donor home first, with or without its Node object, and takes the half-made copy away', async () => {
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
      expect(done[0]).toBe(`bring ${world.donor.computerName} back into service`);
      expect(world.donor.power).toBe('running');
      if (hasNode) expect(donorViolations(world, found)).toEqual([]);
      expect(leftovers(world)).toEqual([]);
      expect(isOriginal(world)).toBe(true);
    }
  });

  it('takes a mark off that somebody left behind', async () => {
    const world = await prototyped();
    world.cluster.touch(world.donor.computerName, { annotations: { [SEALED_ANNOTATION]: 'x', mine: 'y' } });
    await uninstall(world);
    expect(world.cluster.nodes.get(world.donor.computerName)!.annotations).toEqual({ mine: 'y' });
  });

  it('a definition that somebody else made keeps its versions', async () => {
    const world = await prototyped();
    for (const definition of world.factory.state.definitions.values()) definition.publisher = 'kamino';
    const { kept } = await uninstall(world);
    expect(kept[0]).toMatchObject({ what: `the image definition ${prototypeDefinitionName(POOL)}` });
    expect(world.factory.state.versions.size).toBe(1);
  });
});

describe('unsealing', () => {
  const answer = (items: string) => ({ exitCode: 0, stdout: items, stderr: '' });

  it('is done on every node that is Ready, and what is left is said', async () => {
    const world = await prototyped();
    world.cluster.scripts.length = 0;
    world.cluster.runScript = () => answer('drop-in=ok\nowner=ok\n');
    const [first, second, third] = [...world.cluster.nodes.keys()];
    const { sealed } = await uninstall(world, { ...BACK, isUnsealing: true });
    expect(world.cluster.scripts.map(({ node }) => node)).toEqual([first, second, third]);
    expect(world.cluster.scripts.every(({ script }) => script.includes("'unseal'"))).toBe(true);
    expect(sealed).toEqual([]);
  });

  it('that fails stops part-way with the reason, and the same command goes on', async () => {
    const world = await prototyped();
    world.cluster.runScript = () => answer('drop-in=failed read-only file system\nowner=absent\n');
    const error = await failure(uninstall(world, { ...BACK, isUnsealing: true }));
    expect(error).toMatchObject({ code: 'prototype/not-unsealed', exitCode: 4 });
    expect(error.message).toContain('read-only file system');
    expect(isOriginal(world)).toBe(true);
    expect(world.factory.state.versions.size).toBe(1);
    world.cluster.runScript = () => answer('owner=absent\n');
    await uninstall(world, { ...BACK, isUnsealing: true });
    expect(leftovers(world)).toEqual([]);
  });

  it.each(['', 'owner=failed x\n', 'drop-in=ok\n'])('does not believe the answer %j', async (stdout) => {
    const world = await prototyped();
    world.cluster.runScript = () => answer(stdout);
    expect((await failure(uninstall(world, { ...BACK, isUnsealing: true }))).code).toBe('prototype/not-unsealed');
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

  it.each(FAULTS)(
    '%s at every call, then the same command again: nothing is left and nothing was broken',
    async (fault) => {
      const dial = new Dial();
      await uninstall(await prototyped(), BACK, dial);
      for (let at = 0; at < dial.calls; at++) {
        cases++;
        expect(await broken(fault, at), `${fault} at call ${at} of ${dial.calls}`).toEqual([]);
      }
    },
  );

  it('has a case for every call', () => {
    console.log(`fault campaign of an uninstall: ${cases} cases`);
    expect(cases).toBeGreaterThan(300);
  });
});
