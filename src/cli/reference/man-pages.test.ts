import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { GROUPS, VERBS } from '../main.ts';
import { renderManPages } from './man-pages.ts';

let pages: ReadonlyMap<string, string>;
beforeAll(async () => {
  pages = await renderManPages('1.2.3');
});

describe('the manual pages', () => {
  it('are one of the program and one of each group', () => {
    const names = Object.keys(GROUPS).map((group) => `headstart-${group.replaceAll(' ', '-')}.1`);
    expect([...pages.keys()]).toEqual(['headstart.1', ...names]);
  });

  it('name every verb once, with its summary', () => {
    for (const [path, { summary }] of Object.entries(VERBS)) {
      const part = `.SS "headstart ${path.replaceAll('-', '\\-')}"\n.PP\n${summary.replaceAll('-', '\\-')}`;
      const found = [...pages.values()].filter((text) => text.replaceAll('\\(aq', "'").includes(part));
      expect(found.length, path).toBe(1);
    }
  });

  it('refer only to pages that exist', () => {
    for (const [name, text] of pages) {
      const named = [...text.replaceAll('\\-', '-').matchAll(/(headstart[\w-]*)\(1\)/g)].map(([, page]) => `${page}.1`);
      expect(
        named.filter((page) => !pages.has(page)),
        name,
      ).toEqual([]);
    }
  });

  it.skipIf(spawnSync('groff', ['--version']).error !== undefined)('are read by groff without a warning', () => {
    for (const [name, text] of pages) {
      const { stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z'], { input: text, encoding: 'utf8' });
      expect(stderr, name).toBe('');
    }
  });
});
