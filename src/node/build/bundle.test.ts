import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleNode, ENTRY, type NodeBundle } from './bundle.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('the script of this tree', () => {
  let bundle: NodeBundle;
  beforeAll(async () => {
    bundle = await bundleNode(root);
  });

  it('lists the licences of its packages', () => {
    const sections = bundle.licences.split(/^== /m).slice(1);
    expect(sections.map((section) => section.split('\n')[0])).toEqual(['commander', 'smol-toml', 'yaml', 'zod']);
    for (const section of sections) expect(section).toMatch(/permi(?:t|ssion)/i);
  });

  it('loads no Node.js module before it is needed', () => {
    expect(bundle.script).not.toMatch(/\brequire\(/);
    expect(bundle.script.match(/getBuiltinModule\("node:net"\)/g)).toHaveLength(1);
  });

  it('contains no cloud or Kubernetes client and no build path', () => {
    expect(bundle.script).not.toMatch(/@azure\/|@kubernetes\/|registry\.npmjs/);
    expect(bundle.script).not.toContain(root);
  });
});

describe('the script of a small tree', () => {
  let tree: string;
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  };
  beforeEach(() => {
    tree = mkdtempSync(join(tmpdir(), 'headstart-bundle-'));
  });
  afterEach(() => rmSync(tree, { recursive: true }));

  /** The Node.js modules it loads and what it prints, in order. */
  async function run(): Promise<string[]> {
    const log: string[] = [];
    const getBuiltinModule = (name: string) => {
      log.push(name);
      return process.getBuiltinModule(name);
    };
    const { script } = await bundleNode(tree);
    await new Promise<void>((done) => {
      runInNewContext(script, {
        process: { getBuiltinModule },
        exports: {},
        print: (text: string) => log.push(text),
        done,
      });
    });
    return log;
  }

  it('runs modules that are imported on demand, and loads their Node.js modules, on demand', async () => {
    put(ENTRY, "print('first'); import('./later.ts').then(({ name }) => { print(name('/x/y')); done(); });");
    put('src/cli/later.ts', "import { basename } from 'path';\nexport const name = (path: string) => basename(path);");
    expect(await run()).toEqual(['first', 'node:path', 'y']);
  });

  it('loads a Node.js module once, with and without the node: prefix', async () => {
    put(ENTRY, "import { sep } from 'path';\nimport { other } from './other.ts';\nprint(sep + other); done();");
    put('src/cli/other.ts', "import path, { posix } from 'node:path';\nexport const other = path.sep + posix.sep;");
    expect(await run()).toEqual(['node:path', '///']);
  });

  it('contains a package that is used, with its licence, and no other', async () => {
    for (const name of ['used', 'unused']) {
      put(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
      put(`node_modules/${name}/index.js`, `exports.name = '${name}';`);
      put(`node_modules/${name}/LICENSE`, `licence of ${name}`);
    }
    put(ENTRY, "import { name } from 'used';\nprint(name); done();");
    expect(await run()).toEqual(['used']);
    expect((await bundleNode(tree)).licences).toBe('== used\n\nlicence of used\n');
  });

  it('fails if the entry is missing or invalid', async () => {
    await expect(bundleNode(tree)).rejects.toThrow(/node-bin/);
    put(ENTRY, 'const = 1;');
    await expect(bundleNode(tree)).rejects.toThrow();
  });
});
