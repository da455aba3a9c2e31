// image/update/notes.ts: what does a release change? Markdown, rendered from the diff of two locks.

import type { ComponentKind } from '../manifest/manifest.ts';
import type { VulnerabilityDiff, VulnerabilityFinding } from '../report/vulnerabilities.ts';
import { isSameContent, type LockChange, type LockDiff } from './diff.ts';

export function renderNotes(diff: LockDiff, vulnerabilities?: VulnerabilityDiff): string {
  const { from, to } = diff;
  const isHotfix =
    from.base.date === to.base.date && from.base.origin === to.base.origin && to.base.patch > from.base.patch;
  const blocks = [
    `# ${text(to.name)} ${text(to.version)}`,
    `${isHotfix ? 'Hotfix of' : 'Since'} ${text(from.name)} ${text(from.version)}.${isSameContent(diff) ? ' The image has no changes.' : ''}`,
    downgrades(diff.changes),
    kubernetes(diff),
    ...(vulnerabilities ? [security(vulnerabilities)] : []),
    ...KINDS.map(([kind, title]) =>
      changed(
        title,
        diff.changes.filter((change) => change.kind === kind),
      ),
    ),
    facts(diff),
    sizes(diff),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

const KINDS: readonly [ComponentKind, string][] = [
  ['binary', 'Programs'],
  ['archive', 'Archives'],
  ['deb', 'Packages'],
  ['oci-image', 'Container images'],
  ['file', 'Files'],
];

/** Listed first, so that a downgrade is not overlooked. */
function downgrades(changes: readonly LockChange[]): string {
  const down = changes.filter(({ change }) => change === 'down');
  if (down.length === 0) return '';
  return section(
    'Downgrades',
    down.map(
      (one) =>
        `- **${text(one.component)} is downgraded** from ${text(one.from?.version ?? '')} to ${text(one.to?.version ?? '')}${only(one)}`,
    ),
  );
}

function kubernetes({ kubernetes: { added, removed } }: LockDiff): string {
  return section('Kubernetes versions', [
    ...added.map((version) => `- new: ${text(version)}`),
    ...removed.map((version) => `- no longer built: ${text(version)}`),
  ]);
}

function security({ fixed, new: arrived, remaining }: VulnerabilityDiff): string {
  const lines = (what: string, findings: readonly VulnerabilityFinding[]) =>
    findings.map(
      (one) =>
        `- ${what}: ${text(one.id)}${one.severity === undefined ? '' : ` (${text(one.severity)})`} in ${text(one.component)} ${text(one.version)}`,
    );
  const all = [...lines('fixed', fixed), ...lines('new', arrived), ...lines('remaining', remaining)];
  return section('Known vulnerabilities', all.length > 0 ? all : ['None, according to the given list.']);
}

function changed(title: string, changes: readonly LockChange[]): string {
  if (changes.length === 0) return '';
  return section(title, ['| component | before | now | |', '|---|---|---|---|', ...changes.map(row)]);
}

function row(change: LockChange): string {
  const cells = [
    text(change.component),
    text(change.from?.version ?? ''),
    text(change.to?.version ?? ''),
    WORDS[change.change] + only(change),
  ];
  return `| ${cells.join(' | ')} |`;
}

const WORDS: Readonly<Record<LockChange['change'], string>> = {
  added: 'new',
  removed: 'removed',
  up: '',
  down: 'downgrade',
  'same-version': 'different content',
};

function only({ kubernetes: version }: LockChange): string {
  return version === undefined ? '' : ` (Kubernetes ${text(version)})`;
}

function facts(diff: LockDiff): string {
  return section(
    'Base',
    diff.facts.map(({ what, from, to }) => `- ${what}: ${text(from)} → ${text(to)}`),
  );
}

function sizes(diff: LockDiff): string {
  const lines = diff.sizes.map(({ kubernetes: version, fromBytes, toBytes }) => {
    const change = fromBytes !== undefined && toBytes !== undefined ? ` (${signed(toBytes - fromBytes)})` : '';
    return `- Kubernetes ${text(version)}: ${toBytes === undefined ? 'no longer built' : `${megabytes(toBytes)}${change}`}`;
  });
  return section('Download size', lines);
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function signed(bytes: number): string {
  return `${bytes < 0 ? '−' : '+'}${megabytes(Math.abs(bytes))}`;
}

/** Names come from manifests and feeds: escape them, so that they cannot inject markup, table rows or lines. */
function text(given: string): string {
  return given.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/g, '\ufffd').replace(/[\\`*_[\]<>|#]/g, '\\$&');
}
