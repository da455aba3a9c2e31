import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownPrograms, programsNamedIn, shippedSources } from './own-programs.ts';

const root = join(import.meta.dirname, '../..');

it('programs are found by the URL of their source', () => {
  const code = "const a = new URL('../relay.ts', import.meta.url);\nnew URL('./style.css', import.meta.url);";
  expect(programsNamedIn('src/cli/compose/a.ts', code)).toEqual([
    { source: 'src/cli/relay.ts', from: 'src/cli/compose/a.ts', text: "new URL('../relay.ts', import.meta.url)" },
  ]);
});

it('the programs of this tree exist and have different names', () => {
  const programs = ownPrograms(root);
  expect(programs[0]).toMatchObject({ name: 'headstart', source: 'src/cli/bin.ts' });
  expect(programs.map(({ name }) => name)).toEqual(expect.arrayContaining(['cli-relay', 'image-build-sum-worker']));
  expect(new Set(programs.map(({ name }) => name)).size).toBe(programs.length);
  for (const { source, calls } of programs) {
    expect(existsSync(join(root, source)), source).toBe(true);
    expect(calls.length, source).toBeGreaterThan(0);
  }
});

it('files that sources read are shipped, without code, tests and documents', () => {
  const paths = shippedSources(root);
  expect(paths).toEqual(
    expect.arrayContaining(['src/clone-check/headstart-clone-check', 'src/local/autoscaler/external-grpc.proto']),
  );
  expect(paths.filter((path) => /\.ts$|\.md$|fixtures\//.test(path))).toEqual([]);
});
