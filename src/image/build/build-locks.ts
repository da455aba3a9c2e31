// image/build/build-locks.ts: which locks does a build hold? All are in the cache folder.
import { lockName } from '../../host/lock-name.ts';

/** One image build at a time. */
export const imageBuildLock = lockName('image-build');
/** Held while a base layer is built. */
export const baseLayerLock = lockName('base-image');
