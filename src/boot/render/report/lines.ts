// boot/render/report/lines.ts: which lines does the waterfall have, and which of them are visible? Spans of several boots are matched by id.
import { parseSpan } from '../../../base/duration.ts';
import type { ReportRow, ReportView } from '../report-data.ts';
import type { TimeWindow } from './time-window.ts';

export interface Line {
  id: string;
  name: string;
  source: ReportRow['source'];
  depth: number;
  parent: Line | undefined;
  children: Line[];
  /** One entry per boot; undefined if the boot does not have the span. */
  bars: (ReportRow | undefined)[];
  isCritical: boolean;
  /** Named by a finding: shown with the path, without the other parts of its unit. */
  isFound: boolean;
  /** A part of the way to Ready, such as cloud-init: its bars cover its time on the critical path. */
  isGroup: boolean;
  /** Of a group: per boot, its time on the critical path, without gaps. */
  pathUs: number[];
  startUs: number;
  /** The longest duration of all boots. */
  tookUs: number;
  searchText: string;
}

export interface Filter {
  query: string;
  /** Hides shorter spans unless they are critical, failed or waits. */
  minUs: number;
  isCriticalOnly: boolean;
  hiddenSources: ReadonlySet<string>;
  openIds: ReadonlySet<string>;
  /** Hides lines outside it. */
  range: TimeWindow | undefined;
}

export interface VisibleLine {
  line: Line;
  isMatch: boolean;
}

export function linesOfViews(views: ReportView[]): Map<string, Line> {
  const lines = new Map<string, Line>();
  const critical = new Set(views.flatMap((view) => [...criticalIds(view)]));
  const found = new Set(views.flatMap((view) => view.findings.map(({ id }) => id)));
  views.forEach((view, boot) => {
    for (const row of view.rows) {
      const line = lines.get(row.id) ?? newLine(row, views.length, critical.has(row.id));
      line.bars[boot] = row;
      line.isFound = found.has(row.id);
      line.startUs = Math.min(line.startUs, row.startUs);
      line.tookUs = Math.max(line.tookUs, row.endUs - row.startUs);
      line.searchText += ` ${row.wait ?? ''} ${row.detail ?? ''}`.toLowerCase();
      lines.set(row.id, line);
    }
  });
  for (const line of lines.values()) adopt(line, lines);
  for (const line of groupLines(views, lines)) lines.set(line.id, line);
  const byStart = (a: Line, b: Line) => a.startUs - b.startUs || b.tookUs - a.tookUs || (a.id < b.id ? -1 : 1);
  for (const line of lines.values()) line.children.sort(byStart);
  return new Map([...lines.values()].sort(byStart).map((line) => [line.id, line]));
}

/** The links of the critical path, and the phases before them. */
export function criticalIds({ path, segments }: ReportView): Set<string> {
  return new Set([...path, ...segments].flatMap(({ id }) => (id === undefined ? [] : [id])));
}

/** In the order of the way to Ready, which is the order of their first start. */
function groupLines(views: ReportView[], lines: Map<string, Line>): Line[] {
  const tops = [...lines.values()].filter((line) => !line.parent);
  const byGroup = Map.groupBy(tops, (line) => line.bars.find((bar) => bar)?.group);
  return [...byGroup].flatMap(([group, members]) => {
    if (group === undefined) return [];
    const id = `group:${group}`;
    const first = members.reduce((a, b) => (b.startUs < a.startUs ? b : a));
    const line = newLine(
      { id, name: group, source: first.source, startUs: first.startUs, endUs: first.startUs },
      views.length,
      false,
    );
    line.isGroup = true;
    line.children = members;
    views.forEach((view, boot) => {
      const parts = view.segments.filter((segment) => segment.group === group && segment.kind !== 'gap');
      line.pathUs[boot] = parts.reduce((us, part) => us + part.endUs - part.startUs, 0);
      if (parts.length === 0) return;
      const [startUs, endUs] = [parts[0]!.startUs, parts.at(-1)!.endUs];
      line.bars[boot] = { id, name: group, source: first.source, startUs, endUs };
      line.tookUs = Math.max(line.tookUs, line.pathUs[boot]);
    });
    for (const member of members) member.parent = line;
    return [line];
  });
}

function newLine(row: ReportRow, boots: number, isCritical: boolean): Line {
  return {
    id: row.id,
    name: row.name,
    source: row.source,
    depth: 0,
    parent: undefined,
    children: [],
    bars: Array.from({ length: boots }, () => undefined),
    isCritical,
    isFound: false,
    isGroup: false,
    pathUs: [],
    startUs: row.startUs,
    tookUs: 0,
    searchText: `${row.name} ${row.id} ${row.source}`.toLowerCase(),
  };
}

