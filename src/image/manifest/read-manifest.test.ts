import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { manifestJsonSchema } from './manifest-schema.ts';
import { CONTAINERD, debText, fileText, KUBELET, manifestText, problemsOf, SHA } from './manifests.testing.ts';
import { parseManifest, readManifest } from './read-manifest.ts';
import { checkRules } from './rules/check.ts';

describe('parseManifest', () => {
  it('reads a manifest and fills in defaults', async () => {
    const parsed = await parseManifest(manifestText(`${CONTAINERD}${fileText('motd', '/etc/motd', 'hi\n')}`));
    expect(parsed).toEqual({
      manifest: {
        name: 'node',
        base: { origin: 'debian:bookworm' },
        architectures: ['amd64'],
        kubernetes: ['1.35.8'],
        disk: { budgetMb: 3000, warnPercent: 75, sizeMb: 4096 },
        components: [
          {
            name: 'containerd',
            kind: 'deb',
            version: '1.7.24-1',
            licence: 'Apache-2.0',
            reason: 'runs containers',
            update: 'patch',
            constraints: [],
          },
          {
            name: 'motd',
            kind: 'file',
            licence: 'Apache-2.0',
            reason: 'a test',
            update: 'patch',
            constraints: [],
            install: { to: '/etc/motd', mode: 0o644 },
            content: 'hi\n',
          },
        ],
      },
    });
  });

  it('reports an unknown kind with its line, a suggestion and the known kinds', async () => {
    expect(await problemsOf(manifestText(CONTAINERD.replace('kind: deb', 'kind: debb')))).toEqual([
      "line 8: components[0].kind: 'debb' is not a kind of component (did you mean deb?); known kinds: deb, archive, binary, oci-image, file",
    ]);
  });

  it('reports all problems at once, each with path and line, and suggests names for misspelt fields', async () => {
    const text = manifestText(
      `${CONTAINERD}    licens: MIT\n${KUBELET.replace(SHA, 'short')}`,
      'architecture: [amd64]\ndisk: { budgetMb: 5 }\n',
    ).replace('name: node\n', '');
    expect(await problemsOf(text)).toEqual([
      'line 1: name: is missing',
      'line 5: architecture: is not a field (did you mean architectures?)',
      'line 6: disk.budgetMb: 5 is below 100',
      'line 13: components[0].licens: is not a field (did you mean licence?)',
      'line 20: components[1].versions[0].sources.amd64.sha256: is not a sha256: 64 hexadecimal digits in lower case',
    ]);
  });

  it.each([
    [
      'a version that YAML reads as a number',
      debText('x', '1').replace('"1"', '1.10'),
      /line 9: components\[0\]\.version: .*quotes/,
    ],
    ['a path that leaves the image', fileText('x', '/etc/../../passwd', 'x'), /install\.to: is not an absolute path/],
    [
      'a path that leaves the origin',
      KUBELET.replace('v1.35.8/kubelet', '../../etc/passwd'),
      /path: is not a path below the origin/,
    ],
    [
      'a server instead of an origin',
      KUBELET.replace('upstream:kubernetes', 'https://dl.k8s.io'),
      /origin: is not an origin/,
    ],
    ['no components', '  []\n', /components: has fewer than 1 entries/],
  ])('refuses %s', async (_what, components, expected) => {
    const problems = await problemsOf(manifestText(components));
    expect(problems.join('\n')).toMatch(expected);
    expect(problems.every((problem) => /^line \d+: /.test(problem))).toBe(true);
  });

  it.each([
    ['', /^the manifest is empty$/],
    ['# nothing yet\n', /^the manifest is empty$/],
    ['- a\n- b\n', /^line 1: the manifest: expected a map, got a list$/],
    ['a: [\n', /line/],
    ['a: 1\na: 2\n', /unique/],
    ['a: &a [*a]\n', /./],
    ['a: *b\n', /./],
    ['__proto__: { name: x }\n', /name: is missing/],
    [`${manifestText()}    __proto__: 1\n`, /__proto__: is not a field/],
  ])('refuses text that is not a manifest: %j', async (text, expected) => {
    expect((await problemsOf(text)).join('\n')).toMatch(expected);
  });

  it('makes readManifest throw with the file name and the next step', async () => {
    await expect(readManifest('name: x', 'my.yaml')).rejects.toMatchObject({
      code: 'image/bad-manifest',
      message: expect.stringContaining('my.yaml'),
      next: expect.stringContaining('image schema'),
    });
  });

  it('reports a problem for any random text', async () => {
    const words = [
      'kind',
      'name',
      'deb',
      'components',
      '-',
      ':',
      '\n',
      '  ',
      '[',
      '{',
      '"',
      '&a',
      '*a',
      '!!x',
      '0',
      'null',
      '|',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 5 })), { maxLength: 25 }),
        async (parts) => {
          expect(await problemsOf(parts.join(' '))).not.toEqual([]);
        },
      ),
    );
  });
});

describe('the JSON Schema', () => {
  const schema = manifestJsonSchema();
  const examples = ['image', 'upstream'].map((name) => ({
    name,
    text: readFileSync(new URL(`../../../examples/image/${name}.yaml`, import.meta.url), 'utf8'),
  }));

  it('matches the published schema file', () => {
    // To update it: ./headstart image schema > docs/schema/image.json
    const published = readFileSync(new URL('../../../docs/schema/image.json', import.meta.url), 'utf8');
    expect(JSON.parse(published)).toEqual(schema);
  });

  it.each(examples)(
    'accepts the example $name, which lacks only the components that its user builds',
    async ({ name, text }) => {
      const validate = new Ajv2020({ strict: false }).compile(schema as object);
      expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true);
      const manifest = await readManifest(text, name);
      const missing = new Set(checkRules(manifest).map(({ rule, component }) => `${rule} ${component}`));
      expect(missing).toEqual(new Set(['node/complete headstart', 'node/complete pause']));
    },
  );

  it('refuses the same malformed values as the check', () => {
    const validate = new Ajv2020({ strict: false }).compile(schema as object);
    expect(validate(parse(manifestText()))).toBe(true);
    expect(validate(parse(manifestText(CONTAINERD.replace('kind: deb', 'kind: rpm'))))).toBe(false);
    expect(validate(parse(manifestText(KUBELET.replace(SHA, 'x'))))).toBe(false);
  });
});
