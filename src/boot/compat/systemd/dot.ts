// boot/compat/systemd/dot.ts: prints the dependencies between units as a graph for graphviz.

import { namedUnit } from '../../model/default-target.ts';
import type { BootRecord, Unit } from '../../model/record.ts';
import { fnmatch } from './exact/fnmatch.ts';

export interface DotOptions {
  /** order: After= only · require: everything else · all. */
  edges: 'all' | 'order' | 'require';
  /** Either end of an edge matches. */
  patterns: string[];
  fromPatterns: string[];
  toPatterns: string[];
}

export interface DotEdge {
  from: string;
  to: string;
  kind: 'After' | 'Requires' | 'Requisite' | 'BindsTo' | 'Wants' | 'Conflicts';
  color: string;
}

const KINDS: readonly { kind: DotEdge['kind']; color: string; of: (unit: Unit) => string[] | undefined }[] = [
  { kind: 'After', color: 'green', of: (unit) => unit.after },
  { kind: 'Requires', color: 'black', of: (unit) => unit.requires },
  { kind: 'Requisite', color: 'darkblue', of: (unit) => unit.requisite },
  { kind: 'BindsTo', color: 'gold', of: (unit) => unit.bindsTo },
  { kind: 'Wants', color: 'grey66', of: (unit) => unit.wants },
  { kind: 'Conflicts', color: 'red', of: (unit) => unit.conflicts },
];

export function dotEdges(record: BootRecord, options: DotOptions): DotEdge[] {
  const isEither = matcher(record, options.patterns);
  const isFrom = matcher(record, options.fromPatterns);
  const isTo = matcher(record, options.toPatterns);
  const kinds = KINDS.filter(
    ({ kind }) => options.edges === 'all' || (kind === 'After') === (options.edges === 'order'),
  );
  const edges: DotEdge[] = [];
  for (const unit of record.units) {
    const fromEither = isEither(unit.name);
    if (options.fromPatterns.length > 0 && !fromEither && !isFrom(unit.name)) continue;
    for (const { kind, color, of } of kinds) {
      for (const to of of(unit) ?? []) {
        const toEither = isEither(to);
        if (options.toPatterns.length > 0 && !toEither && !isTo(to)) continue;
        if (options.patterns.length > 0 && !fromEither && !toEither) continue;
        edges.push({ from: unit.name, to, kind, color });
      }
    }
  }
  return edges;
}

export function renderDot(edges: readonly DotEdge[]): string {
  // Graphviz treats a backslash in a label as an escape: `\x2d` would lose it.
  const quote = (name: string) => `"${name.replace(/[\\"]/g, '\\$&')}"`;
  const lines = edges.map(({ from, to, color }) => `\t${quote(from)}->${quote(to)} [color="${color}"];\n`);
  return `digraph systemd {\n${lines.join('')}}\n`;
}

/** A pattern without wildcards may be an alias: it also matches the unit's Id. Results are cached per name. */
function matcher(record: BootRecord, patterns: readonly string[]): (name: string) => boolean {
  const all = patterns.flatMap((pattern) => {
    const id = /[*?[]/.test(pattern) ? undefined : namedUnit(record, pattern)?.name;
    return id === undefined || id === pattern ? [pattern] : [pattern, id];
  });
  const known = new Map<string, boolean>();
  return (name) => {
    let isMatch = known.get(name);
    if (isMatch === undefined) {
      isMatch = all.some((pattern) => fnmatch(pattern, name));
      known.set(name, isMatch);
    }
    return isMatch;
  };
}
