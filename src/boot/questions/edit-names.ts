// boot/questions/edit-names.ts: which units and spans does a name in an edit mean?
import { UserError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest-names.ts';
import type { OrderGraph } from '../model/order-graph.ts';
import type { Span } from '../model/record.ts';
import type { PointGraph } from './point-graph.ts';

export interface EditSubjects {
  units: number[];
  spans: Span[];
}

/** Words for more than one step. */
const GROUPS: Readonly<Record<string, { what: string; unit?: RegExp; span: (span: Span) => boolean }>> = {
  'cloud-init': {
    what: 'cloud-init',
    unit: /^cloud-(?:init|config|final)/,
    span: ({ source, parent }) => source === 'cloud-init' && parent === undefined,
  },
  'image-pulls': { what: 'image pull', span: ({ name }) => /pull/i.test(name) },
  extensions: { what: 'extension', span: ({ source, wait }) => source === 'extension' && wait === undefined },
};

/** A word of GROUPS, a unit, or a span by id, name or last part of its name. Throws if the recording has none of that name. */
export function named(
  graph: PointGraph,
  name: string,
  known: ReadonlySet<string>,
  kind: 'set' | 'without',
): EditSubjects {
  // `--set cloud-init=2s` means the unit: a duration for a group says nothing.
  const group = kind === 'without' && Object.hasOwn(GROUPS, name) ? GROUPS[name] : undefined;
  const spans = [...graph.points.spans.values()].filter((span) => span.source !== 'systemd');
  if (group) {
    const units = unitNumbers(graph).filter(([unit]) => group.unit?.test(unit));
    const found = { units: units.map(([, u]) => u), spans: spans.filter(group.span) };
    if (found.units.length + found.spans.length > 0) return found;
    throw new UserError(`the recording has no ${group.what}`, {
      code: 'boot/no-such-step',
      next: 'see `headstart boot timeline` for what it has',
    });
  }
  const unit = graph.numberOf.get(name) ?? graph.numberOf.get(`${name}.service`);
  if (unit !== undefined) return { units: [unit], spans: [] };
  const found = spans.filter((span) => isCalled(span, name));
  if (found.length > 0) return { units: [], spans: found };
  if (known.has(name) || known.has(`${name}.service`)) return { units: [], spans: [] };
  const names = [...graph.numberOf.keys(), ...known, ...spans.map(shortName), ...Object.keys(GROUPS)];
  throw new UserError(`the recording has no unit or step ${name}${didYouMean(name, new Set(names))}`, {
    code: 'boot/no-such-unit',
    next: 'name a unit or a step that `headstart boot timeline` shows',
  });
}

function unitNumbers(graph: OrderGraph): [string, number][] {
  return graph.names
    .map((name, u) => [name, u] as [string, number])
    .filter(([name, u]) => graph.numberOf.get(name) === u);
}

/** `modules-final/config-scripts-user` is also `config-scripts-user`, `scripts-user`, `scripts_user` and `cc_scripts_user`. */
function isCalled(span: Span, name: string): boolean {
  if (span.id === name || span.name === name || shortName(span) === name) return true;
  return span.source === 'cloud-init' && shortName(span) === `config-${name.replace(/^cc_/, '').replaceAll('_', '-')}`;
}

/** As `--without` takes it. */
export function shortName({ name }: Pick<Span, 'name'>): string {
  return name.slice(name.lastIndexOf('/') + 1);
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
