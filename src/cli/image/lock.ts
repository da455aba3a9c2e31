// cli/image/lock.ts: `headstart image lock`: pins every package, program and container image of a manifest to its sha256.

import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { contentSha256 } from '../../image/lock/content-hash.ts';
import { refuseDowngrades } from '../../image/lock/downgrades.ts';
import type { ImageLock } from '../../image/lock/lock.ts';
import { readLockIfExists, renderLock, writeLock } from '../../image/lock/read-lock.ts';
import { checkRules, renderFindings, throwOnErrors } from '../../image/manifest/rules/check.ts';
import { imageVersionLabel } from '../../image/publish/names.ts';
import { diffLocks, isSameContent, type LockChange, type LockDiff } from '../../image/update/diff.ts';
import { type CacheFlags, withCacheOptions } from '../compose/open-cache.ts';
import { printJsonLine } from '../output/json.ts';
import { showProgress } from '../output/progress.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { printable, renderTable } from '../output/table.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { lockManifest } from './lock-manifest.ts';
import {
  architectureOf,
  loadManifest,
  lockFileOf,
  type ManifestFlags,
  withArchitectureOption,
  withManifestOption,
} from './manifest-file.ts';

interface Options extends ManifestFlags, CacheFlags {
  output?: string;
  allowDowngrade?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

export const verb: Verb = {
  examples: ['image lock', 'image lock -f examples/image/image.yaml -o image.lock.json --dry-run'],
  configure: (command) =>
    withCacheOptions(withArchitectureOption(withManifestOption(command)))
      .option('-o, --output <FILE>', 'the lock to write; default: image.lock.json next to the manifest')
      .option('--allow-downgrade', 'write the lock even if something in it is older than in the current lock')
      .option('--dry-run', 'print what would change, and write no lock')
      .option('--json', 'print JSON: one event per line, the result last'),
  async run(_args, options: Options, deps) {
    const { manifest } = await loadManifest(options.file);
    const architecture = architectureOf(options, manifest);
    const file = lockFileOf(options.output, options.file);
    ensurePlace(file);
    const before = readLockIfExists(file);
    const startedUs = deps.nowUs();
    const progress = showProgress(deps, 'ImageEvent', options);
    progress.step(`locking ${manifest.name} for ${architecture} on ${manifest.base.origin}`);
    const lock = await lockManifest(manifest, architecture, { options, deps, progress });
    const findings = checkRules(manifest, lock);
    for (const line of renderFindings(findings)) progress.step(line);
    throwOnErrors(findings, file);
    refuseDowngrades(before, lock, { file, isAllowed: options.allowDowngrade === true });
    const isChanged = before === undefined || renderLock(before) !== renderLock(lock);
    const isWritten = !options.dryRun && isChanged;
    if (isWritten) writeLock(file, lock);
    progress.step(`done in ${formatSpan(Math.round((deps.nowUs() - startedUs) / 1e6) * 1e6)}`);
    report({ file, lock, isWritten, diff: before && diffLocks(before, lock) }, options, deps);
  },
};

/** Checked before the work, not after it. */
function ensurePlace(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UserError(`${file} is a folder; the lock must be a file`, {
      code: 'image/lock-not-written',
      kept: 'Nothing was changed.',
      next: `name a file with -o, as in -o ${join(file, 'image.lock.json')}`,
    });
  }
  if (existsSync(dirname(file))) return;
  throw new UserError(`the folder ${dirname(file)} for the lock does not exist`, {
    code: 'image/no-folder',
    next: 'create it, or name another one with -o',
  });
}

interface LockReport {
  file: string;
  lock: ImageLock;
  isWritten: boolean;
  /** Absent: there was no lock before. */
  diff: LockDiff | undefined;
}

function report({ file, lock, isWritten, diff }: LockReport, { dryRun, json }: Options, deps: CliDeps): void {
  const images = lock.kubernetes.map((kubernetes) => ({
    kubernetes,
    version: imageVersionLabel(kubernetes, lock.base),
    contentSha256: contentSha256(lock, kubernetes),
  }));
  if (json) {
    printJsonLine(deps, 'ImageLocked', {
      file,
      isWritten,
      artifacts: lock.artifacts.length,
      bytes: bytesOf(lock),
      images,
      ...(diff && { diff }),
    });
    return;
  }
  if (diff && isSameContent(diff)) deps.stdout('nothing changed\n');
  if (diff && diff.changes.length > 0) deps.stdout(renderChanges(diff.changes, screenOf(deps)));
  for (const { version, contentSha256: content } of images)
    deps.stdout(`${lock.name}  ${version}  content ${content}\n`);
  const named = lock.artifacts.filter(({ kind, isAsked }) => kind !== 'deb' || isAsked).length;
  const counts = `${lock.artifacts.length} files, ${Math.ceil(bytesOf(lock) / 1e6)} MB, ${named} of them named in the manifest`;
  deps.stderr(`${dryRun ? 'not written:' : isWritten ? 'wrote' : 'unchanged:'} ${printable(file)}: ${counts}\n`);
  if (!dryRun) deps.stderr(`next:  headstart image build --lock ${printable(file)}\n`);
}

export function renderChanges(changes: readonly LockChange[], screen: Screen): string {
  return renderTable(
    [
      { title: 'CHANGE', cell: ({ change }) => change },
      { title: 'KIND', cell: ({ kind }) => kind },
      { title: 'COMPONENT', cell: ({ component }) => component },
      { title: 'FROM', cell: ({ from }) => from?.version ?? '' },
      { title: 'TO', cell: ({ to }) => to?.version ?? '' },
      { title: 'ONLY IN', cell: ({ kubernetes }) => kubernetes ?? '' },
    ],
    changes,
    screen,
  );
}

function bytesOf({ artifacts }: ImageLock): number {
  return artifacts.reduce((sum, { bytes }) => sum + bytes, 0);
}
