// identity/judge-distinct.ts: what do several machines share that identifies one of them? Pure.
import { type ClockOffset, type FactValue, isKnown, type MachineIdentity } from './identity.ts';
import { FACT_NAMES, type FactName, factsOfItem, ITEM_NAMES, type ItemName } from './items.ts';

export interface SharedItem {
  item: ItemName;
  /** By name, in alphabetical order. One name: the machine's own clock, or its own random bytes from before it was parked. */
  machines: string[];
  /** One sentence. */
  what: string;
  why: string;
  remedy: string;
}

export interface UnknownItem {
  item: ItemName;
  machine: string;
  why: string;
}

export interface Distinctness {
  isDistinct: boolean;
  shared: SharedItem[];
  /** Shared, but harmless. */
  notes: SharedItem[];
  /** Not compared for that machine. */
  unknown: UnknownItem[];
}

/** Tokens and leases allow for seconds, not for more. */
export const MOST_CLOCK_MS = 5_000;
const MOST_SHOWN = 3;
/** Their values are for people; the others are hashes. */
const SHOWN: ReadonlySet<ItemName> = new Set(['host-name', 'mac-address', 'ip-address', 'dhcp-lease', 'node-name']);

export function judgeDistinct(machines: readonly MachineIdentity[]): Distinctness {
  const found = [...FACT_NAMES.flatMap((item) => sharedOf(item, machines)), ...clocksOf(machines)];
  const shared = found.filter(({ item }) => !factsOfItem(item).isHarmless);
  return {
    isDistinct: shared.length === 0,
    shared,
    notes: found.filter(({ item }) => factsOfItem(item).isHarmless),
    unknown: ITEM_NAMES.flatMap((item) => machines.flatMap((machine) => unknownOf(item, machine))).sort(
      (a, b) => ITEM_NAMES.indexOf(a.item) - ITEM_NAMES.indexOf(b.item) || compare(a.machine, b.machine),
    ),
  };
}

interface Holder extends FactValue {
  machine: string;
}

/** One finding for each set of machines that shares values of the item. */
function sharedOf(item: FactName, machines: readonly MachineIdentity[]): SharedItem[] {
  const holders = machines.flatMap(({ name, facts }) => {
    const fact = facts[item];
    return isKnown(fact) ? fact.values.map((value): Holder => ({ ...value, machine: name })) : [];
  });
  // A machine's bytes from before it was parked are a second value of the same machine.
  const canRepeat = item === 'random-bytes';
  const groups = [...Map.groupBy(holders, ({ value }) => value)]
    .map(([value, same]) => ({ value, same, names: [...new Set(same.map(({ machine }) => machine))].sort(compare) }))
    .filter(({ same, names }) => names.length > 1 || (canRepeat && same.length > 1));
  return [...Map.groupBy(groups, ({ names }) => JSON.stringify(names)).values()]
    .map((alike) => {
      const names = alike[0]!.names;
      const labels = SHOWN.has(item)
        ? alike.map(({ value }) => value)
        : alike.flatMap(({ same }) => same.flatMap(({ of }) => (of === undefined ? [] : [of])));
      return finding(item, names, `${sentence(item, names)}${listed(labels)}`);
    })
    .sort((a, b) => compare(a.machines.join('\0'), b.machines.join('\0')));
}

function sentence(item: FactName, names: readonly string[]): string {
  const { title } = factsOfItem(item);
  if (names.length === 1) return `${names[0]} drew random bytes a second time`;
  return `${joined(names)} share ${title}`;
}

/** Of each machine against the machine that asked, and of each two against each other. */
function clocksOf(machines: readonly MachineIdentity[]): SharedItem[] {
  const known = machines
    .flatMap(({ name, clock }) => (clock ? [{ name, clock }] : []))
    .sort((a, b) => compare(a.name, b.name));
  const own = known.filter(({ clock }) => isApart(clock));
  const pairs = known.flatMap((a, i) =>
    known
      .slice(i + 1)
      .filter((b) => !own.includes(a) && !own.includes(b))
      .filter((b) => isApart(between(a.clock, b.clock)))
      .map((b) => ({ a, b })),
  );
  return [
    ...own.map(({ name, clock }) =>
      finding('clock', [name], `the clock of ${name} is ${seconds(clock)} from the clock of this machine`),
    ),
    ...pairs.map(({ a, b }) =>
      finding(
        'clock',
        [a.name, b.name],
        `the clocks of ${a.name} and ${b.name} are ${seconds(between(a.clock, b.clock))} apart`,
      ),
    ),
  ];
}

const between = (a: ClockOffset, b: ClockOffset): ClockOffset => ({
  offsetMs: a.offsetMs - b.offsetMs,
  errorMs: a.errorMs + b.errorMs,
});
const isApart = ({ offsetMs, errorMs }: ClockOffset) => Math.abs(offsetMs) - errorMs > MOST_CLOCK_MS;
const seconds = ({ offsetMs }: ClockOffset) => `${(Math.abs(offsetMs) / 1000).toFixed(1)} s`;

function unknownOf(item: ItemName, { name, facts, clock }: MachineIdentity): UnknownItem[] {
  if (item === 'clock')
    return clock ? [] : [{ item, machine: name, why: 'it can be compared only while the machine is asked' }];
  const fact = facts[item];
  return isKnown(fact) ? [] : [{ item, machine: name, why: fact.unknown }];
}

function finding(item: ItemName, machines: string[], what: string): SharedItem {
  const { why, remedy } = factsOfItem(item);
  return { item, machines, what, why, remedy };
}

function listed(labels: readonly string[]): string {
  const all = [...new Set(labels)].sort(compare);
  const more = all.length - MOST_SHOWN;
  const shown = more > 0 ? [...all.slice(0, MOST_SHOWN), `${more} more`] : all;
  return shown.length === 0 ? '' : `: ${shown.join(', ')}`;
}

function joined(names: readonly string[]): string {
  const all = names.length > 10 ? [...names.slice(0, 9), `${names.length - 9} more`] : [...names];
  return `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

/** Code units, not the locale's order: the same everywhere. */
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
