// image/manifest/formats.ts: what may a single value of a manifest or a lock look like? The same in both, so that what was locked can be read.
import { imageReference, matching } from '../../schema/formats.ts';

/** Who publishes something: `upstream:kubernetes`. */
export const ORIGIN = /^[a-z][a-z0-9-]{0,31}:[a-z0-9][a-z0-9._-]{0,63}$/;

export const originFormat = () =>
  matching(ORIGIN, 'is not an origin such as upstream:kubernetes: who publishes it, not which server has it', 98);
export const sha256Format = () =>
  matching(/^[0-9a-f]{64}$/, 'is not a sha256: 64 hexadecimal digits in lower case', 64);
export const componentNameFormat = () =>
  matching(/^[a-z0-9][a-z0-9.+-]*$/, 'is not a name: lower case, digits, dots, plus and dashes', 100);
export const imageNameFormat = () =>
  matching(
    /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
    'is not a name of at most 40 lower-case letters, digits and dashes',
    40,
  );

export const belowOrigin = () =>
  matching(
    /^(?:(?!\.{1,2}\/)[A-Za-z0-9_.+~@:%-]+\/)*(?!\.{1,2}$)[A-Za-z0-9_.+~@:%-]+$/,
    'is not a path below the origin: no leading slash, no dots for folders',
    1024,
  );
export const inArchive = () =>
  matching(
    /^(?:(?!\.{1,2}\/)[A-Za-z0-9_.@+-]+\/)*(?!\.{1,2}$)[A-Za-z0-9_.@+-]*$/,
    'is not a path in the archive: no leading slash, no dots for folders',
    512,
  );
export const installPath = () =>
  matching(/^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9_.@:+-]+)+$/, 'is not an absolute path of plain characters', 512);
export { imageReference };
