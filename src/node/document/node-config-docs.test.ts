// docs/node-config.md is correct: its examples are valid and its tables are generated from the code.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderProblem } from '../../schema/problem.ts';
import { parseImageRelease } from '../observe/release.ts';
import { parseDocument } from './document.ts';
import { aDocumentContext } from './documents.testing.ts';
import { DOCS, withTables } from './node-config-docs.testing.ts';

const text = readFileSync(DOCS, 'utf8');
const example = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(text)![1]!;

describe('docs/node-config.md', () => {
  it('shows a document that a node accepts', async () => {
    const parsed = await parseDocument(Buffer.from(example('yaml')), { ...aDocumentContext, isStrict: true });
    expect(parsed.outcome === 'refused' ? parsed.problems.map(renderProblem) : []).toEqual([]);
    expect(parsed).toMatchObject({
      outcome: 'accepted',
      config: { kubelet: { maxPods: 40, kubeReserved: { cpuMillis: 90, memoryBytes: (255 + 11 * 40) * 2 ** 20 } } },
      warnings: [],
    });
  });

  it('shows a valid release file', () => {
    expect(parseImageRelease(example('json'))).toMatchObject({
      kubernetesVersion: '1.34.2',
      cniBinDir: '/opt/cni/bin',
    });
  });

  it('lists every field and every reason code', () => {
    // To regenerate the tables: node src/node/document/node-config-docs.testing.ts
    expect(text).toBe(withTables(text));
  });
});
