// prototype/run/steps/save-model.ts: save the model that a person set before it changes: the cloud never returns custom data.
import { Conflict } from '../../../base/failures.ts';
import { isPrototypeImage } from '../../prototype-image.ts';
import { valuesToSave } from '../../saved-model.ts';
import { readSavedModelSecret, writeSavedModelSecret } from '../../saved-model-secret.ts';
import type { Scene } from '../scene.ts';
import type { Step } from '../step.ts';

export const saveModel: Step = {
  id: 'save-recipe',
  title: 'save the original model',
  usuallyMs: 1000,
  isNeeded: (scene) => !scene.run.isAborting && !startsFromPrototype(scene),
  // Each run saves it again: custom data may have changed, and the cloud does not show that.
  isDone: ({ world, run }) => world.savedModel.state === 'current' && world.savedModel.run === run.id,
  apply: async (scene, { publisher, cluster, signal, customData, protectedSettings }) => {
    const { pool, definition } = scene.world;
    const seen = await publisher.readModel(pool.ref, { signal });
    // A prototype is never the original, and a model that changed just now is not the one that was approved.
    if (isPrototypeImage(seen.image, definition)) throw new Conflict(`the model of ${pool.ref.name} changed`);
    const model = {
      ...seen,
      ...(customData !== undefined && { customData }),
      ...(protectedSettings && { protectedSettings }),
    };
    const values = await readSavedModelSecret(cluster, pool.ref, signal);
    await writeSavedModelSecret(cluster, pool.ref, valuesToSave(model, { run: scene.run.id, pool, values }), signal);
  },
};

/** The model is ours: there is nothing to save, whether or not the original is. */
function startsFromPrototype({ world }: Scene): boolean {
  return isPrototypeImage(world.pool.model.image, world.definition);
}
