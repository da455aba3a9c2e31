import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseTar } from 'nanotar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../base/command.ts';
import { PRODUCT } from '../testing.ts';
import { npmEnv, packNpm } from './pack.ts';
import { npmFiles } from './package-files.ts';

const FILES = npmFiles(PRODUCT, { chunks: [], files: [], licences: 'L', modules: [], imports: new Map() });
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-pack-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('npm pack', () => {
  it('gives the same bytes in any folder and under any umask, and leaves nothing behind', async () => {
    const first = await packNpm(FILES, { run: runCommand, folder });
    const withUmask: typeof runCommand = ([program, ...args], options) =>
      runCommand(['sh', '-c', 'umask 077; exec "$0" "$@"', program, ...args], options);
    const second = await packNpm(FILES.toReversed(), { run: withUmask, folder: join(folder, 'deeper/still') });
    expect(Buffer.compare(first, second)).toBe(0);
    const entries = parseTar(new Uint8Array(gunzipSync(first)));
    expect(
      entries.map(({ name, attrs }) => `${name} ${Number.parseInt(attrs?.mode ?? '', 8).toString(8)}`).sort(),
    ).toEqual(FILES.map(({ path, isExecutable }) => `package/${path} ${isExecutable ? '755' : '644'}`).sort());
    expect(readdirSync(folder)).toEqual(['deeper']);
  });

  it('reports why npm failed', async () => {
    const failing: typeof runCommand = () => runCommand(['sh', '-c', 'echo out of space >&2; exit 1']);
    await expect(packNpm(FILES, { run: failing, folder })).rejects.toMatchObject({
      code: 'packages/cannot-pack',
      message: expect.stringContaining('out of space'),
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

it('npm runs on the pinned Node.js, without the settings of a script that npm runs', () => {
  const env = npmEnv({ PATH: '/bin', npm_lifecycle_event: 'test', npm_config_registry: 'r', npm_config_umask: '077' });
  expect(env).toEqual({ PATH: expect.stringMatching(/^\/.+:\/bin$/), npm_config_registry: 'r' });
});
