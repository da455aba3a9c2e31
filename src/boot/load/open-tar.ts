// boot/load/open-tar.ts: which inputs does a tar archive contain? Small files stay in memory; a large one is read from the archive again.

import { HEAD_BYTES, type Input, memoryInput, streamInput } from './input.ts';
import type { InputLimits } from './input-limits.ts';
import { sliceOf, tarMembers } from './tar-members.ts';

export interface OpenTarOptions {
  limits: InputLimits;
  problems: string[];
  /** Between the archive's name and the names in it. */
  sep: string;
}

/** Each file of more than this costs one more pass over the archive, if a source reads it. */
const KEEP_BYTES = 4 << 20;
/** An archive of more files is not a bundle of logs. */
const MOST_MEMBERS = 100_000;

export function openTar(archive: Input, { limits, problems, sep }: OpenTarOptions): Input[] {
  const inputs: Input[] = [];
  const members = tarMembers(archive.chunks(), {
    keepBytes: (size) => (size <= KEEP_BYTES && limits.takeMemory(size) ? size : HEAD_BYTES),
    onCut: (name) => problems.push(`${archive.name} is truncated inside ${name}: the rest is missing`),
  });
  for (const { name, offset, size, start } of members) {
    if (inputs.length >= MOST_MEMBERS) {
      problems.push(`${archive.name} has more than ${MOST_MEMBERS} files: the rest was skipped`);
      break;
    }
    const path = `${archive.name}${sep}${withoutParents(name)}`;
    if (start.length === size || start.length < HEAD_BYTES) inputs.push(memoryInput(path, start));
    else {
      const member = streamInput(path, () => sliceOf(archive.chunks(), offset, size));
      inputs.push({ name: path, head: start.slice(0, HEAD_BYTES), chunks: member.chunks, bytes: member.bytes });
    }
  }
  return inputs;
}

/** For messages only: nothing is written to this path. */
function withoutParents(name: string): string {
  const parts: string[] = [];
  for (const part of name.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
