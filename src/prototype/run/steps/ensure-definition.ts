// prototype/run/steps/ensure-definition.ts: create gallery and definition while the donor is in service, so that errors come early.
import { Refused } from '../../../base/failures.ts';
import type { DefinitionSpec } from '../../../vms/gallery.ts';
import type { Model } from '../../../vms/pools.ts';
import { PUBLISHER, prototypeDefinitionName, prototypeLabels } from '../../names.ts';
import type { Scene } from '../scene.ts';
import type { Step } from '../step.ts';

export const prepareDefinition: Step = {
  id: 'ensure-definition',
  title: 'create the gallery and the image definition',
  usuallyMs: 30_000,
  isNeeded: ({ run }) => !run.isAborting,
  isDone: ({ world }) => world.definition !== undefined,
  apply: async (scene, { gallery, signal, onWaiting }) => {
    await gallery.ensureDefinition(prototypeDefinitionSpec(scene), scene.world.pool.region, { signal, onWaiting });
  },
};

export function prototypeDefinitionSpec({ world, intent }: Scene): DefinitionSpec {
  const { name } = world.pool.ref;
  const { osState, generation, architecture, securityType, plan, imageFeatures }: Model = world.pool.model;
  if (generation === 'unknown')
    throw new Refused(`nothing says whether ${name} boots with BIOS or UEFI`, 'prototype/unknown-generation');
  return {
    gallery: intent.gallery,
    name: prototypeDefinitionName(world.pool.ref),
    // A pool's OS state cannot change, so the definition takes the pool's: `generalized`, although the disk is only sealed,
    // or `specialized` for a pool that was created so.
    osState,
    generation,
    architecture,
    securityType,
    ...(plan && { plan }),
    ...(imageFeatures && { imageFeatures }),
    publisher: PUBLISHER,
    ...prototypeLabels(intent.gallery, world.pool.ref),
  };
}
