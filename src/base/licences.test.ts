import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { licencesOf } from './licences.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headstart-licences-'));
});
afterEach(() => rmSync(root, { recursive: true }));

it('lists each package once, by its folder, with all its licence texts', () => {
  for (const [name, files] of Object.entries({ b: ['LICENSE'], '@x/a': ['NOTICE.md', 'licence', 'README'] })) {
    mkdirSync(join(root, 'node_modules', name), { recursive: true });
    for (const file of files) writeFileSync(join(root, 'node_modules', name, file), `${file} of ${name}\n`);
  }
  const modules = [
    'src/own.ts',
    'node_modules/b/1.js',
    'node_modules/b/lib/2.js',
    'node_modules/@x/a/index.js',
    '\0virtual',
  ];
  expect(licencesOf(modules.map((module) => join(root, module)))).toBe(
    '== @x/a\n\nNOTICE.md of @x/a\n\nlicence of @x/a\n\n== b\n\nLICENSE of b\n',
  );
});
