// image/fetch/mirrors.ts: which mirror serves an origin on this machine? Manifest and lock name the publisher; each machine chooses its mirrors.
import { isAbsolute, join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { Origin } from '../manifest/manifest.ts';
import type { FetchRequest } from './cache.ts';

/** Where to read bytes from. `shown` is safe to print: it has no user, password or query. */
export type FetchLocation =
  | { kind: 'file'; file: string; shown: string }
  | { kind: 'url'; url: Secret; authorization?: Secret; shown: string };

export interface Mirrors {
  /** Throws if no mirror serves the origin. */
  locate(request: Pick<FetchRequest, 'component' | 'origin' | 'path'>): FetchLocation;
  /** The mirror of an origin as configured: a folder, or a URL that may contain a password. */
  baseOf(origin: Origin): Secret | undefined;
}

export interface MirrorSettings {
  /** A folder (absolute) or an http(s) URL, by origin. */
  mirrors: ReadonlyMap<Origin, string>;
  /** The mirrors file, for the error about a missing mirror. */
  file: string;
  /** This machine's sources.list lines; they serve `debian:<suite>`. */
  aptLines: readonly string[];
}

export function createMirrors({ mirrors, file, aptLines }: MirrorSettings): Mirrors {
  const served = new Map([...fromApt(aptLines), ...mirrors]);
  return {
    baseOf(origin) {
      const base = served.get(origin);
      return base === undefined ? undefined : new Secret(base);
    },
    locate({ component, origin, path }) {
      const base = served.get(origin);
      if (base === undefined) throw noMirror(component, origin, file);
      if (!isPlainPath(path)) throw new UserError(`${component}: '${path}' is not a path below its origin`, BAD_PATH);
      return isAbsolute(base) ? inFolder(base, path) : atUrl(base, path);
    },
  };
}

/** Prevents a lock from reaching outside the origin. */
export function isPlainPath(path: string): boolean {
  return (
    path.length <= 1024 &&
    /^[^\u0000-\u001f\u007f\\]+$/.test(path) &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

const BAD_PATH = {
  code: 'image/bad-path',
  kept: 'Nothing was fetched.',
  next: 'write the path below the origin, without a leading slash, . or ..: v1.35.8/bin/linux/amd64/kubelet',
} as const;

function inFolder(base: string, path: string): FetchLocation {
  const file = join(base, path);
  return { kind: 'file', file, shown: file };
}

/** Keeps the query after the path: storage accounts put signatures there. */
function atUrl(base: string, path: string): FetchLocation {
  const url = new URL(base);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  url.pathname = `${url.pathname.replace(/\/*$/, '/')}${path.split('/').map(encodeURIComponent).join('/')}`;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    kind: 'url',
    url: new Secret(url.href),
    shown: `${url.origin}${url.pathname}`,
    ...(username !== '' && { authorization: new Secret(`Basic ${Buffer.from(user).toString('base64')}`) }),
  };
}

/** `deb [signed-by=…] http://deb.debian.org/debian/ bookworm-security main` serves `debian:bookworm-security`. */
function fromApt(lines: readonly string[]): [Origin, string][] {
  return lines.flatMap((line): [Origin, string][] => {
    const [, uri, suite] = /^deb (?:\[[^\]]*\] )?(\S+) (\S+) /.exec(line) ?? [];
    const folder = /^(?:file|copy):(?:\/\/)?(\/.*)$/.exec(uri ?? '')?.[1];
    const place = folder ?? (isUrl(uri ?? '') ? uri : undefined);
    return place && suite ? [[`debian:${suite}`, place]] : [];
  });
}

export function isUrl(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}

function noMirror(component: string, origin: Origin, file: string): UserError {
  const example = origin.startsWith('local:') ? '/a/folder' : 'https://a.mirror/of/it/';
  return new UserError(`no mirror on this machine serves ${origin}, the origin of ${component}`, {
    code: 'image/no-mirror',
    kept: 'Nothing was fetched.',
    next: `write \`${origin}: ${example}\` below \`mirrors:\` in ${file}`,
  });
}
