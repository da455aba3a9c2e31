// prototype/run/steps/save-model.ts: save the pool's model before anything changes: the cloud never returns custom data.
import { writeSavedModelSecret } from '../../saved-model-secret.ts';
import type { Step } from '../step.ts';

export const saveModel: Step = {
  id: 'save-recipe',
  title: 'save the original model',
  usuallyMs: 1000,
  isNeeded: ({ run }) => !run.isAborting,
  isDone: ({ world }) => world.hasSavedModel,
  apply: async ({ world }, { publisher, cluster, signal, customData }) => {
    const saved = {
      ...(await publisher.readModel(world.pool.ref, { signal })),
      ...(customData !== undefined && { customData }),
    };
    await writeSavedModelSecret(cluster, world.pool.ref, { recipe: JSON.stringify(saved) }, signal);
  },
};
