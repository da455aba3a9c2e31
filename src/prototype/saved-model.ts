// prototype/saved-model.ts: is the pool's model, as a person last set it, saved for a rollback? What does the Secret hold? Pure.
import { UserError } from '../base/errors.ts';
import type { Definition } from '../vms/gallery.ts';
import type { Extension, ImageRef, Pool, PoolRef } from '../vms/pools.ts';
import type { SavedModel } from '../vms/publisher.ts';
import { savedModelName } from './names.ts';
import { isPrototypeImage } from './prototype-image.ts';
import { readSavedExtension } from './saved-extension.ts';

type SecretValues = Readonly<Record<string, string>>;

export interface SavedModelState {
  /** `stale`: a person has changed the pool's model since it was saved. `current`: it is the way back. */
  state: 'none' | 'current' | 'stale';
  /** The run that saved it. */
  run?: string;
}

/** While the pool starts from a prototype, its model says nothing about the original: what is saved is the way back. */
export function savedModelState(
  values: SecretValues | undefined,
  pool: Pool,
  definition: Definition | undefined,
): SavedModelState {
  if (!values) return { state: 'none' };
  const isCurrent = isPrototypeImage(pool.model.image, definition) || isModelOf(values, pool);
  return { state: isCurrent ? 'current' : 'stale', ...(values.run !== undefined && { run: values.run }) };
}

/**
 * The values of the Secret. What the cloud does not return (custom data, protected settings) is kept from the last time if the model is
 * otherwise the same. The model that is replaced stays as `previous`, for one generation.
 */
export function valuesToSave(
  model: SavedModel,
  { run, pool, values = {} }: { run: string; pool: Pool; values: SecretValues | undefined },
): Record<string, string> {
  const isSame = isModelOf(values, pool);
  const kept = isSame ? tryParseSavedModel(values) : undefined;
  const protectedSettings = { ...kept?.protectedSettings, ...model.protectedSettings };
  const recipe: SavedModel = {
    ...(kept?.customData !== undefined && { customData: kept.customData }),
    ...model,
    ...(Object.keys(protectedSettings).length > 0 && { protectedSettings }),
  };
  const previous = isSame ? values.previous : values.recipe;
  return { recipe: JSON.stringify(recipe), run, ...(previous !== undefined && { previous }) };
}

/** What is saved for the model that the pool has now; undefined if that is another model. */
export function savedModelOf(values: SecretValues | undefined, pool: Pool): SavedModel | undefined {
  return values && isModelOf(values, pool) ? tryParseSavedModel(values) : undefined;
}

export function parseSavedModel(values: SecretValues, pool: PoolRef): SavedModel {
  const model = tryParseSavedModel(values);
  if (model) return model;
  throw new UserError(`the saved model of ${pool.name} (${savedModelName(pool)}) cannot be read`, {
    code: 'prototype/bad-recipe',
    kept: 'Nothing was changed.',
    next: 'point the pool at an image of your choice, delete that Secret, then give --to keep',
    exitCode: 1,
  });
}

/** Whether the saved model is the one that the pool has now, as far as the cloud returns it. */
function isModelOf(values: SecretValues, { model }: Pool): boolean {
  const saved = tryParseSavedModel(values);
  if (!saved) return false;
  return (
    fingerprint(saved.image, saved.extensions.map(readSavedExtension)) === fingerprint(model.image, model.extensions)
  );
}

/** Without tags, capacity and other fields that change without a new model. */
function fingerprint(
  image: ImageRef,
  extensions: readonly Pick<
    Extension | ReturnType<typeof readSavedExtension>,
    'name' | 'publisher' | 'type' | 'after'
  >[],
): string {
  const parts = extensions.map(({ name, publisher, type, after }) => [name, publisher, type, after.toSorted()]);
  return JSON.stringify([
    Object.entries(image).toSorted(),
    parts.map((part) => JSON.stringify(part)).toSorted(),
  ]).toLowerCase();
}

/** undefined: it cannot be read. */
export function tryParseSavedModel({ recipe = '' }: SecretValues): SavedModel | undefined {
  try {
    const value = JSON.parse(recipe) as Partial<SavedModel> | null;
    return typeof value?.image === 'object' && value.image !== null && Array.isArray(value.extensions)
      ? (value as SavedModel)
      : undefined;
  } catch {
    return undefined;
  }
}
