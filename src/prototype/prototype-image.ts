// prototype/prototype-image.ts: was this image made by a run, or did a person choose it? Pure.
import type { Definition } from '../vms/gallery.ts';
import type { ImageRef } from '../vms/pools.ts';
import { isPrototypeDefinition } from './names.ts';

/** In the pool's definition, or in a definition of the same kind in another gallery. */
export function isPrototypeImage(image: ImageRef, definition: Definition | undefined): boolean {
  return isInDefinition(image, definition) || isPrototypeDefinition(definitionNameOf(image));
}

export function isInDefinition(image: ImageRef, definition: Definition | undefined): boolean {
  if (!definition || image.kind === 'marketplace') return false;
  return `${image.id.toLowerCase()}/`.startsWith(`${definition.id.toLowerCase()}/`);
}

/** The last part of the id, without the version. */
function definitionNameOf(image: ImageRef): string {
  if (image.kind === 'marketplace' || image.kind === 'other') return '';
  const parts = image.id.split('/').filter((part) => part !== '' && part.toLowerCase() !== 'versions');
  return parts.at(image.kind === 'version' ? -2 : -1) ?? '';
}
