// host/debian/package-sources.ts: which mirrors does this machine use for Debian packages? Images use the same.
import { existsSync, readFileSync } from 'node:fs';
import type { RunCommand } from '../../base/command.ts';

export interface PackageSources {
  /** Lines of sources.list; if empty, mmdebstrap chooses. */
  lines: string[];
  /** This machine's settings to reach them: proxies, certificates, passwords. */
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
  // Before the first `apt-get update`, apt lists no index, except with --no-release-info.
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
  /** One index per line: `URI|release|component|origin`. */
  targets: string;
  /** This machine's release. */
  codename: string | undefined;
  keyring: string | undefined;
}

/** This machine's entries for Debian, changed to the requested suite (`bookworm-security` → `trixie-security`). */
export function sourcesFor(suite: string, { targets, codename, keyring }: MachineSources): string[] {
  const lines = targets.split('\n').flatMap((target) => {
    const [uri, release, component, origin] = target.split('|');
    if (!uri || !release || component !== 'main') return [];
    // Before the first `apt-get update`, apt does not expand $(ORIGIN).
    if (origin !== 'Debian' && origin !== '$(ORIGIN)') return [];
    const [, base, rest] = /^([a-z]+)((?:-updates|-security)?)$/.exec(release) ?? [];
    if (base === undefined || (base !== suite && base !== codename)) return [];
    return [`deb ${keyring ? `[signed-by=${keyring}] ` : ''}${uri} ${suite}${rest} main`];
  });
  return [...new Set(lines)];
}

/** Only the settings for reaching a mirror; the others apply to this machine, not to the image. */
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
