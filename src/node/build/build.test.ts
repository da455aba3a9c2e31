import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ensureExecutable } from './build.ts';
import { ENTRY } from './bundle.ts';
import { makeExecutable } from './executable.ts';

/** A real one takes seconds and 100 MB; executable.test.ts builds one. */
vi.mock('./executable.ts', async (original) => ({
  ...(await original<typeof import('./executable.ts')>()),
  makeExecutable: vi.fn(),
}));

let tree: string;
let node: string;
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
};
const ensure = () => ensureExecutable(tree, node);
const kept = () => readdirSync(join(tree, 'out/node')).sort();

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'headstart-build-'));
  put(ENTRY, "console.log('one');");
  put('runtime/bin/node', 'a program');
  node = join(tree, 'runtime/bin/node');
  vi.mocked(makeExecutable).mockImplementation(async ({ script }, { folder }) => {
    mkdirSync(folder, { recursive: true });
    return Buffer.from(`made of ${script}`);
  });
});
afterEach(() => {
  vi.resetAllMocks();
  rmSync(tree, { recursive: true });
});

describe('the executable of a tree', () => {
  it('is built once, is executable, and is found by the hash of its inputs', async () => {
    const first = await ensure();
    expect(first).toMatchObject({ isNew: true, key: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(basename(first.path)).toBe(`headstart-${first.key.slice(0, 16)}`);
    expect(readFileSync(first.path, 'utf8')).toContain('console.log("one")');
    expect(statSync(first.path).mode & 0o777).toBe(0o755);
    expect(await ensure()).toEqual({ ...first, isNew: false });
    expect(makeExecutable).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['its code', () => put(ENTRY, "console.log('two');")],
    ['Node.js', () => put('runtime/bin/node', 'another program')],
  ])('is rebuilt after a change to %s, and the old one is deleted with its licences', async (_, change) => {
    const before = await ensure();
    change();
    const after = await ensure();
    expect(after.isNew).toBe(true);
    expect(after.key).not.toBe(before.key);
    expect(kept()).toEqual([basename(after.path), `${basename(after.path)}.licences.txt`]);
  });

  it('is not rebuilt after a change to files that are not part of it', async () => {
    const { key } = await ensure();
    put('src/cli/other.ts', 'export {};');
    put(ENTRY, "// a remark\nconsole.log('one');");
    chmodSync(node, 0o755);
    expect(await ensure()).toMatchObject({ key, isNew: false });
  });

  it('does not delete files that are not cached executables', async () => {
    const others = ['headstart-0123', 'headstart-0123456789abcdef.new', 'notes.txt', 'xheadstart-0123456789abcdef'];
    for (const name of others) put(`out/node/${name}`, 'x');
    put('out/node/headstart-0123456789abcdef', 'an old one');
    await ensure();
    expect(kept()).toEqual(expect.arrayContaining(others));
    expect(existsSync(join(tree, 'out/node/headstart-0123456789abcdef'))).toBe(false);
  });

  it('is kept if a new build fails, and the build is retried', async () => {
    const { path } = await ensure();
    put(ENTRY, "console.log('two');");
    vi.mocked(makeExecutable).mockRejectedValueOnce(new Error('no room'));
    await expect(ensure()).rejects.toThrow('no room');
    expect(kept()).toEqual([basename(path), `${basename(path)}.licences.txt`]);
    expect(await ensure()).toMatchObject({ isNew: true });
  });

  it('has the licences of Node.js and its packages next to it', async () => {
    put('runtime/LICENSE', 'the licence of Node.js\n\n');
    put('node_modules/used/package.json', '{ "name": "used", "main": "index.js" }');
    put('node_modules/used/index.js', "exports.name = 'used';");
    put('node_modules/used/LICENSE', 'the licence of used');
    put(ENTRY, "import { name } from 'used';\nconsole.log(name);");
    const { path } = await ensure();
    expect(readFileSync(`${path}.licences.txt`, 'utf8')).toBe(
      '== node\n\nthe licence of Node.js\n\n== used\n\nthe licence of used\n',
    );
  });
});
