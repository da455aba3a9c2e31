// e2e/programs/ensure-python.ts: a virtual environment of Python with the packages of one file in e2e/python, installed once into the cache.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../src/base/command.ts';
import { cacheFolder } from './ensure-helm.ts';

export const PYTHON_FOLDER = fileURLToPath(new URL('../python', import.meta.url));
const INSTALL_MS = 20 * 60_000;

/** Why there can be no virtual environment on this machine; undefined if there can. */
export async function missingPython(): Promise<string | undefined> {
  const { outcome, code } = await runCommand(['python3', '-c', 'import ensurepip, venv']);
  if (outcome === 'missing') return 'there is no python3';
  return code === 0 ? undefined : 'python3 cannot make virtual environments (Debian: apt-get install python3-venv)';
}

/** `requirements` is a file of e2e/python. Returns the folder with its programs. */
export async function ensurePython(requirements: string): Promise<string> {
  const file = join(PYTHON_FOLDER, requirements);
  const text = readFileSync(file, 'utf8');
  const { stdout: release } = await runCommand(['python3', '-c', 'import sys; print(sys.version)']);
  const key = createHash('sha256').update(text).update(release).digest('hex').slice(0, 16);
  const folder = join(cacheFolder(), 'python', `${requirements.replace('.txt', '')}-${key}`);
  const mark = join(folder, 'installed'); // last: a folder without it was cut off
  if (!existsSync(mark)) {
    console.error(`installing ${requirements.replace('.txt', '')} for Python (once; kept in ${folder})`);
    rmSync(folder, { recursive: true, force: true });
    await run(['python3', '-m', 'venv', folder]);
    const checked = text.includes('--hash=') ? ['--require-hashes'] : [];
    await run([join(folder, 'bin/pip'), 'install', '--quiet', ...checked, '-r', file]);
    writeFileSync(mark, '');
  }
  return join(folder, 'bin');
}

async function run(argv: [string, ...string[]]): Promise<void> {
  const { outcome, code, stderr } = await runCommand(argv, { timeoutMs: INSTALL_MS });
  if (outcome !== 'exited' || code !== 0) throw new Error(`${argv.join(' ')} failed (${outcome}): ${stderr}`);
}
