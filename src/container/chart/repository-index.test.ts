import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { repositoryIndex } from './repository-index.ts';

it('repositoryIndex names the archive, its hash and what Chart.yaml says, and no time of a build', () => {
  const bytes = Buffer.from('an archive');
  const chartYaml = 'apiVersion: v2\nname: example\n# a comment\nversion: 1.2.3\nappVersion: 1.2.3\n';
  expect(parse(repositoryIndex({ fileName: 'example-1.2.3.tgz', bytes, chartYaml }))).toEqual({
    apiVersion: 'v1',
    generated: '1970-01-01T00:00:00Z',
    entries: {
      example: [
        {
          ...{ apiVersion: 'v2', name: 'example', version: '1.2.3', appVersion: '1.2.3' },
          created: '1970-01-01T00:00:00Z',
          digest: createHash('sha256').update(bytes).digest('hex'),
          urls: ['example-1.2.3.tgz'],
        },
      ],
    },
  });
});
