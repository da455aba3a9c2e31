// boot/load.ts: from what the user named to boot records: open, recognise, read, join.
import { UserError } from '../base/errors.ts';
import type { EvidenceGroup } from './cluster-boots.ts';
import { hideSecrets } from './hide-secrets.ts';
import { decodeText, type Input } from './input.ts';
import { joinBoots } from './join.ts';
import { type InputGroup, openInputs } from './open-inputs.ts';
import type { BootRecord, Note } from './record.ts';
import { SOURCES } from './sources/index.ts';
import type { Evidence, ParseContext, Source } from './sources/source.ts';

export interface LoadOptions {
  readStdin: () => Uint8Array;
  nowUs: number;
  /** Which boot of the live machine; files hold what they hold. */
  boot?: string;
  signal?: AbortSignal;
}

/** Every boot the inputs speak of, oldest first; the live machine's when none is named. Never empty. */
export async function loadInputs(paths: readonly string[] | undefined, options: LoadOptions): Promise<BootRecord[]> {
  const groups = await openAll(paths, options);
  // Loose files of one command line may belong together; a folder or archive is a boot, or several, of its own.
  const loose = groups.filter((group) => !group.isFolder);
  const sets = [...groups.filter((group) => group.isFolder), ...(loose.length > 0 ? [mergeLoose(loose)] : [])];
  const evidence = await Promise.all(sets.map((group) => readGroup(group, { nowUs: options.nowUs })));
  const records = joinBoots(evidence).filter(hasContent).map(hideSecrets);
  const problems = groups.flatMap((group) => group.problems);
  if (records.length === 0) throw nothingFound(groups, problems);
  // Nobody knows which boot the unread would have told of.
  for (const record of records) record.notes.push(...problems.map((text): Note => ({ level: 'warning', text })));
  return records;
}

async function openAll(paths: readonly string[] | undefined, options: LoadOptions): Promise<InputGroup[]> {
  if (paths && paths.length > 0) {
    const opened = await Promise.all(paths.map((path) => openInputs(path, options.readStdin)));
    return opened.flat();
  }
  const { readLiveMachine } = await import('./collect.ts');
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

async function readGroup(group: InputGroup, context: ParseContext): Promise<EvidenceGroup> {
  const evidence: Evidence[] = [];
  for (const input of group.inputs) {
    const source = recognise(input);
    if (!source && !group.isFolder) throw unrecognised(input); // folders hold other things too
    if (!source) continue;
    const found = await source.parse(input, context);
    if (found.length === 0 && !group.isFolder) throw nothingReadable(input, source);
    evidence.push(...found);
  }
  return { isFolder: group.isFolder, evidence };
}

/** The surest source for these bytes, if any. Names are never looked at. */
export function recognise(input: Input): Source | undefined {
  let best: { source: Source; sureness: number } | undefined;
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

const LOOKED_FOR = () => SOURCES.map((source) => source.title).join(', ');

function unrecognised(input: Input): UserError {
  return new UserError(`cannot tell what ${input.name} is: found ${describe(input.head)}; looked for ${LOOKED_FOR()}`, {
    code: 'boot/input-unrecognised',
    next: 'give one of those, or a bundle made by `headstart boot collect`',
  });
}

function nothingReadable(input: Input, source: Source): UserError {
  return new UserError(`${input.name} looks like ${source.title}, but nothing in it could be read`, {
    code: 'boot/input-empty',
    next: 'check that the file is whole; `headstart boot collect` makes a complete bundle',
  });
}

function nothingFound(groups: readonly InputGroup[], problems: readonly string[]): UserError {
  const count = groups.reduce((sum, group) => sum + group.inputs.length, 0);
  const names = groups.map((group) => group.name).join(', ');
  return new UserError(
    `no boot found in ${names} (${count} file${count === 1 ? '' : 's'}); looked for ${LOOKED_FOR()}`,
    {
      code: 'boot/nothing-found',
      ...(problems.length > 0 && {
        kept: `${problems[0]}${problems.length > 1 ? ` (and ${problems.length - 1} more like it)` : ''}.`,
      }),
      next: 'make a bundle with `headstart boot collect` on the machine, and give it with -i',
    },
  );
}

const PACKED: readonly (readonly [start: string, what: string])[] = [
  ['PK\x03\x04', 'a zip archive, to be unpacked first'],
  ['\xfd7zXZ', 'a file compressed with xz, to be unpacked first'],
  ['BZh', 'a file compressed with bzip2, to be unpacked first'],
  ["7z\xbc\xaf'", 'a 7z archive, to be unpacked first'],
  ['\x04\x22\x4d\x18', 'a file compressed with lz4, to be unpacked first'],
  ['LPKSHHRH', 'a binary journal, which `journalctl --file FILE -o json` turns into text'],
];

/** What a person would say of these bytes. */
function describe(head: Uint8Array): string {
  if (head.length === 0) return 'an empty file';
  const packed = PACKED.find(([start]) => Buffer.from(head).subarray(0, 8).toString('latin1').startsWith(start));
  if (packed) return packed[1];
  const text = decodeText(head.subarray(0, 400));
  const odd = [...text].filter((c) => c === '\ufffd' || (c < ' ' && !'\n\r\t\x1b'.includes(c))).length;
  if (odd * 10 > text.length) return 'binary data';
  const line = text.split(/\r?\n/).find((l) => l.trim() !== '');
  return line === undefined ? 'blank lines only' : `text starting ${JSON.stringify(line.trim().slice(0, 60))}`;
}
