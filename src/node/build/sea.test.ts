import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunCommand } from '../../base/command.ts';
import { fused, prepareBlob, type SeaConfig } from './sea.ts';

it('a Node.js without support for single executables is refused, and so is one that already contains a script', () => {
  const sign = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:';
  expect(fused(Buffer.from(`a ${sign}0 b`)).toString()).toBe(`a ${sign}1 b`);
  for (const other of ['', `${sign}1`, `${sign}0 ${sign}0`]) {
    expect(() => fused(Buffer.from(other))).toThrow(/does not support single executables/);
  }
});

it('a failure is reported with what Node.js printed, and leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-sea-'));
  const run: RunCommand = async () => ({ outcome: 'exited', code: 9, stdout: Buffer.alloc(0), stderr: 'bad option' });
  const config: SeaConfig = {
    main: 'a.cjs',
    output: 'blob',
    disableExperimentalSEAWarning: true,
    useCodeCache: false,
    execArgv: [],
    execArgvExtension: 'none',
    assets: {},
  };
  const made = prepareBlob({ config, files: new Map([['a.cjs', '']]), node: 'node', flags: [] }, { run, folder });
  await expect(made).rejects.toMatchObject({
    code: 'node/cannot-build',
    message: expect.stringContaining('bad option'),
  });
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});
