// cli/wrong-word.ts: which verb did the user mean by a word that names none?
import { UserError } from '../base/errors.ts';
import { nearestNames } from '../base/nearest-names.ts';

/** Words that other programs use, and the last word of the verb that does the same here. */
export const SYNONYMS = new Map<string, readonly string[]>(
  Object.entries({
    analyse: ['timeline', 'blame'],
    analyze: ['timeline', 'blame'],
    'critical-chain': ['chain'],
    'critical-path': ['chain'],
    waterfall: ['report', 'timeline'],
    html: ['report'],
    graph: ['report', 'dot'],
    svg: ['plot'],
    trace: ['export'],
    csv: ['export'],
    boots: ['history'],
    budget: ['check'],
    simulate: ['what-if'],
    ls: ['list'],
    get: ['list', 'show'],
    describe: ['show'],
    info: ['show', 'status'],
    ps: ['list', 'status'],
    new: ['create'],
    add: ['create'],
    rm: ['delete'],
    remove: ['delete'],
    destroy: ['delete', 'down'],
    resize: ['scale'],
    restart: ['start'],
    shell: ['ssh'],
    console: ['logs'],
    log: ['logs', 'history'],
    bake: ['run', 'build'],
    capture: ['run'],
    revert: ['rollback'],
    undo: ['rollback'],
    clean: ['prune'],
    gc: ['prune'],
    price: ['cost'],
    validate: ['check'],
    verify: ['check'],
    lint: ['check'],
    diff: ['compare', 'plan'],
    upgrade: ['update'],
    upload: ['publish'],
    compare: ['diff'],
    list: ['status'],
    start: ['up'],
    stop: ['down'],
  }),
);

/** `group`: the words before the wrong one; `known`: every group and verb. */
export function unknownWord(group: readonly string[], word: string, known: readonly string[]): UserError {
  const meant = nearestVerbs(group, word, known).map((path) => `\`headstart ${path}\``);
  const hint = meant.length > 0 ? `; did you mean ${meant.join(' or ')}?` : '';
  return usageError(`unknown command '${word}'${hint}`, group);
}

/** For an invalid command line. `next` is the help of the group or verb that was called. */
export function usageError(message: string, path: readonly string[]): UserError {
  return new UserError(message, { code: 'cli/usage', next: ['headstart', ...path, '--help'].join(' ') });
}

/** At most three: words of other programs, the same verb in a subgroup, and typing errors. */
export function nearestVerbs(group: readonly string[], word: string, known: readonly string[]): string[] {
  const depth = group.length + 1;
  const inGroup = known.filter((path) => group.every((part, at) => path.split(' ')[at] === part));
  const below = inGroup.filter((path) => path.split(' ').length >= depth);
  const here = below.filter((path) => path.split(' ').length === depth);
  const endingIn = (paths: readonly string[], last: string) => paths.filter((path) => lastOf(path) === last);
  const alike = (paths: readonly string[]) =>
    nearestNames(word, new Set(paths.map(lastOf))).flatMap((last) => endingIn(paths, last));

  const synonyms = SYNONYMS.get(word) ?? [];
  const direct =
    group.length === 0
      ? [...endingIn(below, word), ...synonyms.flatMap((last) => endingIn(below, last)), ...alike(here)]
      : [...synonyms.flatMap((last) => endingIn(here, last)), ...endingIn(below, word), ...alike(here)];
  return [...new Set(direct.length > 0 ? direct : alike(below))].slice(0, 3);
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf(' ') + 1);
}
