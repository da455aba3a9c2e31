// cli/image/diff.ts: `headstart image diff A B`: what changed between two locks? Printed as text, JSON or release notes.
import { readFileSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { whyUnreadable } from '../../base/why-unreadable.ts';
import {
  diffVulnerabilities,
  type VulnerabilityDiff,
  type VulnerabilityFinding,
} from '../../image/report/vulnerabilities.ts';
import { readFeed, type Vulnerability } from '../../image/report/vulnerability-feed.ts';
import { diffLocks, isSameContent, type LockChange, type LockDiff } from '../../image/update/diff.ts';
import { renderNotes } from '../../image/update/notes.ts';
import { printJson } from '../output/json.ts';
import { PIPE, type Screen, screenOf } from '../output/screen.ts';
import { printable, renderTable } from '../output/table.ts';
import type { Verb } from '../verb.ts';
import { openLock } from './open-lock.ts';

interface Options {
  vulnerabilities?: string;
  notes?: boolean;
  json?: boolean;
}

export const verb: Verb = {
  examples: [
    'image diff old/image.lock.json image.lock.json',
    'image diff images/node-1.35.8-2026.1115.0 image.lock.json --notes --vulnerabilities osv.json',
  ],
  configure: (command) =>
    command
      .argument('<BEFORE>', 'a lock, or the folder of a build')
      .argument('<NOW>', 'the lock or build to compare with it')
      .option(
        '--vulnerabilities <FILE>',
        'OSV records, or a list of { package, fixed, id, severity }; shows which are fixed, new and still open',
      )
      .option('--notes', 'print release notes, in Markdown')
      .option('--json', 'print one JSON document'),
  run([before = '', now = ''], options: Options, deps) {
    const [from, to] = [openLock(before), openLock(now)];
    const diff = diffLocks(from, to);
    const feed = options.vulnerabilities === undefined ? undefined : openFeed(options.vulnerabilities);
    const vulnerabilities = feed && diffVulnerabilities(from, to, feed);
    const notes = options.notes ? renderNotes(diff, vulnerabilities) : undefined;
    if (options.json)
      return printJson(deps, 'ImageDiff', {
        ...diff,
        ...(vulnerabilities && { vulnerabilities }),
        ...(notes !== undefined && { notes }),
      });
    deps.stdout(notes ?? renderDiff(diff, vulnerabilities, screenOf(deps)));
  },
};

function openFeed(path: string): Vulnerability[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UserError(`cannot read ${path}: ${whyUnreadable(cause)}`, {
      code: 'image/bad-feed',
      next: 'name an existing file with --vulnerabilities',
      cause,
    });
  }
  return readFeed(text, path);
}

export function renderDiff(diff: LockDiff, vulnerabilities?: VulnerabilityDiff, screen: Screen = PIPE): string {
  const { from, to, kubernetes, facts, sizes } = diff;
  const lines = [
    `${from.name} ${from.version} → ${to.name} ${to.version}`,
    ...kubernetes.added.map((version) => `Kubernetes ${version} is new`),
    ...kubernetes.removed.map((version) => `Kubernetes ${version} was removed`),
    ...facts.map((fact) => `${fact.what}: ${fact.from} → ${fact.to}`),
    ...sizes.map(
      ({ kubernetes: version, fromBytes, toBytes }) =>
        `size of ${version}: ${megabytes(fromBytes)} → ${megabytes(toBytes)}`,
    ),
    ...(isSameContent(diff) ? ['nothing in the images differs'] : []),
  ];
  const table = diff.changes.length > 0 ? `\n${renderTable(COLUMNS, diff.changes, screen)}` : '';
  return `${lines.map(printable).join('\n')}\n${table}${vulnerabilities ? `\n${renderFindings(vulnerabilities, screen)}` : ''}`;
}

const WORDS: Readonly<Record<LockChange['change'], string>> = {
  added: 'new',
  removed: 'gone',
  up: 'newer',
  down: 'OLDER',
  'same-version': 'other content',
};

const COLUMNS: Parameters<typeof renderTable<LockChange>>[0] = [
  { title: 'KIND', cell: ({ kind }) => kind },
  { title: 'COMPONENT', cell: ({ component }) => component },
  { title: 'KUBERNETES', cell: ({ kubernetes }) => kubernetes ?? 'all' },
  { title: 'BEFORE', cell: ({ from }) => from?.version ?? '' },
  { title: 'NOW', cell: ({ to }) => to?.version ?? '' },
  { title: 'BYTES', align: 'right', cell: ({ from, to }) => signed((to?.bytes ?? 0) - (from?.bytes ?? 0)) },
  { title: '', cell: ({ change }) => WORDS[change] },
];

function renderFindings({ fixed, new: arrived, remaining }: VulnerabilityDiff, screen: Screen): string {
  const rows = [
    ...fixed.map((finding) => ({ what: 'fixed', finding })),
    ...arrived.map((finding) => ({ what: 'NEW', finding })),
    ...remaining.map((finding) => ({ what: 'still open', finding })),
  ];
  if (rows.length === 0) return 'no known vulnerabilities, according to the given list\n';
  return renderTable<{ what: string; finding: VulnerabilityFinding }>(
    [
      { title: 'VULNERABILITY', cell: ({ finding }) => finding.id },
      { title: 'SEVERITY', cell: ({ finding }) => finding.severity ?? '' },
      { title: 'IN', cell: ({ finding }) => `${finding.component} ${finding.version}` },
      { title: 'FIXED IN', cell: ({ finding }) => finding.fixed ?? '' },
      { title: '', cell: ({ what }) => what },
    ],
    rows,
    screen,
  );
}

function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? 'none' : `${(bytes / 1e6).toFixed(1)} MB`;
}

function signed(bytes: number): string {
  return bytes > 0 ? `+${bytes}` : String(bytes);
}
