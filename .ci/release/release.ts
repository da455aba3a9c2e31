// .ci/release/release.ts: `make release`: checks the tree, runs `make test`, makes the tag, and says what to do next. It pushes nothing.
// `--dry-run` changes nothing. `--notes TAG` prints the notes of a tag that fits the tree, for the release workflow.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { exitCodeOf, renderError, UserError } from '../../src/base/errors.ts';
import { entryOf } from './changelog.ts';
import { judgeRelease, MAIN, type ReleaseFacts, tagOf } from './judge-release.ts';

const USAGE = 'make release, make release DRY_RUN=1';
const REFUSED = 2;
const KEPT = 'No tag was made and nothing was pushed.';

try {
  process.exitCode = run(process.argv.slice(2));
} catch (error) {
  console.error(renderError(error));
  process.exitCode = exitCodeOf(error);
}

function run(argv: readonly string[]): number {
  const [mode, tag, ...more] = argv;
  if (mode === undefined) return release({ isDryRun: false });
  if (mode === '--dry-run' && tag === undefined) return release({ isDryRun: true });
  if (mode === '--notes' && tag !== undefined && more.length === 0) return printNotes(tag);
  throw new UserError(`unknown arguments: ${argv.join(' ')}`, { code: 'release/usage', next: USAGE });
}

function release({ isDryRun }: { isDryRun: boolean }): number {
  const ready = check();
  if (!ready) return REFUSED;
  const { tag, notes, commit } = ready;
  if (isDryRun) {
    console.log(`${tag} can be released from ${commit.slice(0, 12)}. Without DRY_RUN=1:\n`);
    console.log(`  make test\n  git tag --annotate ${tag} ${commit.slice(0, 12)}`);
    console.log(`\nThe notes of the tag:\n\n${notes}`);
    return 0;
  }
  console.log('== make test');
  const { status } = spawnSync('make', ['test'], { stdio: 'inherit' });
  if (status !== 0)
    throw new UserError(`make test failed (exit code ${status})`, {
      ...{ code: 'release/tests-failed', kept: KEPT, exitCode: 1 },
      next: 'fix what failed and commit it, then run `make release` again',
    });
  // What was tested is what is tagged.
  const after = check();
  if (!after) return 1;
  if (after.commit !== commit)
    throw new UserError(`HEAD moved from ${commit.slice(0, 12)} to ${after.commit.slice(0, 12)} during the tests`, {
      ...{ code: 'release/head-moved', kept: KEPT, exitCode: 1 },
      next: 'run `make release` again',
    });
  // Lines with # are headings, not comments.
  git(['tag', '--annotate', '--cleanup=whitespace', '--file=-', tag, commit], `headstart ${tag}\n\n${notes}\n`);
  console.log(`\nThe tag ${tag} is on ${commit.slice(0, 12)}. Nothing was pushed. Next:\n`);
  console.log(`  git show ${tag}              read it once more`);
  console.log(`  git push origin ${MAIN} ${tag}   the release workflow then builds and uploads the files`);
  console.log(`  git tag --delete ${tag}      take it back, as long as it is not pushed`);
  return 0;
}

/** For a tag that was pushed: the tree must be the one of that tag. */
function printNotes(tag: string): number {
  const { version, changelog } = readFacts();
  const entry = entryOf(changelog, version);
  if (tag !== tagOf(version))
    throw new UserError(`the tag is ${tag}, but package.json has the version ${version}, expected ${tagOf(version)}`, {
      ...{ code: 'release/other-tag', kept: 'Nothing was uploaded.' },
      next: `delete the tag ${tag}, then make it with \`make release\``,
    });
  if (!entry || entry.text === '')
    throw new UserError(`CHANGELOG.md has no entry for ${version}`, {
      ...{ code: 'release/no-changelog-entry', kept: 'Nothing was uploaded.' },
      next: `delete the tag ${tag}, then make it with \`make release\``,
    });
  console.log(entry.text);
  return 0;
}

/** Undefined: refused, and every reason is printed. */
function check(): { tag: string; notes: string; commit: string } | undefined {
  const commit = git(['rev-parse', '--verify', 'HEAD']).trim();
  const verdict = judgeRelease(readFacts());
  if (verdict.isReady) return { ...verdict, commit };
  for (const { message, code, next } of verdict.refusals)
    console.error(renderError(new UserError(message, { code, kept: KEPT, next })));
  return undefined;
}

function readFacts(): ReleaseFacts {
  const { version } = readJson('package.json') as { version: string };
  const lock = readJson('package-lock.json') as { version?: string; packages?: { '': { version?: string } } };
  const lines = (...args: string[]) => git(args).split('\n').filter(Boolean);
  return {
    version,
    copies: [
      { file: 'package-lock.json', version: lock.version },
      { file: 'package-lock.json (packages)', version: lock.packages?.['']?.version },
      ...chartVersions(),
    ],
    branch: lines('branch', '--show-current')[0],
    dirty: lines('status', '--porcelain', '--untracked-files=all').map((line) => line.slice(3)),
    tags: lines('tag', '--list'),
    changelog: readFileSync('CHANGELOG.md', 'utf8'),
  };
}

/** A chart's own version may differ; `appVersion` is the program's. */
function chartVersions(): ReleaseFacts['copies'] {
  const charts = existsSync('charts') ? readdirSync('charts') : [];
  return charts
    .map((name) => join('charts', name, 'Chart.yaml'))
    .filter((file) => existsSync(file))
    .map((file) => ({
      file,
      version: `${(parse(readFileSync(file, 'utf8')) as { appVersion?: unknown }).appVersion}`,
    }));
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new UserError(`${file} cannot be read here`, {
      ...{ code: 'release/no-project', kept: KEPT, cause },
      next: 'run `make release` in the root of the repository',
    });
  }
}

function git(args: readonly string[], input?: string): string {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8', ...(input && { input }) });
  if (status === 0) return stdout;
  throw new UserError(`git ${args[0]} failed: ${stderr.trim()}`, {
    ...{ code: 'release/git-failed', kept: KEPT, exitCode: 1 },
    next: 'run `make release` in a clone that has a commit',
  });
}
