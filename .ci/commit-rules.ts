// .ci/commit-rules.ts: which rules of CONTRIBUTING.md ("Commits") does a commit break? Pure; check-commits.ts reads git.

export interface Commit {
  /** Subject, empty line, body, as git stores it. */
  message: string;
  /** The larger of added and deleted lines, without fixtures and generated files; undefined: not committed yet. */
  changedLines?: number;
}

const SUBJECT_COLUMNS = 72;
const BODY_COLUMNS = 80;
const MOST_LINES = 2500;
/** Says why one idea needs so many lines. */
const LARGE_TRAILER = /^Large-change: \S/m;

const AREAS = new Set([
  ...['base', 'boot', 'cli', 'clone-check', 'cluster', 'container', 'host', 'image', 'local', 'node', 'prototype'],
  ...['schema', 'vms', 'src', 'sims', 'e2e', 'demo', 'bench', 'charts', 'tools', 'docs', 'examples', 'ci'],
  ...['fleet', 'rollout', 'standby', 'identity', 'packages', 'release', 'deps', 'tests'],
]);

/** A list, because English has no rule that tells the imperative from a noun. Add a verb when a subject needs it. */
const VERBS = new Set(
  `accept account add align allow answer apply ask assert attach avoid await bind boot bound build bump bundle cache call cap catch change
  check choose clarify classify clean clear close collapse collect colour compare complete compress compute configure connect convert
  copy correct count cover create cut date decide declare decode default defer define delete derive describe detect disable distinguish document
  download drain draw drop embed enable encode end enforce ensure escape exclude execute expect explain export expose extend extract fail
  fall fetch fill filter find finish fit fix follow forbid force format free freeze gather generate give group guard handle hash hide hold
  honour ignore implement import include increase index infer inline install introduce invoke isolate join judge keep label lay leave let
  limit link list load lock log look lower make map mark mask match measure merge migrate mount move name narrow normalise note observe
  offer omit open order pack parse pass patch pause pick pin place plan point poll prefer prepare price print probe propagate protect prove
  provide prune publish put queue quote raise read recognise record recover reduce refactor refill refuse register reject release reload remove
  re-time rename render reopen reserve repair repeat replace report require reset resolve respect restart restore restrict resume retain retry return
  reuse rework rewrite roll round run save say scan seal search seed select send separate serve set settle share shorten show shrink
  simplify simulate skip sort specify speed spell split start state stop store stream strip structure suggest support survive swap
  synchronise tag take teach tell test thaw tighten time tolerate trace track translate trim truncate trust try turn type undo unify
  unpack unwrap update upgrade upload use validate verify wait wake warn watch widen wrap write`.split(/\s+/),
);

const VAGUE_OBJECTS = new Set(['it', 'this', 'that', 'them', 'things', 'stuff', 'everything', 'more', 'bugs', 'bug']);
const DIALECT = /\b(?:nobody|whoever|somebody|anew|aloud)\b/i;

/** Git words these subjects itself. */
const MADE_BY_GIT = /^(?:Merge|Revert|fixup!|squash!) /;

export function brokenRules({ message, changedLines = 0 }: Commit): string[] {
  if (MADE_BY_GIT.test(message)) return [];
  const [subject = '', blank = '', ...body] = message.trimEnd().split('\n');
  const broken: string[] = [];
  if (subject.length > SUBJECT_COLUMNS)
    broken.push(`the subject has ${subject.length} characters; at most ${SUBJECT_COLUMNS} are allowed`);
  broken.push(...brokenBySubject(subject));
  if (blank !== '') broken.push('the second line must be empty');
  if (body.every((line) => line.trim() === '' || isTrailer(line)))
    broken.push('the body is missing: start it with the symptom or the reason');
  for (const line of body)
    if (line.length > BODY_COLUMNS && line.trim().includes(' ')) broken.push(`a body line is too long: "${line}"`);
  if (changedLines > MOST_LINES && !LARGE_TRAILER.test(message))
    broken.push(`${changedLines} changed lines; split the commit, or say why not in a trailer "Large-change: …"`);
  return broken;
}

function brokenBySubject(subject: string): string[] {
  const [, areas, summary] = /^([a-z0-9-][a-z0-9/., -]*): (.+)$/.exec(subject) ?? [];
  if (areas === undefined || summary === undefined) return ['the subject must read "area: imperative summary"'];
  // Further areas may be rooms of the first one: `prototype/donor, after`.
  const folder = areas.split(/[/,]/)[0]!;
  const broken = AREAS.has(folder)
    ? []
    : [`unknown area "${folder}"; areas are folders, listed in .ci/commit-rules.ts`];
  const [first = '', object = '', ...rest] = summary.split(' ');
  const verb = first.replace(/,$/, ''); // `prepare, freeze and claim nodes`
  if (!VERBS.has(verb))
    broken.push(`"${verb}" is not a known imperative verb; if it is one, add it to .ci/commit-rules.ts`);
  if (object === '' || (VAGUE_OBJECTS.has(object) && rest.length === 0)) broken.push('the subject names no object');
  if (summary.endsWith('.')) broken.push('the subject ends with a full stop');
  if (DIALECT.test(summary)) broken.push(`write plain English: "${DIALECT.exec(summary)![0]}"`);
  return broken;
}

function isTrailer(line: string): boolean {
  return /^[A-Z][A-Za-z-]+: \S/.test(line);
}
