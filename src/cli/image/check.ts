// cli/image/check.ts: `headstart image check`: can images be made from this manifest, and do their parts go together? Exits 3 when not.

import { manifestSha256 } from '../../image/lock/make-lock.ts';
import { readLockIfExists } from '../../image/lock/read-lock.ts';
import type { ManifestProblem } from '../../image/manifest/manifest-problem.ts';
import { renderManifestProblem } from '../../image/manifest/manifest-problem.ts';
import { parseManifest } from '../../image/manifest/read-manifest.ts';
import { checkRules, RULES, type RuleFinding, renderFindings } from '../../image/manifest/rules/check.ts';
import { wrapLines } from '../output/display-width.ts';
import { printJson } from '../output/json.ts';
import { paint } from '../output/paint.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { renderTable } from '../output/table.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { lockFileOf, type ManifestFlags, readManifestText, withManifestOption } from './manifest-file.ts';

interface Options extends ManifestFlags {
  lock?: string;
  rules?: boolean;
  json?: boolean;
}

const ANSWER_IS_NO = 3;

export const verb: Verb = {
  examples: ['image check', 'image check -f examples/image/image.yaml --json', 'image check --rules'],
  notes: 'Exit code: 0 valid, perhaps with warnings; 3 invalid; 2 the manifest cannot be read.',
  configure: (command) =>
    withManifestOption(command)
      .option(
        '--lock <FILE>',
        'the lock with the versions of packages; default: image.lock.json next to the manifest, if it belongs to it',
      )
      .option('--rules', 'list the rules and the source of each')
      .option('--json', 'print one JSON document'),
  async run(_args, options: Options, deps) {
    if (options.rules) return tellRules(options, deps);
    const parsed = await parseManifest(readManifestText(options.file));
    if ('problems' in parsed) return tell({ problems: parsed.problems, findings: [] }, options, deps);
    const lock = readLockIfExists(lockFileOf(options.lock, options.file));
    // A lock of another manifest says nothing about this one, unless somebody names it.
    const isOurs =
      lock !== undefined && (options.lock !== undefined || lock.manifestSha256 === manifestSha256(parsed.manifest));
    const findings = checkRules(parsed.manifest, isOurs ? lock : undefined);
    if (lock !== undefined && !isOurs)
      deps.stderr('the lock beside it is of another manifest, and was not looked at; next: headstart image lock\n');
    return tell({ problems: [], findings }, options, deps);
  },
};

interface Told {
  problems: readonly ManifestProblem[];
  findings: readonly RuleFinding[];
}

function tell({ problems, findings }: Told, { file, json }: Options, deps: CliDeps): number {
  const errors = problems.length + findings.filter(({ severity }) => severity === 'error').length;
  if (json) {
    printJson(deps, 'ImageManifestCheck', {
      isRight: errors === 0,
      problems: problems.map(({ path, message, line }) => ({ path, message, line })),
      findings,
    });
  } else {
    const screen = screenOf(deps);
    // One line for what is the same in several images, and so it is counted once.
    const [wrong, weak] = (['error', 'warning'] as const).map((severity) =>
      renderFindings(findings.filter((finding) => finding.severity === severity)),
    ) as [string[], string[]];
    const told = [...problems.map((problem) => `problem  ${renderManifestProblem(problem)}`), ...wrong, ...weak];
    for (const line of told) deps.stdout(`${wrapLines(withStyle(line, screen), screen.columns, 9)}\n`);
    const verdict =
      errors === 0
        ? `${file} is right${weak.length > 0 ? `, with ${counted(weak.length, 'warning')}` : ''}`
        : `No image can be made from ${file}: ${counted(problems.length + wrong.length, 'problem')}.`;
    deps.stdout(`${wrapLines(verdict, screen.columns)}\n`);
    const next = 'next:  correct the manifest; `headstart image schema` has every field for your editor';
    if (errors > 0) deps.stdout(`${wrapLines(next, screen.columns, 7)}\n`);
  }
  return errors === 0 ? 0 : ANSWER_IS_NO;
}

/** `problem  …` or `warning  …` */
function withStyle(line: string, screen: Screen): string {
  const [word = ''] = line.split(' ', 1);
  return `${paint(word, word === 'problem' ? 'bad' : 'warning', screen)}${line.slice(word.length)}`;
}

function tellRules({ json }: Options, deps: CliDeps): void {
  const rules = RULES.map(({ id, says, source }) => ({ id, says, source }));
  if (json) printJson(deps, 'ImageRules', { rules });
  else
    deps.stdout(
      renderTable(
        [
          { title: 'RULE', cell: ({ id }) => id },
          { title: 'SAYS', cell: ({ says }) => says, narrow: 'wrap' },
          { title: 'SOURCE', cell: ({ source }) => source, style: () => 'aside', narrow: 'wrap' },
        ],
        rules,
        screenOf(deps),
      ),
    );
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
