// boot/questions/edits.ts: which edits does what-if accept, how are they written, and how do they change the order graph?
import { formatSpan, parseSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest-names.ts';
import type { OrderGraph } from '../model/order-graph.ts';

export type WhatIfEdit =
  | { kind: 'add'; unit: string; after: string[]; tookUs: number }
  | { kind: 'after'; unit: string; dependency: string }
  | { kind: 'drop-after'; unit: string; dependency: string }
  | { kind: 'set'; unit: string; tookUs: number }
  | { kind: 'mask'; unit: string };

/** `text` is the value of `--add`, `--after` etc. */
export function parseEdit(kind: WhatIfEdit['kind'], text: string): WhatIfEdit {
  const words = text.trim().split(/\s+/).filter(Boolean);
  if (kind === 'add') return parseAdd(words, text);
  if (kind === 'set') return parseSet(text);
  const [unit, dependency, ...rest] = words;
  if (kind === 'mask') {
    if (unit === undefined || dependency !== undefined) throw badEdit(kind, text, "'UNIT'");
    return { kind, unit };
  }
  if (unit === undefined || dependency === undefined || rest.length > 0) throw badEdit(kind, text, "'UNIT DEPENDENCY'");
  return { kind, unit, dependency };
}

/** Renders the edit as command-line arguments. */
export function renderEdit(edit: WhatIfEdit): string {
  if (edit.kind === 'mask') return `--mask '${edit.unit}'`;
  if (edit.kind === 'set') return `--set '${edit.unit}=${written(edit.tookUs)}'`;
  if (edit.kind !== 'add') return `--${edit.kind} '${edit.unit} ${edit.dependency}'`;
  const after = edit.after.map((name) => ` After=${name}`).join('');
  return `--add '${edit.unit}${after} Took=${written(edit.tookUs)}'`;
}

function written(us: number): string {
  return us === 0 ? '0s' : us % 1000 === 0 ? formatSpan(us) : `${us}us`;
}

function parseAdd([unit, ...fields]: string[], text: string): WhatIfEdit {
  const shape = "'UNIT After=DEPENDENCY Took=2s'";
  if (unit === undefined || unit.includes('=')) throw badEdit('add', text, shape);
  const after: string[] = [];
  let key = '';
  let took = '';
  for (const field of fields) {
    const [, name, value] = /^(After|Took)=(.*)$/.exec(field) ?? [];
    if (name === undefined && key === '') throw badEdit('add', text, shape);
    key = name ?? key;
    // As in a unit file, a value may contain blanks: `After=a.service b.service`, `Took=1min 2s`.
    const item = name === undefined ? field : value!;
    if (item !== '' && /^\w+=/.test(item)) throw badEdit('add', text, shape);
    if (key === 'Took') took += ` ${item}`;
    else if (item !== '') after.push(item);
  }
  const tookUs = took === '' ? 0 : parseSpan(took);
  if (tookUs === undefined) throw badSpan('add', text, took.trim());
  return { kind: 'add', unit, after: [...new Set(after)], tookUs };
}

function parseSet(text: string): WhatIfEdit {
  // Unit names may contain `=` (in a template's argument), so the last `=` is the separator.
  const at = text.lastIndexOf('=');
  const unit = text.slice(0, at).trim();
  if (at < 0 || unit === '' || /\s/.test(unit)) throw badEdit('set', text, "'UNIT=200ms'");
  const tookUs = parseSpan(text.slice(at + 1));
  if (tookUs === undefined) throw badSpan('set', text, text.slice(at + 1));
  return { kind: 'set', unit, tookUs };
}

function badEdit(kind: WhatIfEdit['kind'], text: string, shape: string): UserError {
  return new UserError(`--${kind} '${text}' is not valid: expected ${shape}`, {
    code: 'boot/bad-edit',
    next: `write --${kind} ${shape}`,
  });
}

function badSpan(kind: WhatIfEdit['kind'], text: string, span: string): UserError {
  return new UserError(`--${kind} '${text}': '${span}' is not a time span`, {
    code: 'boot/bad-edit',
    next: 'write a span such as 200ms, 2s or 1min 30s',
  });
}

export interface EditedGraph {
  graph: OrderGraph;
  /** Still in the graph, but no unit waits for them. */
  masked: ReadonlySet<number>;
  /** Edits that had no effect, and why. */
  notes: string[];
}

/** Applies the edits in order to a copy of the graph. `known` includes units that never ran. */
export function applyEdits(before: OrderGraph, edits: readonly WhatIfEdit[], known: ReadonlySet<string>): EditedGraph {
  const graph: OrderGraph = {
    ...before,
    names: [...before.names],
    numberOf: new Map(before.numberOf),
    after: [...before.after],
    floorUs: [...before.floorUs],
    delayUs: [...before.delayUs],
    tookUs: [...before.tookUs],
  };
  const notes: string[] = [];
  const masked = new Set<number>();
  // Added units first: other edits and other added units may refer to them.
  const adds = edits.filter((edit) => edit.kind === 'add');
  for (const edit of adds) addUnit(graph, edit);
  const find = (name: string) => unitIndexOrThrow(graph, name, known);
  for (const edit of adds) {
    const after = edit.after.map((name) => ({ name, d: find(name) }));
    for (const { name, d } of after)
      if (d === undefined) notes.push(`${name} did not run in this boot: waiting for it takes no time`);
    graph.after[graph.numberOf.get(edit.unit)!] = [...new Set(after.map(({ d }) => d).filter((d) => d !== undefined))];
  }
  for (const edit of edits) {
    if (edit.kind === 'add') continue;
    const u = find(edit.unit);
    const d = 'dependency' in edit ? find(edit.dependency) : undefined;
    if (u === undefined) {
      notes.push(`${edit.unit} did not run in this boot: ${renderEdit(edit)} has no effect`);
    } else if (edit.kind === 'set') {
      graph.tookUs[u] = edit.tookUs;
    } else if (edit.kind === 'mask') {
      masked.add(u);
    } else if (d === undefined) {
      notes.push(`${edit.dependency} did not run in this boot: ${renderEdit(edit)} has no effect`);
    } else if (edit.kind === 'after') {
      if (!graph.after[u]!.includes(d)) graph.after[u] = [...graph.after[u]!, d];
    } else {
      if (!graph.after[u]!.includes(d)) notes.push(`${edit.unit} did not wait for ${edit.dependency}: nothing to drop`);
      graph.after[u] = graph.after[u]!.filter((dependency) => dependency !== d);
    }
  }
  if (masked.size > 0) {
    graph.after = graph.after.map((deps, u) => (masked.has(u) ? [] : deps.filter((d) => !masked.has(d))));
  }
  return { graph, masked, notes };
}

function addUnit(graph: OrderGraph, { unit, tookUs }: WhatIfEdit & { kind: 'add' }): void {
  if (graph.numberOf.has(unit)) {
    throw new UserError(`--add '${unit}': the recording already has this unit`, {
      code: 'boot/unit-exists',
      next: `change it with --after '${unit} …', --drop-after '${unit} …' or --set '${unit}=…'`,
    });
  }
  graph.numberOf.set(unit, graph.names.length);
  graph.names.push(unit);
  graph.after.push([]);
  graph.floorUs.push(graph.earliestUs);
  graph.delayUs.push(0);
  graph.tookUs.push(tookUs);
}

/** The unit's index; undefined if it never ran. Throws if the recording does not have it. `name` may omit `.service`. */
export function unitIndexOrThrow(graph: OrderGraph, name: string, known: ReadonlySet<string>): number | undefined {
  const number = graph.numberOf.get(name) ?? graph.numberOf.get(`${name}.service`);
  if (number !== undefined || known.has(name) || known.has(`${name}.service`)) return number;
  throw new UserError(
    `the recording has no unit ${name}${didYouMean(name, new Set([...graph.numberOf.keys(), ...known]))}`,
    {
      code: 'boot/no-such-unit',
      next: `name a unit of the recording, or add it: --add '${name} After=… Took=…'`,
    },
  );
}
