// cli/image/hotfix.ts: `headstart image hotfix`: the lock of a hotfix, derived from two locks, or every reason why it may not be one.
import { existsSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { writeLock } from '../../image/lock/read-lock.ts';
import { deriveHotfix, type Hotfix, type HotfixAllowance, pickHotfix } from '../../image/update/hotfix.ts';
import { renderNotes } from '../../image/update/notes.ts';
import { printJson } from '../output/json.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { renderDiff } from './diff.ts';
import { openLock } from './open-lock.ts';

interface Options {
  from: string;
  to: string;
  allow?: string[];
  allowDowngrade?: string[];
  pick?: boolean;
  output: string;
  notes?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

export const verb: Verb = {
  examples: [
    'image hotfix --from released.lock.json --to image.lock.json --allow kubelet -o hotfix.lock.json',
    'image hotfix --from released.lock.json --to image.lock.json --pick --allow openssl --allow libssl3 -o hotfix.lock.json --dry-run',
  ],
  configure: (command) =>
    command
      .requiredOption('--from <LOCK>', 'the released lock, or the folder of its build')
      .requiredOption('--to <LOCK>', 'the lock that has the fix')
      .option('--allow <NAME>', 'a component that may change; no other may; repeatable', append)
      .option('--allow-downgrade <NAME>', 'a component that may change to an older version; repeatable', append)
      .option('--pick', 'take only the allowed components from --to, and everything else from --from')
      .requiredOption('-o, --output <FILE>', 'the lock to write')
      .option('--notes', 'print release notes, in Markdown')
      .option('--dry-run', 'print the hotfix, and write nothing')
      .option('--json', 'print one JSON document'),
  run(_args, options: Options, deps) {
    const [from, to] = [openLock(options.from), openLock(options.to)];
    const allowed: HotfixAllowance = { names: options.allow ?? [], downgrades: options.allowDowngrade ?? [] };
    const hotfix = options.pick ? pickHotfix(from, to, allowed) : deriveHotfix(from, to, allowed);
    if (hotfix.problems.length > 0) throw refused(hotfix.problems, options);
    if (!options.dryRun) {
      if (existsSync(options.output)) throw taken(options.output);
      writeLock(options.output, hotfix.lock);
    }
    tell(hotfix, options, deps);
  },
};

function append(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function tell({ diff }: Hotfix, options: Options, deps: CliDeps): void {
  const notes = options.notes ? renderNotes(diff) : undefined;
  if (options.json) {
    const file = options.dryRun ? {} : { file: options.output };
    printJson(deps, 'ImageHotfix', { ...diff, ...file, ...(notes !== undefined && { notes }) });
    return;
  }
  deps.stdout(notes ?? renderDiff(diff));
  if (options.dryRun) deps.stderr(`would write ${options.output}\n`);
  else deps.stderr(`next:  headstart image build --lock ${options.output}\n`);
}

function refused(problems: readonly string[], { from }: Options): UserError {
  return new UserError(
    `this is no hotfix of ${from}:\n${problems.map((problem) => `         ${problem}`).join('\n')}`,
    {
      code: 'image/no-hotfix',
      kept: 'Nothing was written.',
      next: 'allow what has to change, take only that with --pick, or release a new base',
      exitCode: 1,
    },
  );
}

function taken(file: string): UserError {
  return new UserError(`${file} is there already`, {
    code: 'image/output-there',
    kept: 'Nothing was written.',
    next: 'name another file with -o, or remove that one',
  });
}
