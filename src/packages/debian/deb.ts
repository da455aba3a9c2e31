// packages/debian/deb.ts: packs files into a Debian package (deb(5)). The same files give the same bytes on any machine with this Node.js.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type LayerFile, tarOf } from '../../container/layer.ts';
import { arOf } from './ar.ts';

/** In seconds: the time of all files, the same that npm gives to the files of its packages. Debian's checks refuse times before 1984. */
export const MTIME = 499_162_500;

export interface DebianPackageParts {
  /** Name → value, in the order of the file. */
  control: Readonly<Record<string, string>>;
  /** Paths without a leading slash. */
  files: readonly LayerFile[];
}

export function debOf({ control, files }: DebianPackageParts): Buffer {
  const tar = (list: readonly LayerFile[]) =>
    tarOf(
      list.map((file) => ({ ...file, path: `./${file.path}` })),
      { mtime: MTIME * 1000, user: 'root', group: 'root' },
    );
  const controlFiles = [
    plain('control', renderControl({ ...control, 'Installed-Size': `${installedKib(files)}` })),
    plain('md5sums', renderSums(files)),
  ];
  return arOf(
    [
      { name: 'debian-binary', bytes: Buffer.from('2.0\n') },
      { name: 'control.tar.gz', bytes: gzipSync(tar(controlFiles)) },
      // Every dpkg and lintian read gzip. xz would be another program; zstd, 7 MB smaller, Debian's own checks refuse.
      { name: 'data.tar.gz', bytes: gzipSync(tar(files)) },
    ],
    MTIME,
  );
}

/** The first line of Description is its summary; the others are indented, as deb-control(5) says. */
export function renderControl(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${value.split('\n').join('\n ')}\n`)
    .join('');
}

/** Rounded up for each file, as dpkg-gencontrol does. */
export function installedKib(files: readonly LayerFile[]): number {
  return files.reduce((sum, { bytes }) => sum + Math.ceil(bytes.length / 1024), 0);
}

function renderSums(files: readonly LayerFile[]): string {
  return files
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, bytes }) => `${createHash('md5').update(bytes).digest('hex')}  ${path}\n`)
    .join('');
}

function plain(path: string, text: string): LayerFile {
  return { path, bytes: Buffer.from(text), isExecutable: false };
}
