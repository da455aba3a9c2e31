// boot/load/sources/systemd/pasted-boots.ts: which listings of a pasted document are of the same boot, and what is each boot called?
import type { ManagerTimes, Unit } from '../../../model/record.ts';

/** One output of `systemd-analyze` in a document. */
export interface AnalyzeOutput {
  kind: 'time' | 'blame' | 'chain';
  /** Where it starts. */
  line: number;
  /** The headings above it, the nearest first. */
  headings: readonly string[];
  manager?: ManagerTimes;
  /** Units with their times: of a chain, or the target that `time` names. */
  units: Unit[];
  /** Durations of blame. */
  blame: ReadonlyMap<string, number>;
}

export interface PastedBoot {
  /** A heading, else the first unit of its chain, else its line. Unique in the document. */
  name: string;
  listings: AnalyzeOutput[];
}

/** A chain rounds to milliseconds, and the start of a root without `@` is derived from its children. */
const SAME_END_US = 100_000;
const SAME_LENGTH_US = 1_000;
/** A document with more boots is compared only with the latest of them. */
const MOST_COMPARED = 50;

/** In the order of the document. Listings that agree are of one boot; listings that contradict each other are not. */
export function pastedBoots(listings: readonly AnalyzeOutput[]): PastedBoot[] {
  const boots: KnownBoot[] = [];
  for (const listing of listings.toSorted((a, b) => a.line - b.line)) {
    const boot = nearestBoot(boots.slice(-MOST_COMPARED), listing) ?? newBoot(boots);
    add(boot, listing);
  }
  return named(boots.map(({ listings: its }) => its));
}

interface KnownBoot {
  listings: AnalyzeOutput[];
  userspaceTookUs?: number;
  endsUs: Map<string, number>;
  tookUs: Map<string, number>;
}

function newBoot(boots: KnownBoot[]): KnownBoot {
  const boot: KnownBoot = { listings: [], endsUs: new Map(), tookUs: new Map() };
  boots.push(boot);
  return boot;
}

function add(boot: KnownBoot, listing: AnalyzeOutput): void {
  boot.listings.push(listing);
  const tookUs = userspaceTookUs(listing);
  if (tookUs !== undefined) boot.userspaceTookUs ??= tookUs;
  for (const [name, us] of endsOf(listing)) if (!boot.endsUs.has(name)) boot.endsUs.set(name, us);
  for (const [name, us] of lengthsOf(listing)) if (!boot.tookUs.has(name)) boot.tookUs.set(name, us);
}

/** The boot that agrees with the listing in most facts; of equal ones the latest. */
function nearestBoot(boots: readonly KnownBoot[], listing: AnalyzeOutput): KnownBoot | undefined {
  let nearest: { boot: KnownBoot; score: number } | undefined;
  for (const boot of boots.toReversed()) {
    const score = agreement(boot, listing);
    if (score !== undefined && score > (nearest?.score ?? -1)) nearest = { boot, score };
  }
  return nearest?.boot;
}

/** How many facts are the same, plus a half for the same heading; undefined if the two cannot be of one boot. */
function agreement(boot: KnownBoot, listing: AnalyzeOutput): number | undefined {
  const totalUs = userspaceTookUs(listing);
  const hasTotals = totalUs !== undefined && boot.userspaceTookUs !== undefined;
  if (hasTotals && Math.abs(totalUs - boot.userspaceTookUs!) > SAME_LENGTH_US) return undefined;
  const ends = compared(boot.endsUs, endsOf(listing), SAME_END_US);
  const lengths = compared(boot.tookUs, lengthsOf(listing), SAME_LENGTH_US);
  // A few units may have been restarted between two listings, which changes their length but not when others ended.
  if (ends.different > 0 || lengths.different > lengths.same) return undefined;
  const same = ends.same + lengths.same + (hasTotals ? 1 : 0);
  const hasHeading = boot.listings.some(({ headings }) => headings[0] === listing.headings[0]);
  const isSecond = boot.listings.some(({ kind }) => kind === listing.kind);
  return same === 0 && isSecond && !hasHeading ? undefined : same + (hasHeading ? 0.5 : 0);
}

function compared(known: ReadonlyMap<string, number>, given: Iterable<readonly [string, number]>, limitUs: number) {
  const counts = { same: 0, different: 0 };
  for (const [name, us] of given) {
    const knownUs = known.get(name);
    if (knownUs === undefined) continue;
    if (Math.abs(knownUs - us) > limitUs) counts.different++;
    else counts.same++;
  }
  return counts;
}

function* endsOf({ units }: AnalyzeOutput): Generator<readonly [string, number]> {
  for (const { name, activatedUs } of units) if (activatedUs > 0 && !isCut(name)) yield [name, activatedUs];
}

function* lengthsOf({ units, blame }: AnalyzeOutput): Generator<readonly [string, number]> {
  for (const entry of blame) if (!isCut(entry[0])) yield entry;
  for (const { name, activatingUs, activatedUs } of units) {
    if (activatingUs > 0 && activatedUs > activatingUs && !isCut(name)) yield [name, activatedUs - activatingUs];
  }
}

const isCut = (name: string) => name.includes('…') || name.endsWith('>');

function userspaceTookUs({ manager }: AnalyzeOutput): number | undefined {
  return manager && manager.finishUs > 0 ? manager.finishUs - manager.userspaceUs : undefined;
}

function named(boots: readonly AnalyzeOutput[][]): PastedBoot[] {
  const candidates = boots.map(namesFor);
  const counts = new Map<string, number>();
  for (const name of candidates.flatMap((names) => [...new Set(names)])) counts.set(name, (counts.get(name) ?? 0) + 1);
  return boots.map((listings, at) => {
    const own = candidates[at]!;
    const name = own.find((candidate) => counts.get(candidate) === 1);
    return { name: name ?? `${own.at(-1)} (line ${listings[0]!.line})`, listings };
  });
}

/** The best first. */
function namesFor(listings: readonly AnalyzeOutput[]): string[] {
  const roots = listings.filter(({ kind }) => kind === 'chain').flatMap(({ units }) => units[0]?.name ?? []);
  const names = [...listings[0]!.headings, ...roots.slice(0, 1)];
  return names.length > 0 ? names : [`line ${listings[0]!.line}`];
}
