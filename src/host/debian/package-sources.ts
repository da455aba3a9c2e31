// host/debian/package-sources.ts: from where does this machine get its Debian packages? The image is made from the same places.
import { existsSync, readFileSync } from 'node:fs';
import type { RunCommand } from '../../base/command.ts';

export interface PackageSources {
  /** Lines as in sources.list; empty leaves the choice to mmdebstrap. */
  lines: string[];
  /** How this machine reaches them: proxies, certificates, passwords. */
  aptConf: string;
}

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const FORMAT = '$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)';

export async function readPackageSources(
  suite: string,
  run: RunCommand,
  signal?: AbortSignal,
): Promise<PackageSources> {
  const targetsOf = (...flags: string[]) =>
    run(['apt-get', 'indextargets', ...flags, '--format', FORMAT, 'Created-By: Packages'], { signal });
  const [known, config] = await Promise.all([targetsOf(), run(['apt-config', 'dump'], { signal })]);
  // Before the first `apt-get update` apt tells of no index at all, unless it is asked for its settings alone.
  const targets = known.stdout.length > 0 ? known : await targetsOf('--no-release-info');
  signal?.throwIfAborted();
  const codename = /^VERSION_CODENAME="?([a-z]+)"?$/m.exec(readIfThere('/etc/os-release'))?.[1];
  return {
    lines: sourcesFor(suite, {
      targets: targets.stdout.toString(),
      codename,
      keyring: existsSync(KEYRING) ? KEYRING : undefined,
    }),
    aptConf: aptConfFrom(config.stdout.toString()),
  };
}

export interface MachineSources {
  /** One index a line: `URI|release|component|origin`. */
  targets: string;
  /** What this machine runs. */
  codename: string | undefined;
  keyring: string | undefined;
}

/** This machine's entries for Debian itself, turned to the suite that is asked for (`bookworm-security` → `trixie-security`). */
export function sourcesFor(suite: string, { targets, codename, keyring }: MachineSources): string[] {
  const lines = targets.split('\n').flatMap((target) => {
    const [uri, release, component, origin] = target.split('|');
    if (!uri || !release || component !== 'main') return [];
    // Not known before the first `apt-get update`: apt then leaves the word as it is.
    if (origin !== 'Debian' && origin !== '$(ORIGIN)') return [];
    const [, base, rest] = /^([a-z]+)((?:-updates|-security)?)$/.exec(release) ?? [];
    if (base === undefined || (base !== suite && base !== codename)) return [];
    return [`deb ${keyring ? `[signed-by=${keyring}] ` : ''}${uri} ${suite}${rest} main`];
  });
  return [...new Set(lines)];
}

/** Only what concerns the way to a mirror: everything else of this machine's settings is about this machine. */
export function aptConfFrom(dump: string): string {
  const lines = dump
    .split('\n')
    .filter((line) =>
      /^Acquire::(?:(?:http|https)::|(?:Check-Valid-Until|Check-Date|Retries|ForceIPv4|ForceIPv6) )/.test(line),
    );
  return [
    ...lines,
    'Dir::Etc::netrc "/etc/apt/auth.conf";',
    'Dir::Etc::netrcparts "/etc/apt/auth.conf.d";',
    'APT::Install-Recommends "false";',
    '',
  ].join('\n');
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
