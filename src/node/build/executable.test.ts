import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../base/command.ts';
import { bundleNode } from './bundle.ts';
import { makeExecutable } from './executable.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const node = realpathSync(process.execPath);
let folder: string;
let script: string;
let headstart: string;
let bytes: Buffer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-executable-'));
  ({ script } = await bundleNode(root));
  bytes = await makeExecutable({ script, node }, { run: runCommand, folder });
  headstart = join(folder, 'headstart');
  writeFileSync(headstart, bytes);
  chmodSync(headstart, 0o755);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

async function run(args: string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runCommand([headstart, ...args], { env: { PATH: '/nowhere', ...env } });
  return { code, stdout: stdout.toString(), stderr };
}

describe('the executable', { timeout: 60_000 }, () => {
  it('is reproducible byte for byte', async () => {
    const sum = (made: Buffer) => createHash('sha256').update(made).digest('hex');
    const again = await makeExecutable({ script: (await bundleNode(root)).script, node }, { run: runCommand, folder });
    expect(sum(again)).toBe(sum(bytes));
    expect(readdirSync(folder)).toEqual(['headstart']);
  });

  it('runs the verbs of a node, ignores NODE_OPTIONS, and uses its code cache', async () => {
    const { code, stdout, stderr } = await run(['node', 'check', '--help'], {
      NODE_OPTIONS: '--require=/nowhere/intruder.js',
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' }); // a warning here would mean that V8 rejected the code cache
    expect(stdout).toContain('headstart node check');
  });

  it('parses a document with the embedded libraries', async () => {
    const { code, stdout } = await run(['node', 'check', join(root, 'src/node/fixtures/documents/v1-full.yaml')]);
    expect({ code, isRight: stdout.includes('generation 42') }).toEqual({ code: 0, isRight: true });
  });

  it('has no other verbs', async () => {
    expect(await run(['boot', 'blame'])).toMatchObject({ code: 2 });
  });
});

it('a Node.js that fails to prepare the script is reported', async () => {
  const made = makeExecutable({ script: 'x', node: '/bin/false' }, { run: runCommand, folder });
  await expect(made).rejects.toMatchObject({ code: 'node/cannot-build' });
  expect(readdirSync(folder)).toEqual(['headstart']);
});
