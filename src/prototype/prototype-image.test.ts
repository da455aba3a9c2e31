import { describe, expect, it } from 'vitest';
import type { Definition } from '../vms/gallery.ts';
import type { ImageRef } from '../vms/pools.ts';
import { isPrototypeImage } from './prototype-image.ts';

const id = '/subscriptions/s/galleries/SIG_a/images/kamino-pool1-prototype';
const definition = { id, name: 'kamino-pool1-prototype' } as Definition;

describe('isPrototypeImage', () => {
  it.each<[ImageRef, boolean]>([
    [{ kind: 'version', id: `${id}/versions/2026.11.18` }, true],
    [{ kind: 'version', id: `${id.toUpperCase()}/VERSIONS/2026.11.18` }, true],
    [{ kind: 'definition', id }, true],
    [{ kind: 'version', id: '/galleries/SIG_b/kamino-pool1-prototype/2026.11.18' }, true],
    [{ kind: 'version', id: '/galleries/SIG_b/images/aks-ubuntu/versions/2026.11.18' }, false],
    [{ kind: 'definition', id: '/galleries/SIG_b/images/aks-ubuntu' }, false],
    [{ kind: 'other', id: '/images/kamino-pool1-prototype' }, false],
    [{ kind: 'other', id: '' }, false],
    [{ kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: 'latest' }, false],
  ])('of %j is %s', (image, expected) => {
    expect(isPrototypeImage(image, definition)).toBe(expected);
    expect(isPrototypeImage(image, undefined)).toBe(expected);
  });
});
