// image/build/build-locks.ts: which locks does a build hold? All are below the cache's folder.
import { lockName } from '../../host/lock-name.ts';

/** One build of images at a time. */
export const imageBuildLock = lockName('image-build');
/** Held while a base layer is made. */
export const baseLayerLock = lockName('base-image');
