// boot/load/load.ts: from what the user named to boot records: open, recognise, read, merge.
import { UserError } from '../../base/errors.ts';
import { hideSecrets } from '../collect/hide-secrets.ts';
import type { EvidenceGroup } from '../model/cluster-boots.ts';
import type { Evidence } from '../model/evidence.ts';
import { mergeEvidence } from '../model/merge-evidence.ts';
import type { BootRecord, Note } from '../model/record.ts';
import type { Input } from './input.ts';
import { type InputGroup, openInputs } from './open-inputs.ts';
import { SOURCES } from './sources/index.ts';
import type { EvidenceSource, ParseContext } from './sources/source.ts';
import { type CommandWithInput, kindsLike, nothingReadable, packedFormatOf, unrecognised } from './unrecognised.ts';

export interface LoadOptions {
  readStdin: () => Uint8Array;
  nowUs: number;
  /** Which boot of the live machine; files hold what they hold. */
  boot?: string;
  signal?: AbortSignal;
  /** For hints: the command that reads something else in place of an input. */
  commandWith?: CommandWithInput;
}

/** Every boot the inputs speak of, oldest first; the live machine's when none is named. Never empty. */
export async function loadInputs(paths: readonly string[] | undefined, options: LoadOptions): Promise<BootRecord[]> {
  const groups = await openAll(paths, options);
  // Loose files of one command line may belong together; a folder or archive is a boot, or several, of its own.
  const loose = groups.filter((group) => !group.isFolder);
  const sets = [...groups.filter((group) => group.isFolder), ...(loose.length > 0 ? [mergeLoose(loose)] : [])];
  const evidence = await Promise.all(
    sets.map((group) => readGroup(group, { nowUs: options.nowUs }, options.commandWith)),
  );
  const records = mergeEvidence(evidence).filter(hasContent).map(hideSecrets);
  const problems = groups.flatMap((group) => group.problems);
  if (records.length === 0) throw nothingFound(groups, problems);
  // Which boot the unread inputs would have told of is not known.
  for (const record of records) record.notes.push(...problems.map((text): Note => ({ level: 'warning', text })));
  return records;
}

async function openAll(paths: readonly string[] | undefined, options: LoadOptions): Promise<InputGroup[]> {
  if (paths && paths.length > 0) {
    // An input that is named twice tells nothing new, and would show everything twice.
    const opened = await Promise.all([...new Set(paths)].map((path) => openInputs(path, options.readStdin)));
    return opened.flat();
  }
  const { readLiveMachine } = await import('../collect/collect.ts');
  const { inputs, problems } = await readLiveMachine({
    ...(options.boot !== undefined && { boot: options.boot }),
    ...(options.signal && { signal: options.signal }),
  });
  return [{ name: 'this machine', inputs, isFolder: true, problems }];
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
  const evidence: Evidence[] = [];
  for (const input of group.inputs) {
    const source = recognise(input);
    if (!source && !group.isFolder) throw unrecognised(input, commandWith); // folders hold other things too
    if (!source) continue;
    const found = await source.parse(input, context);
    if (found.length === 0 && !group.isFolder) throw nothingReadable(input, source, commandWith);
    evidence.push(...found);
  }
  return { isFolder: group.isFolder, evidence };
}

/** The surest source for these bytes, if any. Names are never looked at. */
export function recognise(input: Input): EvidenceSource | undefined {
  if (packedFormatOf(input.head)) return undefined; // lz4 keeps words of a listing readable
  let best: { source: EvidenceSource; sureness: number } | undefined;
  for (const source of SOURCES) {
    const sureness = source.recognise(input);
    if (sureness > (best?.sureness ?? 0)) best = { source, sureness };
    if (sureness === 1) break; // certain: a listing of 5,000 units need not be looked at eighteen times more
  }
  return best?.source;
}

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
    next: 'make a bundle with `headstart boot collect` on the machine, and give it with -i',
  });
}
