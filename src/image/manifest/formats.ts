// image/manifest/formats.ts: which values may a field of a manifest or a lock have? Both use the same formats, so every lock can be read back.
import { imageReference, matching } from '../../schema/formats.ts';

/** Who publishes something: `upstream:kubernetes`. */
export const ORIGIN = /^[a-z][a-z0-9-]{0,31}:[a-z0-9][a-z0-9._-]{0,63}$/;

export const originFormat = () =>
  matching(ORIGIN, 'is not an origin such as upstream:kubernetes: the publisher, not a server', 98);
export const sha256Format = () =>
  matching(/^[0-9a-f]{64}$/, 'is not a sha256: 64 hexadecimal digits in lower case', 64);
export const componentNameFormat = () =>
  matching(/^[a-z0-9][a-z0-9.+-]*$/, 'is not a name: lower case, digits, dots, plus and dashes', 100);
export const imageNameFormat = () =>
  matching(
    /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
    'is not a name: at most 40 lower-case letters, digits and dashes',
    40,
  );

export const belowOrigin = () =>
  matching(
    /^(?:(?!\.{1,2}\/)[A-Za-z0-9_.+~@:%-]+\/)*(?!\.{1,2}$)[A-Za-z0-9_.+~@:%-]+$/,
    'is not a path below the origin: no leading slash, no . or ..',
    1024,
  );
export const inArchive = () =>
  matching(
    /^(?:(?!\.{1,2}\/)[A-Za-z0-9_.@+-]+\/)*(?!\.{1,2}$)[A-Za-z0-9_.@+-]*$/,
    'is not a path in the archive: no leading slash, no . or ..',
    512,
  );
export const installPath = () =>
  matching(
    /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9_.@:+-]+)+$/,
    'is not an absolute path of letters, digits and _ . @ : + -',
    512,
  );
export { imageReference };
