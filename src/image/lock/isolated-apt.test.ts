import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ran, RunCommand } from '../../base/command.ts';
import { isolatedApt } from './isolated-apt.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'apt-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SOURCES = [{ suite: 'bookworm', uri: 'https://me:secret@mirror.test/debian' }];
const RAN: Ran = { outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: '' };

function aptThat(ran: Partial<Ran>, signal?: AbortSignal) {
  const calls: string[][] = [];
  const run: RunCommand = async (argv) => {
    calls.push([...argv]);
    return { ...RAN, ...ran };
  };
  const apt = isolatedApt(SOURCES, 'arm64', { run, aptConf: 'Acquire::Retries "3";', folder, signal });
  return { calls, update: () => apt(['apt-get', 'update'], 'the indices cannot be fetched') };
}

describe('isolatedApt', () => {
  it('uses only the given sources, settings and folder', async () => {
    const { calls, update } = aptThat({});
    expect(await update()).toMatchObject({ code: 0 });
    expect(calls[0]).toEqual(expect.arrayContaining([`APT_CONFIG=${folder}/apt.conf`, 'apt-get', 'update']));
    const conf = readFileSync(join(folder, 'apt.conf'), 'utf8');
    expect(conf).toContain('Acquire::Retries "3";\nAPT::Architecture "arm64";');
    expect(conf).toContain(`Dir::State::status "${folder}/status";`);
    expect(readFileSync(join(folder, 'status'), 'utf8')).toBe('');
  });

  it('keeps passwords in files that other users cannot read, and out of command lines', async () => {
    const { calls, update } = aptThat({});
    await update();
    expect(calls.flat().join(' ')).not.toContain('secret');
    for (const name of ['etc/sources.list', 'apt.conf']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it("reports the last lines of apt's output without passwords and empty lines", async () => {
    const lines = Array.from({ length: 10 }, (_, index) => `line ${index}\n\n`).join('');
    const stderr = `${lines}E: Failed to fetch https://me:secret@mirror.test/debian/dists  404`;
    const failed = (await aptThat({ code: 100, stderr })
      .update()
      .catch((error: unknown) => error)) as Error;
    expect(failed).toMatchObject({ code: 'image/packages-not-resolved' });
    expect(failed.message).toBe(
      'the indices cannot be fetched (exited): line 5 / line 6 / line 7 / line 8 / line 9 / E: Failed to fetch https://mirror.test/debian/dists  404',
    );
  });

  it.each<[string, Partial<Ran>]>([
    ['env does not find apt', { code: 127 }],
    ['env is missing', { outcome: 'missing', code: null }],
  ])('says which systems have apt when %s', async (_, ran) => {
    await expect(aptThat(ran).update()).rejects.toMatchObject({
      code: 'image/no-apt',
      next: expect.stringContaining('Debian'),
    });
  });

  it('reports the interruption, not a failure, when it is aborted', async () => {
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await expect(aptThat({ code: null }, stop.signal).update()).rejects.toThrow('enough');
  });
});
