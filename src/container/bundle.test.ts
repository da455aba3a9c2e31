// Does a bundle contain everything it needs, and nothing for development?
import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { reachableFrom, sources } from '../architecture.testing.ts';
import { type Bundle, type BundleKind, bundleProgram } from './bundle.ts';
import { ownPrograms, shippedSources } from './own-programs.ts';

const root = join(import.meta.dirname, '../..');
/** @kubernetes/client-node's transport tries it and goes on without it. */
const OPTIONAL = ['kerberos'];
/** Run from a checkout only: they make what is shipped. */
const BUILDERS = /^src\/(?:container|packages|node\/build)\/|^src\/cli\/verbs-doc\.ts$|^sims\/azure\/referee\//;

describe.each(['modules', 'embedded'] as const)('a bundle of %s', (kind: BundleKind) => {
  let bundle: Bundle;
  let code: Map<string, string>;
  beforeAll(async () => {
    bundle = await bundleProgram(root, { kind, extension: '.js' });
    code = new Map(bundle.chunks.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]));
  });

  it('imports only its own chunks and modules of Node.js', () => {
    const known = [...OPTIONAL, ...code.keys()];
    const imports = [...bundle.imports.values()].flat();
    expect(imports.filter((name) => !known.includes(name) && !isBuiltin(name))).toEqual([]);
    expect(imports.length).toBeGreaterThan(200);
  });

  it('has every program as an entry of its own', () => {
    const names = ownPrograms(root).map(({ name }) => `${name}.js`);
    expect([...code.keys()]).toEqual(expect.arrayContaining(names));
    for (const [path, text] of code) expect(text, path).not.toMatch(/new URL\([`"']\.[^`"']*\.ts[`"'],(?!import)/);
  });

  it('never loads the command line from another program or thread, which would run it', () => {
    const others = ownPrograms(root).filter(({ name }) => name !== 'headstart');
    const wrong = others.filter(({ name }) => reachableFrom(`${name}.js`, bundle.imports).has('headstart.js'));
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('contains no package for development, and not the path of this tree', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const packages = bundle.modules.map((id) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1]);
    expect(packages.filter((name) => name !== undefined && name in devDependencies)).toEqual([]);
    for (const [path, text] of code) expect(text.includes(root), path).toBe(false);
  });
});

it('every file that a source names is shipped', () => {
  const paths = [...shippedSources(root), 'headstart', 'package.json'];
  const named = sources
    .filter((file) => !BUILDERS.test(file))
    .flatMap((file) => {
      const found = readFileSync(join(root, file), 'utf8').matchAll(
        /\bnew URL\(['`]([^'`$]*)[^)]*import\.meta\.url\)/g,
      );
      return [...found].map(([, path]) => posix.join(posix.dirname(file), path!));
    })
    .filter((path) => !path.endsWith('.ts') && path !== './');
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((path) => !paths.some((one) => one.startsWith(path)))).toEqual([]);
  expect(named.filter((path) => path !== 'headstart' && !existsSync(join(root, path)))).toEqual([]);
});

it('sources read their files by base/own-files alone, and know their place by their URL', () => {
  const others = sources
    .filter((file) => !BUILDERS.test(file))
    .filter((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      if (/^src\/base\/own-files\/|^src\/cli\/this-checkout\.ts$/.test(file)) return false;
      return /import\.meta\.(?:dirname|filename|main|resolve)|(?:readFileSync|fileURLToPath|new Worker)\(new URL/.test(
        text,
      );
    });
  expect(others).toEqual([]);
});
