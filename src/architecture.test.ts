// The folders are the architecture. These tests fail on an import that ARCHITECTURE.md does not allow, an import cycle, an effect in
// code that decides, too many files in a folder, or a decision without a test. Each test lists every file that breaks its rule.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  arrows,
  branchesIn,
  files,
  folderOf,
  importCycles,
  importsOf,
  namedBelow,
  reachableFrom,
  root,
  sources,
  specifiersIn,
  textOf,
  valueImportsOf,
  withoutTypes,
} from './architecture.testing.ts';

/** Pure functions of node:net. */
const ADDRESS_PARSERS = /^import \{ (?:isIP|isIPv4|isIPv6|, )+ \} from 'node:net';$/gm;
const EFFECTS = /^node:(fs|fs\/promises|child_process|net|http|https|os|process|dns|worker_threads)$/;
const READS_THE_WORLD =
  /\bDate\.now\(|\bnew Date\(\)|\bprocess\.(env|argv|cwd|hrtime)\b|(?<!\.)\bfetch\(|\bMath\.random\(|\bperformance\.now\(/;
const ROOM_FOR = 25;
/** A file with this many branches makes a decision. */
const DECIDES = 3;

describe('imports between folders', () => {
  const allowed = arrows();

  it('are only those that ARCHITECTURE.md allows', () => {
    const wrong = sources.flatMap((file) => {
      const from = folderOf(file)!;
      const isAllowed = (target: string) => (allowed.get(from) ?? []).some((arrow) => leadsTo(arrow, target));
      return importsOf(file)
        .filter((target) => folderOf(target) !== undefined && folderOf(target) !== from)
        .filter((target) => /^(src|sims)\//.test(target) && !isAllowed(target))
        .map((target) => `${file} → ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  it('are all used if ARCHITECTURE.md lists them', () => {
    const unused = [...allowed].flatMap(([from, targets]) => {
      const taken = sources.filter((file) => folderOf(file) === from).flatMap((file) => importsOf(file));
      return targets.filter((arrow) => !taken.some((target) => leadsTo(arrow, target))).map((to) => `${from} → ${to}`);
    });
    expect(unused).toEqual([]);
  });

  it('form no cycle between files', () => {
    const graph = new Map(sources.map((file) => [file, importsOf(file).filter((target) => sources.includes(target))]));
    expect(importCycles(graph)).toEqual([]);
  });

  it('from the command line to an implementation are only in its composition root', () => {
    const implementations = namedBelow('Implementations');
    const wrong = sources
      .filter((file) => file.startsWith('src/cli/') && !file.startsWith('src/cli/compose/'))
      .flatMap((file) => valueImportsOf(file).map((target) => ({ file, target })))
      .filter(({ target }) => implementations.some((name) => leadsTo(name, target)))
      .map(({ file, target }) => `${file} → ${target}`);
    expect(wrong).toEqual([]);
  });

  it('of code that runs on a node include no cloud SDK and no Kubernetes client', () => {
    const wrong = sources
      .filter((file) => ['boot', 'node', 'schema'].includes(folderOf(file)!))
      .flatMap((file) => importsOf(file).map((target) => `${file} → ${target}`))
      .filter((arrow) => /→ @(azure|kubernetes)\//.test(arrow));
    expect(wrong).toEqual([]);
  });
});

describe('code that decides', () => {
  const deps = namedBelow('Files in `boot/` that touch the world').map((name) => `src/boot/${name}`);
  const cores = namedBelow('Code that decides').filter((name) => name !== 'boot/');
  const graph = new Map(
    sources.map((file) => [
      file,
      importsOf(file, withoutTypes(withoutLater(textOf(file).replaceAll(ADDRESS_PARSERS, '')))),
    ]),
  );
  const byName = /^src\/(?!cli\/).*\b(plan|judge|verdict|decide)\b[^/]*\.ts$/;
  const pure = sources.filter(
    (file) =>
      (file.startsWith('src/boot/') && !deps.includes(file)) ||
      cores.some((core) => leadsTo(core, file)) ||
      byName.test(file),
  );

  it('uses no file, process, clock, environment or network', () => {
    const impure = pure.filter((file) => effectsIn(file).length > 0 || READS_THE_WORLD.test(textOf(file)));
    expect(impure).toEqual([]);
  });

  it('loads no module that does', () => {
    const loads = pure
      .filter((file) => !file.startsWith('src/boot/'))
      .flatMap((file) =>
        [...reachableFrom(file, graph)].filter((to) => EFFECTS.test(to)).map((to) => `${file} → ${to}`),
      );
    expect(loads).toEqual([]);
  });

  it('is listed with paths that exist', () => {
    expect(deps.filter((file) => !sources.includes(file))).toEqual([]);
    expect(cores.filter((core) => !sources.some((file) => leadsTo(core, file)))).toEqual([]);
  });

  it('has a test of the same name next to it', () => {
    const missing = sources.filter(
      (file) => branchesIn(textOf(file)) >= DECIDES && !files.includes(file.replace(/\.ts$/, '.test.ts')),
    );
    expect(missing).toEqual([]);
  });
});

describe('a folder', () => {
  const folders = Map.groupBy(sources, (file) => dirname(file));

  it(`has at most ${ROOM_FOR} source files`, () => {
    const crowded = [...folders]
      .filter(([, inside]) => inside.length > ROOM_FOR)
      .map(([name, { length }]) => ({ name, length }));
    expect(crowded).toEqual([]);
  });

  it('with rooms has a README', () => {
    const withRooms = new Set(
      [...folders.keys()].map((folder) => dirname(folder)).filter((name) => name !== 'src' && name !== '.'),
    );
    expect([...withRooms].filter((folder) => !existsSync(join(root, folder, 'README.md')))).toEqual([]);
  });

  it('contains only files that begin with their path and what they answer', () => {
    const wrong = sources.filter((file) => {
      const [, header] = textOf(file).match(/^(?:\/\/\/.*\n|#!.*\n)?\/\/ (\S+\/\S+\.ts): \S/) ?? [];
      return header === undefined || !`/${file}`.endsWith(`/${header}`);
    });
    expect(wrong).toEqual([]);
  });
});

describe('an installation with `npm ci --omit=dev`', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };

  it.each(['src/cli/bin.ts', 'demo/run.ts', 'demo/ensure-tools.ts'])('is enough for %s', (entry) => {
    expect(packagesReachedFrom(entry).filter((name) => !(name in manifest.dependencies))).toEqual([]);
  });

  // The Makefile installs the development tools for the targets that run these.
  it.each([
    'src/node/build/build.ts',
    'src/container/build.ts',
    'src/packages/build.ts',
    'demo/kubernetes/run.ts',
    'bench/run.ts',
  ])('is enough for %s except for rolldown', (entry) => {
    expect(packagesReachedFrom(entry).filter((name) => !(name in manifest.dependencies))).toEqual(['rolldown']);
  });
});

/** `arrow`: a folder or a file (`vms`, `vms/qemu/`, `vms/pools.ts`). */
function leadsTo(arrow: string, file: string): boolean {
  const inRepository = file.replace(/^src\//, '');
  return inRepository === arrow || inRepository.startsWith(arrow.endsWith('/') ? arrow : `${arrow}/`);
}

const effectsIn = (file: string) =>
  importsOf(file, withoutTypes(textOf(file).replaceAll(ADDRESS_PARSERS, ''))).filter((target) => EFFECTS.test(target));

/** Without dynamic imports, which load when a function is called. */
const withoutLater = (text: string) => text.replaceAll(/\bimport\('[^']+'\)/g, '');

/** Packages that the file or its imports load, including dynamic imports and programs started with `new URL`. */
function packagesReachedFrom(entry: string): string[] {
  const packages = new Set<string>();
  const reached = new Set([join(root, entry)]);
  for (const file of reached) {
    const text = withoutTypes(readFileSync(file, 'utf8'));
    const programs = [...text.matchAll(/\bnew URL\('(\.[^']+\.ts)', import\.meta\.url\)/g)].map((match) => match[1]!);
    for (const target of [...specifiersIn(text), ...programs]) {
      if (target.startsWith('.')) {
        if (target.endsWith('.ts')) reached.add(join(dirname(file), target));
      } else if (!target.startsWith('node:')) {
        packages.add(target.match(/^(?:@[^/]+\/)?[^/]+/)![0]);
      }
    }
  }
  return [...packages];
}
