// boot/load/load.ts: how do the user's inputs become boot records? Open, recognise, parse, merge.
import { UserError } from '../../base/errors.ts';
import { hideSecrets } from '../collect/hide-secrets.ts';
import { type EvidenceGroup, timesOf } from '../model/cluster-boots.ts';
import type { Evidence } from '../model/evidence.ts';
import { mergeEvidence } from '../model/merge-evidence.ts';
import type { BootRecord, Note } from '../model/record.ts';
import { decodeText, HEAD_BYTES, type Input, startOf } from './input.ts';
import { InputLimits } from './input-limits.ts';
import { type InputGroup, openInputs, type StdinReader } from './open-inputs.ts';
import { SOURCES } from './sources/index.ts';
import type { EvidenceSource, ParseContext } from './sources/source.ts';
import { type CommandWithInput, kindsLike, nothingReadable, packedFormatOf, unrecognised } from './unrecognised.ts';

export interface LoadOptions {
  readStdin: StdinReader;
  /** Takes one sentence when a pipe sends nothing for a while. */
  onWait?: (text: string) => void;
  nowUs: number;
  /** Which boot of the live machine to read; ignored for files. */
  boot?: string;
  /** Read this machine over ssh instead of the live one; ignored for files. */
  host?: { name: string; sudo?: boolean; env: Readonly<Record<string, string | undefined>> };
  signal?: AbortSignal;
  /** For hints: the user's command with one input replaced. */
  commandWith?: CommandWithInput;
}

/** All boots in the inputs, oldest first; the live machine's boot without inputs. Never empty. */
export async function loadInputs(paths: readonly string[] | undefined, options: LoadOptions): Promise<BootRecord[]> {
  const groups = await openAll(paths, options);
  // Loose files on one command line may describe the same boot. Folders and archives are kept apart.
  const loose = groups.filter((group) => !group.isFolder);
  const sets = [...groups.filter((group) => group.isFolder), ...(loose.length > 0 ? [mergeLoose(loose)] : [])];
  const evidence = await Promise.all(
    sets.map((group) => readGroup(group, { nowUs: options.nowUs }, options.commandWith)),
  );
  const records = mergeEvidence(evidence).filter(hasContent).map(hideSecrets);
  const problems = groups.flatMap((group) => group.problems);
  if (records.length === 0) throw nothingFound(groups, problems);
  // An unreadable input could belong to any of the boots, so every record gets the warnings.
  for (const record of records) record.notes.push(...problems.map((text): Note => ({ level: 'warning', text })));
  return records;
}

async function openAll(paths: readonly string[] | undefined, options: LoadOptions): Promise<InputGroup[]> {
  if (paths && paths.length > 0) {
    // Reading an input twice would duplicate all its data.
    const opening = {
      limits: new InputLimits(),
      isReadable: (start: Input) => recognise(start) !== undefined,
      ...(options.onWait && { onWait: options.onWait }),
    };
    const groups: InputGroup[] = [];
    for (const path of new Set(paths)) groups.push(...(await openInputs(path, options.readStdin, opening)));
    return groups;
  }
  if (options.host) return [await openHost(options.host, options)];
  const { readLiveMachine } = await import('../collect/collect.ts');
  const { inputs, problems } = await readLiveMachine({
    ...(options.boot !== undefined && { boot: options.boot }),
    ...(options.signal && { signal: options.signal }),
  });
  return [{ name: 'this machine', inputs, isFolder: true, problems }];
}

async function openHost(
  { name, sudo, env }: NonNullable<LoadOptions['host']>,
  { boot, signal, onWait }: LoadOptions,
): Promise<InputGroup> {
  const { readRemoteMachine } = await import('../collect/read-remote.ts');
  onWait?.(`reading ${name} over ssh`);
  const read = await readRemoteMachine({ host: name, sudo, env, signal }, boot === undefined ? {} : { boot });
  return { name, ...read, isFolder: true };
}

function mergeLoose(groups: InputGroup[]): InputGroup {
  return {
    name: groups.map((g) => g.name).join(', '),
    inputs: groups.flatMap((g) => g.inputs),
    isFolder: false,
    problems: [],
  };
}

async function readGroup(
  group: InputGroup,
  context: ParseContext,
  commandWith?: CommandWithInput,
): Promise<EvidenceGroup> {
  const perInput: Evidence[][] = group.inputs.map(() => []);
  const undated: ((datesUs: readonly number[]) => Promise<void>)[] = [];
  for (const [index, input] of group.inputs.entries()) {
    const source = recognise(input);
    if (!source && !group.isFolder) throw unrecognised(input, commandWith); // a folder may contain unrelated files
    if (!source) continue;
    const read = async (datesUs: readonly number[] = []) => {
      const found = await source.parse(input, { ...context, datesUs });
      if (found.length === 0 && !group.isFolder) throw nothingReadable(input, source, commandWith);
      perInput[index] = found;
    };
    if (group.inputs.length > 1 && source.lacksYear?.(input, context.nowUs)) {
      undated.push(read);
    } else await read();
  }
  const datesUs = perInput.flat().flatMap(wallTimesOf);
  for (const read of undated) await read(datesUs);
  return { isFolder: group.isFolder, evidence: perInput.flat() };
}

/** Some wall-clock times of the evidence. */
function wallTimesOf(evidence: Evidence): number[] {
  const { firstUs } = timesOf(evidence);
  const own = evidence.clock === 'wall' && Number.isFinite(firstUs) ? [firstUs] : [];
  return [...own, ...evidence.anchors.slice(0, 1).map(({ wallUs }) => wallUs)];
}

/** The source with the highest confidence, if any. Ignores the input's name. */
export function recognise(input: Input): EvidenceSource | undefined {
  if (packedFormatOf(input.head)) return undefined; // lz4 leaves enough plain text for a source to match
  let best: { source: EvidenceSource; confidence: number } | undefined;
  for (const source of SOURCES) {
    const confidence = source.recognise(input);
    if (confidence > (best?.confidence ?? 0)) best = { source, confidence };
    if (confidence === 1) break; // certain: saves every other source from scanning a listing of 5,000 units
  }
  return best?.source ?? recogniseFurther(input);
}

function recogniseFurther(input: Input): EvidenceSource | undefined {
  if (input.head.length < HEAD_BYTES || input.head.includes(0)) return undefined;
  const start = decodeText(startOf(input.chunks(), FURTHER_BYTES));
  return SOURCES.find((source) => source.recogniseFurther?.(start));
}

const FURTHER_BYTES = 4 << 20;

function hasContent(record: BootRecord): boolean {
  return (
    record.units.length > 0 || record.spans.length > 0 || record.milestones.length > 0 || record.manager !== undefined
  );
}

function nothingFound(groups: readonly InputGroup[], problems: readonly string[]): UserError {
  const count = groups.reduce((sum, group) => sum + group.inputs.length, 0);
  const names = groups.map((group) => group.name).join(', ');
  return new UserError(`no boot found in ${names} (${count} file${count === 1 ? '' : 's'}); ${kindsLike()}`, {
    code: 'boot/nothing-found',
    ...(problems.length > 0 && {
      kept: `${problems[0]}${problems.length > 1 ? ` (and ${problems.length - 1} more like it)` : ''}.`,
    }),
    next: 'make a bundle with `headstart boot collect` on the machine, then pass it with -i',
  });
}
