import { expect, it } from 'vitest';
import { PRODUCT } from '../testing.ts';
import { assetsOf, indexOf } from './executable.ts';

const file = (path: string, isExecutable = false) => ({ path, bytes: Buffer.from(`content of ${path}`), isExecutable });
const BUNDLE = {
  chunks: [file('headstart.js')],
  files: [file('src/b.sh', true), file('src/a.css')],
  licences: 'L',
  modules: [],
  imports: new Map(),
};

it('the executable contains chunks, files, licences and its version, in the same order every time', () => {
  const assets = assetsOf(PRODUCT, BUNDLE);
  const paths = ['LICENSES-OF-DEPENDENCIES.txt', 'files.json', 'headstart.js', 'loader.cjs', 'package.json'];
  expect([...assets.keys()]).toEqual([...paths, 'src/a.css', 'src/b.sh']);
  expect(JSON.parse(Buffer.from(assets.get('package.json')!).toString())).toEqual({
    name: 'headstart',
    version: '1.2.3',
  });
  const reversed = { ...BUNDLE, files: BUNDLE.files.toReversed() };
  expect([...assetsOf(PRODUCT, reversed)]).toEqual([...assets]);
});

it('the list of files has a hash that changes with their content and mode', () => {
  const { sha256, files } = indexOf(BUNDLE.files);
  expect(files).toEqual([
    { path: 'src/a.css', isExecutable: false },
    { path: 'src/b.sh', isExecutable: true },
  ]);
  expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(indexOf([file('src/a.css'), file('src/b.sh', false)]).sha256).not.toBe(sha256);
  expect(indexOf([{ ...file('src/a.css'), bytes: Buffer.from('') }, file('src/b.sh', true)]).sha256).not.toBe(sha256);
});
