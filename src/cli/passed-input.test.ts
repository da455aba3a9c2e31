import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'headstart-input-'));
afterAll(() => rmSync(folder, { recursive: true }));

const MODULE = fileURLToPath(new URL('./passed-input.ts', import.meta.url));
const SCRIPT = `
  const { passedInput } = await import(${JSON.stringify(MODULE)});
  console.log((await passedInput())?.length ?? 'none');`;

/** What a program prints that another one starts with this standard input. Node's 'pipe' is a socket. */
async function lengthOf(stdin: 'pipe' | 'ignore' | number, send: (into: NodeJS.WritableStream) => void = () => {}) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT], { stdio: [stdin, 'pipe', 'inherit'] });
  let printed = '';
  child.stdout!.on('data', (chunk) => {
    printed += chunk;
  });
  if (child.stdin) send(child.stdin);
  await once(child, 'close');
  return printed.trim();
}

describe('the input that is passed on', () => {
  it('is what a socket sends until its end', async () => {
    expect(await lengthOf('pipe', (into) => into.end('hi'))).toBe('2');
    expect(await lengthOf('pipe', (into) => into.end(Buffer.alloc(3_000_000)))).toBe('3000000');
  });

  it('is empty when a socket ends at once', async () => {
    expect(await lengthOf('pipe', (into) => into.end())).toBe('0');
  });

  it('is none when a socket stays open and silent, as some programs leave it', async () => {
    expect(await lengthOf('pipe')).toBe('none');
  });

  it('is the content of a file, and none of /dev/null', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'abc');
    expect(await lengthOf(openSync(file, 'r'))).toBe('3');
    expect(await lengthOf('ignore')).toBe('none');
  });
});
