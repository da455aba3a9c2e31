// boot/load/sources/systemd/systemctl-show.ts: reads `systemctl show` of the manager and of the units: all stamps and edges of systemd.

import { type Anchor, type Evidence, evidence } from '../../../model/evidence.ts';
import type { HostFacts, ManagerTimes, Note, Unit } from '../../../model/record.ts';
import { headText, type Input, linesOf } from '../../input.ts';
import type { EvidenceSource } from '../source.ts';
import { hostOf, managerOf, parseStamp, unitOf, wasChecked } from './systemctl-block.ts';
import { isName } from './unit-name.ts';
import { parseWallStamp } from './wall-stamp.ts';

export const systemctlManagerSource = {
  kind: 'systemctl-manager',
  title: '`systemctl show`',
  recognise: (input) => (MANAGER_LINE.test(headText(input)) ? 0.9 : 0),
  parse: (input) => parseShow(input, 'systemctl-manager'),
} satisfies EvidenceSource;

export const systemctlUnitsSource = {
  kind: 'systemctl-units',
  title: "`systemctl show '*'`",
  // The file may also contain the manager's block. This source reads both, so its confidence is higher.
  recognise: (input) => {
    const head = headText(input);
    if (!ID_LINE.test(head) || !UNIT_LINE.test(head)) return 0;
    return FIRST_PROPERTY.test(head) ? 1 : 0.95;
  },
  parse: (input) => parseShow(input, 'systemctl-units'),
} satisfies EvidenceSource;

const MANAGER_LINE = /^(Userspace|Finish|UnitsLoadStart)TimestampMonotonic=/m;
/** A journal export starts with an assignment too, but its names start with underscores. */
const FIRST_PROPERTY = /^[A-Z][A-Za-z]*=/;
const ID_LINE = /^Id=./m;
const UNIT_LINE = /^(InactiveExitTimestampMonotonic|ActiveEnterTimestampMonotonic|LoadState|After)=/m;

/** The properties of one unit or of the manager, in the order printed. */
interface Block {
  line: number;
  values: Map<string, string>;
}

function parseShow(input: Input, kind: 'systemctl-manager' | 'systemctl-units'): Evidence[] {
  const reader = new ShowReader(input.name);
  for (const block of blocksOf(input, reader.notes)) reader.take(block);
  const found = reader.result();
  if (!found.manager && found.units.length === 0) return [];
  return [
    evidence({
      kind,
      input: input.name,
      clock: 'monotonic',
      anchors: found.anchors,
      notes: reader.notes,
      ...(found.host && { host: found.host }),
      ...(found.manager && { manager: found.manager }),
      ...(found.units.length > 0 && { units: found.units }),
    }),
  ];
}

/** Keeps only these while reading: a machine with 5,000 units prints a million lines of other properties. */
const KEPT = new Set([
  ...['Id', 'Names', 'Description', 'Type', 'LoadState', 'ActiveState', 'Result', 'ConditionResult'],
  ...['After', 'Before', 'Requires', 'Requisite', 'BindsTo', 'Wants', 'Conflicts', 'Upholds'],
  ...['TriggeredBy', 'Triggers', 'CPUUsageNSec', 'IOReadBytes', 'IOWriteBytes', 'MemoryPeak'],
  ...['JobRunningTimeoutUSec', 'JobTimeoutUSec'],
  ...['Version', 'Virtualization', 'Architecture', 'SoftRebootsCount'],
]);
const IS_KEY = /^\w+$/;

function* blocksOf(input: Input, notes: Note[]): Generator<Block> {
  let block: Block | undefined;
  let lineNumber = 0;
  let firstOddLine = 0;
  let oddLines = 0;
  for (const line of linesOf(input)) {
    lineNumber++;
    if (line === '') {
      if (block) yield block;
      block = undefined;
      continue;
    }
    block ??= { line: lineNumber, values: new Map() };
    const equals = line.indexOf('=');
    const key = line.slice(0, Math.max(equals, 0));
    if (KEPT.has(key) || key.endsWith('Timestamp') || key.endsWith('TimestampMonotonic')) {
      if (!block.values.has(key)) block.values.set(key, line.slice(equals + 1));
    } else if (!IS_KEY.test(key)) {
      firstOddLine ||= lineNumber;
      oddLines++;
    }
  }
  if (block) yield block;
  if (oddLines > 0) {
    const others = oddLines > 1 ? ` and ${oddLines - 1} more` : '';
    notes.push(warning(`${input.name}: line ${firstOddLine}${others} is not KEY=VALUE; skipped`));
  }
}

