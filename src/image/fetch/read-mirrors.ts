// image/fetch/read-mirrors.ts: which mirrors does this machine's mirrors file define? Without the file, only the mirrors of apt are known.
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { isMissing } from '../../host/json-file.ts';
import { ORIGIN } from '../manifest/formats.ts';
import type { Origin } from '../manifest/manifest.ts';
import { isUrl } from './mirrors.ts';

/** `--mirrors FILE`, HEADSTART_MIRRORS, or `headstart/mirrors.yaml` in the user's config folder. */
export function mirrorsFile(named: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  const chosen = named ?? env.HEADSTART_MIRRORS;
  if (chosen) return resolve(chosen);
  const config = env.XDG_CONFIG_HOME;
  const folder =
    config && isAbsolute(config) ? config : join(env.HOME && isAbsolute(env.HOME) ? env.HOME : '/', '.config');
  return join(folder, 'headstart', 'mirrors.yaml');
}

/** `mustExist`: the user named the file. */
export async function readMirrors(file: string, { mustExist }: { mustExist: boolean }): Promise<Map<Origin, string>> {
  const text = readText(file, mustExist);
  if (text === undefined) return new Map();
  const yaml = await import('yaml');
  const document = yaml.parseDocument(text, { prettyErrors: false, version: '1.2' });
  // The text may contain passwords, which the library would quote.
  if (document.errors.length > 0) throw bad(file, ['it is not YAML']);
  const found = mirrorsIn(document.toJS({ maxAliasCount: 0 }) as unknown, dirname(resolve(file)));
  if (found.problems.length > 0) throw bad(file, found.problems);
  return found.mirrors;
}

function mirrorsIn(value: unknown, folder: string): { mirrors: Map<Origin, string>; problems: string[] } {
  const mirrors = new Map<Origin, string>();
  if (value === null || value === undefined) return { mirrors, problems: [] };
  if (!isMap(value)) return { mirrors, problems: ['it is not a map with the key `mirrors:`'] };
  const problems = Object.keys(value).flatMap((key) =>
    key === 'mirrors' ? [] : [`${key}: is not a field; the only field is mirrors`],
  );
  const entries = value.mirrors ?? {};
  if (!isMap(entries))
    return { mirrors, problems: [...problems, 'mirrors: is not a map from origins to URLs or folders'] };
  for (const [origin, place] of Object.entries(entries)) {
    if (!ORIGIN.test(origin)) problems.push(`mirrors: '${origin}' is not an origin such as upstream:kubernetes`);
    else if (typeof place !== 'string' || place === '' || place.includes('\0'))
      problems.push(`mirrors.${origin}: is neither a URL nor a folder`);
    else if (isUrl(place)) mirrors.set(origin, place);
    else if (/^[a-z][a-z0-9+.-]*:/i.test(place)) problems.push(`mirrors.${origin}: is not an http or https URL`);
    else mirrors.set(origin, resolve(folder, place));
  }
  return { mirrors, problems };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readText(file: string, mustExist: boolean): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (isMissing(cause) && !mustExist) return undefined;
    throw new UserError(`cannot read the mirrors file ${file} (${(cause as NodeJS.ErrnoException).code})`, {
      code: 'image/bad-mirrors',
      next: 'name another file with --mirrors, or write `mirrors:` with a line for each origin into it',
      cause,
    });
  }
}

function bad(file: string, problems: readonly string[]): UserError {
  return new UserError(
    `${file} is not a valid mirrors file:\n${problems.map((line) => `         ${line}`).join('\n')}`,
    {
      code: 'image/bad-mirrors',
      next: 'write for example `mirrors: {upstream:kubernetes: https://dl.k8s.io/}`',
    },
  );
}
