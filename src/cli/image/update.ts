// cli/image/update.ts: `headstart image update`: which newer versions are there, by the policy of each component? With --write they are taken.

import { statSync } from 'node:fs';
import { writeFileAtomic } from '../../base/files.ts';
import { refuseDowngrades } from '../../image/lock/downgrades.ts';
import { readLockIfExists, renderLock, writeLock } from '../../image/lock/read-lock.ts';
import type { FetchedComponent, Manifest } from '../../image/manifest/manifest.ts';
import { checkRules, throwOnErrors } from '../../image/manifest/rules/check.ts';
import { listMirrors, readAvailable } from '../../image/update/available.ts';
import { type Proposal, planUpdates } from '../../image/update/plan-update.ts';
import { selectUpdates, type UpdateSelection } from '../../image/update/select-updates.ts';
import { type CacheFlags, withCacheOptions } from '../compose/open-cache.ts';
import { printJsonLine } from '../output/json.ts';
import { showProgress } from '../output/progress.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { printable, renderTable } from '../output/table.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { withPackages } from './lock-manifest.ts';
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
  available?: string;
  write?: boolean;
  allowDowngrade?: boolean;
  json?: boolean;
}

export const verb: Verb = {
  examples: ['image update', 'image update --available versions.yaml --write'],
  configure: (command) =>
    withCacheOptions(withArchitectureOption(withManifestOption(command)))
      .option('-o, --output <FILE>', 'the lock to write; default: image.lock.json next to the manifest')
      .option(
        '--available <FILE>',
        'a file with the versions that exist; default: the content of mirrors that are local folders',
      )
      .option(
        '--write',
        'write the new versions into the manifest (comments stay) and lock it; default: only print them',
      )
      .option('--allow-downgrade', 'with --write: even if something else becomes older in the new lock')
      .option('--json', 'print JSON: one event per line, the result last'),
  async run(_args, options: Options, deps) {
    const { text, manifest } = await loadManifest(options.file);
    const architecture = architectureOf(options, manifest);
    const lockFile = lockFileOf(options.output, options.file);
    const lock = readLockIfExists(lockFile);
    const progress = showProgress(deps, 'ImageEvent', options);
    progress.step(`looking for newer versions of what is in ${options.file}`);
    const fetched = fetchedOf(manifest);
    await withPackages(manifest, architecture, { options, deps, progress }, async (opened) => {
      const available = options.available
        ? await readAvailable(options.available, fetched)
        : await listMirrors(fetched, opened.mirrors, deps.signal());
      const proposals = planUpdates(manifest, { lock, index: opened.index, available });
      const settled = await selectUpdates(text, manifest, proposals, lock);
      if (options.write && settled.taken.length > 0) {
        const locked = await opened.lock(settled.manifest);
        throwOnErrors(checkRules(settled.manifest, locked), lockFile);
        refuseDowngrades(lock, locked, { file: lockFile, isAllowed: options.allowDowngrade === true });
        // The manifest first: cut off between the two, `image lock` finishes the work.
        if (settled.text !== text) writeFileAtomic(options.file, settled.text, statSync(options.file).mode & 0o777);
        if (!lock || renderLock(lock) !== renderLock(locked)) writeLock(lockFile, locked);
      }
      progress.end();
      tell(settled, lockFile, options, deps);
    });
  },
};

function fetchedOf({ components }: Manifest): FetchedComponent[] {
  return components.filter((component) => component.kind !== 'deb' && component.kind !== 'file');
}

function tell(
  { taken, refused }: UpdateSelection,
  lockFile: string,
  { file, write, json }: Options,
  deps: CliDeps,
): void {
  if (json) {
    const plain = ({ edits: _, ...proposal }: Proposal) => proposal;
    printJsonLine(deps, 'ImageUpdate', {
      isWritten: write === true && taken.length > 0,
      proposals: taken.map(plain),
      refused: refused.map(({ proposal, why }) => ({ ...plain(proposal), why })),
    });
    return;
  }
  if (taken.length + refused.length === 0) deps.stdout('nothing to do\n');
  if (taken.length > 0) deps.stdout(renderProposals(taken, screenOf(deps)));
  for (const { proposal, why } of refused)
    deps.stdout(`not taken: ${proposal.component} ${proposal.from} → ${proposal.to}: ${printable(why)}\n`);
  if (taken.length === 0) return;
  deps.stderr(
    write
      ? `wrote ${printable(file)} and ${printable(lockFile)}\nnext:  headstart image build --lock ${printable(lockFile)}\n`
      : 'next:  headstart image update --write\n',
  );
}

function renderProposals(proposals: readonly Proposal[], screen: Screen): string {
  return renderTable(
    [
      { title: 'COMPONENT', cell: ({ component }) => component },
      { title: 'KIND', cell: ({ kind }) => kind },
      { title: 'FROM', cell: ({ from }) => from },
      { title: 'TO', cell: ({ to }) => to },
      { title: 'POLICY', cell: ({ policy }) => policy },
      { title: 'CHANGES', cell: ({ edits }) => (edits.length > 0 ? 'manifest and lock' : 'lock') },
    ],
    proposals,
    screen,
  );
}
