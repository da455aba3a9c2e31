import { expect, it } from 'vitest';
import { PRODUCT } from '../testing.ts';
import { npmFiles, npmManifest } from './package-files.ts';

const file = (path: string) => ({ path, bytes: Buffer.from(path), isExecutable: false });

it('the package.json of the package installs nothing else and runs nothing', () => {
  const manifest = npmManifest(PRODUCT);
  expect(manifest).toMatchObject({ name: 'headstart', version: '1.2.3' });
  for (const field of ['private', 'type', 'scripts', 'dependencies', 'optionalDependencies', 'devDependencies']) {
    expect(manifest).not.toHaveProperty(field);
  }
});

it('the package has the first file under each name by which it is called', () => {
  expect(npmManifest(PRODUCT).bin).toEqual({
    headstart: 'headstart',
    'kubectl-headstart': 'headstart',
    'kubectl_complete-headstart': 'headstart',
  });
});

it('the package has the first file, the bundle, the files of sources, and all licences', () => {
  const bundle = {
    chunks: [file('headstart.mjs')],
    files: [file('src/a.sh')],
    licences: 'L',
    modules: [],
    imports: new Map(),
  };
  const files = npmFiles(PRODUCT, bundle);
  expect(files.map(({ path }) => path).sort()).toEqual([
    ...[
      'LICENSE',
      'LICENSES-OF-DEPENDENCIES.txt',
      'README.md',
      'headstart',
      'headstart.mjs',
      'package.json',
      'src/a.sh',
    ],
  ]);
  expect(files.filter(({ isExecutable }) => isExecutable).map(({ path }) => path)).toEqual(['headstart']);
});
