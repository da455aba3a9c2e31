import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

const launcher = fileURLToPath(new URL('../../headstart', import.meta.url));
const elsewhere = mkdtempSync(join(tmpdir(), 'headstart-launcher-'));
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

describe('the launcher', () => {
  it('runs from any directory, through links to links, under the pinned runtime', () => {
    symlinkSync(launcher, join(elsewhere, 'one'));
    symlinkSync('one', join(elsewhere, 'two'));
    for (const path of [launcher, join(elsewhere, 'two')]) {
      const version = execFileSync(path, ['--version'], { cwd: elsewhere, encoding: 'utf8' });
      expect(version).toMatch(/^\d+\.\d+\.\d+( \([0-9a-f]{7}\))?\n$/);
    }
  });

  it('ends quietly when whoever reads its output stops reading', () => {
    const script = '"$1" boot --help | head -1';
    expect(execFileSync('sh', ['-c', script, 'sh', launcher], { encoding: 'utf8' })).toMatch(/^Show .*\.\n$/);
  });

  it('reads a pipe to its end when the writer is slower than the reader', () => {
    // More than a pipe holds, a line at a time: the reader is there before the writer is done, and finds the pipe empty.
    const script = `i=0; while [ $i -lt 4000 ]; do i=$((i + 1))
      echo "2026-11-15 21:08:50,254 - handlers.py[DEBUG]: start: init-local/step-$i: attempting to read"
    done | "$1" boot cloud-init dump --compat -i -`;
    const printed = execFileSync('sh', ['-c', script, 'sh', launcher], { encoding: 'utf8', maxBuffer: 1 << 24 });
    expect(JSON.parse(printed)).toHaveLength(4000);
  });

  it('says in one line that there is no room for the answer, and exits 1', () => {
    const { status, stderr } = spawnSync('sh', ['-c', '"$1" boot --help > /dev/full', 'sh', launcher], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: cannot write to standard output: ENOSPC/);
    expect(stderr).not.toContain('    at ');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends on %s while it waits for the writer of a pipe', async (signal) => {
    const fifo = join(elsewhere, signal);
    execFileSync('mkfifo', [fifo]);
    const child = spawn(launcher, ['boot', 'timeline', '-i', fifo], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('exit', (_code, endedBy) => resolve(endedBy)));
    // Opening for writing succeeds once somebody reads; it is then in the middle of its read, as nothing is ever written.
    const fd = await open(fifo, 'w');
    child.kill(signal);
    expect(await ended).toBe(signal);
    await fd.close();
  });

  it('gives up at once where PATH has nothing to make a lock with', () => {
    const copy = mkdtempSync(join(elsewhere, 'bare-'));
    copyFileSync(launcher, join(copy, 'headstart'));
    symlinkSync(execFileSync('sh', ['-c', 'command -v dirname'], { encoding: 'utf8' }).trim(), join(copy, 'dirname'));
    const { status, stderr } = spawnSync('/bin/sh', [join(copy, 'headstart')], {
      env: { PATH: copy },
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('has not even ln') });
  });

  it('installs once when several start at the same time, also after one was killed while installing', async () => {
    const copy = mkdtempSync(join(elsewhere, 'clone-'));
    copyFileSync(launcher, join(copy, 'headstart'));
    writeFileSync(join(copy, 'package-lock.json'), '{}');
    symlinkSync('999999999', join(copy, '.installing')); // no such process
    mkdirSync(join(copy, 'bin'));
    // Like npm, it cannot bear company; the "runtime" it brings only says that it ran.
    writeFileSync(
      join(copy, 'bin', 'npm'),
      '#!/bin/sh\nmkdir busy || exit 1\necho x >> installs\nmkdir -p node_modules/.bin\n' +
        'printf "#!/bin/sh\\necho ran\\n" > node_modules/.bin/node\nchmod +x node_modules/.bin/node\n' +
        'touch node_modules/.package-lock.json\nrmdir busy\n',
      { mode: 0o755 },
    );
    const env = { ...process.env, PATH: `${join(copy, 'bin')}:${process.env.PATH}` };
    const runs = Array.from({ length: 3 }, () => promisify(execFile)(join(copy, 'headstart'), [], { env }));
    expect((await Promise.all(runs)).map(({ stdout }) => stdout)).toEqual(['ran\n', 'ran\n', 'ran\n']);
    expect(readFileSync(join(copy, 'installs'), 'utf8')).toBe('x\n');
    expect(readdirSync(copy).filter((name) => name.startsWith('.installing'))).toEqual([]);
  });
});
