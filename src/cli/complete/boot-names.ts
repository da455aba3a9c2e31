// cli/complete/boot-names.ts: which names in a boot record can be completed? Pure.
import { formatSpan } from '../../base/duration.ts';
import { pickBoot } from '../../boot/load/pick-boot.ts';
import { milestonesOf } from '../../boot/model/milestones.ts';
import { orderGraph } from '../../boot/model/order-graph.ts';
import { type BootRecord, hasStarted, startTookUs } from '../../boot/model/record.ts';
import type { CompletionCandidate } from './command-syntax.ts';

export type BootKind = 'units' | 'targets' | 'unit-times' | 'unit-pairs' | 'orderings' | 'boots';

/** `text`: the part of the value that is typed so far. */
export function bootNames(
  kind: BootKind,
  records: readonly BootRecord[],
  which: string,
  text: string,
): CompletionCandidate[] {
  if (kind === 'boots') return records.map((record, i) => bootNumber(record, i - records.length + 1)).reverse();
  const record = pickBoot(records, which);
  switch (kind) {
    case 'units':
      return units(record);
    case 'targets':
      return [...milestones(record), ...units(record)];
    case 'unit-times':
      return units(record).map(({ value, summary }) => ({
        value: `${value}=`,
        isPart: true,
        ...(summary && { summary }),
      }));
    case 'unit-pairs':
      return pairs(record, text);
    case 'orderings':
      return orderings(record);
  }
}

/** Offers the number: a boot id is too long to type. */
function bootNumber({ bootId, host, clock }: BootRecord, number: number): CompletionCandidate {
  const atMs = clock.wallAtZeroUs === undefined ? undefined : clock.wallAtZeroUs / 1000;
  const facts = [
    number === 0 ? 'the last boot' : undefined,
    host.hostname,
    atMs === undefined ? undefined : new Date(atMs).toISOString().slice(0, 16).replace('T', ' '),
    bootId?.slice(0, 8),
  ];
  return { value: String(number), summary: facts.filter(Boolean).join(' · ') };
}

function milestones(record: BootRecord): CompletionCandidate[] {
  return milestonesOf(record).map(({ name }) => ({ value: name, summary: 'milestone' }));
}

/** Only units that started: the others have no time. */
function units(record: BootRecord): CompletionCandidate[] {
  return record.units.filter(hasStarted).map((unit) => {
    const took = startTookUs(unit);
    const facts = [took > 0 ? `+${formatSpan(took)}` : undefined, unit.description];
    return { value: unit.name, summary: facts.filter(Boolean).join(' ') };
  });
}

/** Completes the unit first, and the dependency after a blank. */
function pairs(record: BootRecord, text: string): CompletionCandidate[] {
  const known = units(record);
  const [, unit] = /^\s*(\S+)\s/.exec(text) ?? [];
  if (unit === undefined)
    return known.map((candidate) => ({ ...candidate, value: `${candidate.value} `, isPart: true }));
  return known
    .filter(({ value }) => value !== unit)
    .map((candidate) => ({ ...candidate, value: `${unit} ${candidate.value}` }));
}

function orderings(record: BootRecord): CompletionCandidate[] {
  const { names, after } = orderGraph(record);
  return after.flatMap((dependencies, u) =>
    dependencies.map((dependency) => ({ value: `${names[u]} ${names[dependency]}` })),
  );
}
