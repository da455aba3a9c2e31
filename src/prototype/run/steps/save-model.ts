// prototype/run/steps/save-model.ts: the cloud never gives custom data back, so the way back is saved before anything is changed.
import { savedModelName } from '../../names.ts';
import type { Step } from '../step.ts';

export const saveModel: Step = {
  id: 'save-recipe',
  title: 'save the original recipe',
  usuallyMs: 1000,
  isNeeded: ({ run }) => !run.isAborting,
  isDone: ({ world }) => world.hasSavedModel,
  apply: async ({ world }, { publisher, cluster, signal, customData }) => {
    const saved = {
      ...(await publisher.readModel(world.pool.ref, { signal })),
      ...(customData !== undefined && { customData }),
    };
    await cluster.writeSecret(savedModelName(world.pool.ref.name), { recipe: JSON.stringify(saved) }, signal);
  },
};