/** Ignores a parent that would create a loop. */
function adopt(line: Line, lines: Map<string, Line>): void {
  const parentId = line.bars.find((bar) => bar?.parent !== undefined)?.parent;
  const parent = parentId === undefined ? undefined : lines.get(parentId);
  for (let above = parent; above; above = above.parent) if (above === line) return;
  if (!parent) return;
  line.parent = parent;
  parent.children.push(line);
}

/** In display order. A search ignores the other filters and expands the ancestors of each match. */
export function shownLines(lines: Map<string, Line>, filter: Filter): VisibleLine[] {
  const terms = filter.query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = terms.length > 0 ? new Set<Line>() : undefined;
  const kept = new Set<Line>();
  for (const line of lines.values()) {
    line.depth = 0;
    if (line.isGroup || !isInRange(line, filter.range)) continue;
    if (!(matches ? terms.every((term) => hasTerm(line, term)) : isWanted(line, filter))) continue;
    matches?.add(line);
    kept.add(line);
    for (let above = line.parent; above && !kept.has(above); above = above.parent)
      if (matches || above.isGroup) kept.add(above);
  }
  // A search for a unit also shows what is inside it, unless only durations were asked for.
  if (matches && terms.some((term) => !term.startsWith('>')))
    for (const line of [...matches])
      for (const part of descendantsOf(line)) if (isInRange(part, filter.range)) matches.add(kept.add(part) && part);
  return unfold(
    [...lines.values()].filter((line) => kept.has(line)),
    kept,
    (line) => matches !== undefined || (filter.isCriticalOnly && !line.isGroup) || filter.openIds.has(line.id),
  ).map((line) => ({ line, isMatch: line.isGroup || (matches?.has(line) ?? true) }));
}

function isInRange(line: Line, range: TimeWindow | undefined): boolean {
  return !range || line.bars.some((bar) => bar && bar.startUs <= range.toUs && bar.endUs >= range.fromUs);
}

/** `adopt` made sure that there is no loop. */
function descendantsOf(line: Line): Line[] {
  return line.children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Puts each line under its nearest visible ancestor. */
function unfold(inOrder: Line[], kept: ReadonlySet<Line>, isOpen: (line: Line) => boolean): Line[] {
  const inside = Map.groupBy(inOrder, (line) => {
    let above = line.parent;
    while (above && !kept.has(above)) above = above.parent;
    return above;
  });
  const unfolded: Line[] = [];
  const waiting = [...(inside.get(undefined) ?? [])].reverse();
  for (let line = waiting.pop(); line; line = waiting.pop()) {
    unfolded.push(line);
    const parts = isOpen(line) ? (inside.get(line) ?? []) : [];
    for (let at = parts.length - 1; at >= 0; at--) waiting.push(parts[at]!);
    for (const part of parts) part.depth = line.depth + 1;
  }
  return unfolded;
}

function hasTerm(line: Line, term: string): boolean {
  const longerThanUs = term.startsWith('>') ? parseSpan(term.slice(1)) : undefined;
  return longerThanUs === undefined ? line.searchText.includes(term) : line.tookUs > longerThanUs;
}

function isWanted(line: Line, filter: Filter): boolean {
  if (filter.hiddenSources.has(line.source)) return false;
  // An expanded line shows all its parts, even short ones.
  if (line.parent && !line.parent.isGroup && filter.openIds.has(line.parent.id)) return true;
  if (filter.isCriticalOnly) return (line.isCritical || line.isFound) && line.tookUs > 0;
  return line.tookUs >= filter.minUs || line.isCritical || line.bars.some((bar) => bar?.wait || bar?.result === 'fail');
}

export interface LineDifference {
  line: Line;
  beforeUs: number | undefined;
  afterUs: number | undefined;
  changeUs: number;
  kind: 'slower' | 'faster' | 'new' | 'gone';
}

/** Compares a boot with the first one. Largest change first, without unchanged lines. */
export function lineDifferences(lines: Map<string, Line>, boot: number): LineDifference[] {
  const found: LineDifference[] = [];
  for (const line of lines.values()) {
    if (line.isGroup) continue;
    const [before, after] = [line.bars[0], line.bars[boot]];
    const beforeUs = before && before.endUs - before.startUs;
    const afterUs = after && after.endUs - after.startUs;
    const changeUs = (afterUs ?? 0) - (beforeUs ?? 0);
    if (changeUs === 0) continue;
    const kind = beforeUs === undefined ? 'new' : afterUs === undefined ? 'gone' : changeUs > 0 ? 'slower' : 'faster';
    found.push({ line, beforeUs, afterUs, changeUs, kind });
  }
  return found.sort((a, b) => Math.abs(b.changeUs) - Math.abs(a.changeUs) || (a.line.id < b.line.id ? -1 : 1));
}