class ShowReader {
  readonly notes: Note[] = [];
  private readonly name: string;
  private readonly units = new Map<string, { unit: Unit; isLoadedByQuery: boolean }>();
  private readonly anchors = new AnchorSet();
  private readonly untrustedZones = new Set<string>();
  private manager: ManagerTimes | undefined;
  private host: HostFacts | undefined;
  private repeats = 0;

  constructor(name: string) {
    this.name = name;
  }

  take(block: Block): void {
    const { values } = block;
    if (values.has('Id')) this.takeUnit(block);
    else if (values.has('UserspaceTimestampMonotonic') || values.has('FinishTimestampMonotonic'))
      this.takeManager(block);
    else if (values.has('InactiveExitTimestampMonotonic') || values.has('After')) {
      this.notes.push(warning(`${this.name}: the block at line ${block.line} has no Id=; skipped`));
      return;
    }
    this.takeAnchors(values);
  }

  result() {
    const all = [...this.units.values()];
    // A unit that appears twice means that the caller ran `systemctl show` with names (of every unit file, aliases
    // included). That query makes systemd load units that had no part in the boot.
    const kept = this.repeats > 0 ? all.filter((entry) => !entry.isLoadedByQuery) : all;
    for (const zone of this.untrustedZones) {
      const text = `${this.name}: ignored wall-clock stamps in zone ${zone}: the abbreviation is ambiguous; use \`systemctl show --timestamp=us+utc\``;
      this.notes.push({ level: 'info', text });
    }
    return {
      manager: this.manager,
      host: this.host,
      units: kept.map((entry) => entry.unit),
      anchors: this.anchors.list(),
    };
  }

  private takeUnit(block: Block): void {
    const { values } = block;
    const unit = unitOf(values, (key) => this.stamp(block, key));
    if (!isName(unit.name)) {
      this.notes.push(warning(`${this.name}: the block at line ${block.line} has no unit name in Id=; skipped`));
    } else if (this.units.has(unit.name)) {
      this.repeats++;
    } else {
      const isLoadedByQuery =
        unit.activatingUs + unit.activatedUs + unit.deactivatingUs + unit.deactivatedUs === 0 && !wasChecked(values);
      this.units.set(unit.name, { unit, isLoadedByQuery });
    }
  }

  private takeManager(block: Block): void {
    if (this.manager) {
      this.notes.push(warning(`${this.name}: skipped a second manager block at line ${block.line}`));
      return;
    }
    this.manager = managerOf(block.values, (key) => this.stamp(block, key));
    this.host = hostOf(block.values);
  }

  private stamp(block: Block, key: string): number {
    const text = block.values.get(key);
    const us = text === undefined ? 0 : parseStamp(text);
    if (us !== undefined) return us;
    this.notes.push(
      warning(`${this.name}: ${key}=${text} in the block at line ${block.line} is not a time; treated as not set`),
    );
    return 0;
  }

  /** The "monotonic" stamps of firmware and loader count back from kernel start, so they cannot be anchors. */
  private takeAnchors(values: Map<string, string>): void {
    for (const [key, text] of values) {
      if (!key.endsWith('Timestamp') || key === 'FirmwareTimestamp' || key === 'LoaderTimestamp') continue;
      const monotonicUs = parseStamp(values.get(`${key}Monotonic`) ?? '');
      if (monotonicUs === undefined || (monotonicUs === 0 && key !== 'KernelTimestamp')) continue;
      const wall = parseWallStamp(text);
      if (wall === undefined) continue;
      if ('untrustedZone' in wall) this.untrustedZones.add(wall.untrustedZone);
      else this.anchors.add({ monotonicUs, ...wall });
    }
  }
}

/** Keeps the first and the last anchor per tick of the wall clock: the others do not narrow the offset. */
class AnchorSet {
  private readonly ticks = new Map<string, { first: Anchor; last: Anchor }>();

  add(anchor: Anchor): void {
    const key = `${anchor.wallUs}/${anchor.errorUs}`;
    const tick = this.ticks.get(key);
    if (!tick) this.ticks.set(key, { first: anchor, last: anchor });
    else if (anchor.monotonicUs < tick.first.monotonicUs) tick.first = anchor;
    else if (anchor.monotonicUs > tick.last.monotonicUs) tick.last = anchor;
  }

  list(): Anchor[] {
    return [...this.ticks.values()]
      .flatMap(({ first, last }) => (first === last ? [first] : [first, last]))
      .sort((a, b) => a.monotonicUs - b.monotonicUs);
  }
}

function warning(text: string): Note {
  return { level: 'warning', text };
}
