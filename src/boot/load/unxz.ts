// boot/load/unxz.ts: unpacks xz with the host's `xz` program: Node has no xz. A `sos report` is a `.tar.xz`.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { UserError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import { HEAD_BYTES, type Input, memoryInput, startOf, streamInput } from './input.ts';
import type { InputLimits } from './input-limits.ts';
import { Spool } from './spool.ts';
import { isTar } from './tar-members.ts';

export interface UnxzOptions {
  limits: InputLimits;
  problems: string[];
  /** False if no source reads content that starts like this. */
  isReadable?: (start: Input) => boolean;
  /** For tests. */
  program?: string;
}

export function isXz(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, 6)).toString('latin1') === '\xfd7zXZ\0';
}

/** Reads on only if the start is an archive or a kind that a source reads: the rest goes to memory or a temporary file. */
export async function unxz(packed: Input, options: UnxzOptions): Promise<Input> {
  const { limits, problems, isReadable = () => true, program = 'xz' } = options;
  const child = spawn(program, ['-dc'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = endOf(child, packed, program);
  ended.catch(() => {}); // awaited below, after the output
  feed(child, packed).catch(() => {}); // xz ended early: `ended` has the reason
  const spool = new Spool(packed.name, limits);
  const unpacked = streamInput(packed.name, () => spool.read());
  const first: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      limits.countUnpacked(packed.name, chunk.length);
      spool.add(chunk);
      const wasShort = bytes < HEAD_BYTES;
      bytes += chunk.length;
      if (wasShort) first.push(chunk);
      if (!wasShort || bytes < HEAD_BYTES) continue;
      const start = memoryInput(packed.name, startOf(first, HEAD_BYTES));
      if (!isTar(start.head) && !isReadable(start)) return unpacked;
    }
  } finally {
    child.kill();
  }
  const { code, complaint } = await ended;
  if (code !== 0 && bytes === 0) throw damaged(packed.name, complaint);
  if (code !== 0)
    problems.push(`${packed.name} is truncated or damaged (${complaint}): only the part before that was read`);
  return unpacked;
}

async function feed({ stdin }: ChildProcess, packed: Input): Promise<void> {
  stdin!.on('error', () => {}); // EPIPE: xz ended early
  for (const chunk of packed.chunks()) {
    if (stdin!.destroyed) return;
    if (!stdin!.write(chunk)) await once(stdin!, 'drain');
  }
  stdin!.end();
}

async function endOf(
  child: ChildProcess,
  packed: Input,
  program: string,
): Promise<{ code: number; complaint: string }> {
  let complaint = '';
  child.stderr!.on('data', (text: Buffer) => {
    complaint = (complaint + text.toString()).slice(0, 300);
  });
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(noProgram(packed.name, program, error)));
    child.on('close', (code) => resolve({ code: code ?? 1, complaint: plain(complaint) }));
  });
}

/** `xz: (stdin): Unexpected end of input` */
const plain = (complaint: string) =>
  complaint
    .trim()
    .split('\n')[0]!
    .replace(/^\S*xz: (?:\(stdin\): )?/, '') || 'no reason given';

function noProgram(name: string, program: string, cause: Error): UserError {
  const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
  return new UserError(
    `cannot unpack ${name}: it is compressed with xz, and ${isMissing ? `there is no program \`${program}\` on this machine` : `\`${program}\` does not run: ${cause.message}`}`,
    {
      code: 'boot/no-xz',
      next: `install xz (package xz-utils or xz), or unpack it elsewhere: xz -dc ${shellWord(name)} > unpacked`,
      cause,
    },
  );
}

function damaged(name: string, complaint: string): UserError {
  return new UserError(`cannot unpack ${name}: the compressed file is damaged (${complaint})`, {
    code: 'boot/input-damaged',
    next: 'copy the file again',
  });
}
