// vms/qemu/guest/console.ts: read a guest's console log, and follow it while the guest writes.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Clock } from '../../../base/clock.ts';

const MOST_BYTES = 4 << 20;
const POLL_MS = 300;

/** The last lines, and their end offset in the file. Empty before the guest has written anything. */
export function consoleLines(path: string, most: number): { lines: string[]; endsAt: number } {
  const { bytes, endsAt } = readFrom(path, undefined);
  const lines = toLines(bytes.toString());
  return { lines: most === 0 ? [] : lines.slice(-most), endsAt };
}

/** Runs until aborted. A login prompt has no line break, so a partial line is printed when nothing follows it within one poll. */
export async function followConsole(
  path: string,
  from: number,
  { print, clock, signal }: { print(line: string): void; clock: Clock; signal: AbortSignal },
): Promise<void> {
  let at = from;
  let rest = '';
  let decoder = new TextDecoder();
  while (!signal.aborted) {
    const { bytes, endsAt, isNewFile } = readFrom(path, at);
    if (isNewFile) decoder = new TextDecoder();
    at = endsAt;
    const parts = `${isNewFile ? '' : rest}${decoder.decode(bytes, { stream: true })}`.split('\n');
    rest = parts.pop()!;
    if (bytes.length === 0 && rest.trim() !== '') {
      parts.push(rest);
      rest = '';
    }
    for (const line of parts) print(plain(line));
    await clock.sleep(POLL_MS, signal).catch(() => undefined);
  }
}

/** Reads from an offset, or the last 4 MiB. A file that shrank is a new file and is read from its start. */
function readFrom(path: string, from: number | undefined): { bytes: Buffer; endsAt: number; isNewFile: boolean } {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return { bytes: Buffer.alloc(0), endsAt: 0, isNewFile: true };
    throw error;
  }
  try {
    const { size } = fstatSync(fd);
    const isNewFile = from !== undefined && size < from;
    const start = from === undefined ? Math.max(0, size - MOST_BYTES) : isNewFile ? 0 : from;
    const bytes = Buffer.alloc(Math.min(MOST_BYTES, size - start));
    const length = readSync(fd, bytes, 0, bytes.length, start);
    return { bytes: bytes.subarray(0, length), endsAt: start + length, isNewFile };
  } finally {
    closeSync(fd);
  }
}

function toLines(text: string): string[] {
  const lines = text.split('\n').map(plain);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Firmware and systemd write colours, cursor movements and carriage returns. */
function plain(line: string): string {
  return line
    .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-_c])/g, '')
    .replace(/\r+/g, '');
}
