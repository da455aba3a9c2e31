// Documents of every released version keep their meaning for ever.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../schema/json.ts';
import { renderProblem } from '../../schema/problem.ts';
import { parseDocument } from './document.ts';
import { aDocumentContext } from './documents.testing.ts';
import { parseText } from './parse-text.ts';
import { convert, NODE_CONFIG_VERSIONS } from './schema/convert.ts';

const folder = new URL('../fixtures/documents/', import.meta.url);

/** The documentHash of each. Add a line with a new document; never change a line. */
const CORPUS: Readonly<Record<string, string>> = {
  'v1-full.yaml': 'b6b30bf68401bf9e1ddc367b0272400cdc85384cfcdb95b39cdebdc11c500bb9',
  'v1-minimal.yaml': '25a7862ffc9bde2647f3d7f7e4434e9001b876a74dde5ed98d35fc6523afc422',
  'v1alpha1-full.yaml': 'b6b30bf68401bf9e1ddc367b0272400cdc85384cfcdb95b39cdebdc11c500bb9',
};

describe('the corpus', () => {
  it('has a hash for every document', () => {
    const documents = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
    expect(documents.sort()).toEqual(Object.keys(CORPUS));
  });

  it.each(Object.entries(CORPUS))('still reads %s with the same meaning', async (name, documentHash) => {
    const bytes = readFileSync(new URL(name, folder));
    const parsed = await parseDocument(bytes, { ...aDocumentContext, isStrict: true });
    expect(parsed.outcome === 'refused' ? parsed.problems.map(renderProblem) : []).toEqual([]);
    expect(parsed).toMatchObject({ outcome: 'accepted', documentHash });
  });

  it.each(Object.keys(CORPUS))('converts %s to the other version and back without loss', async (name) => {
    const parsed = await parseText(readFileSync(new URL(name, folder), 'utf8'));
    const document = 'value' in parsed ? (parsed.value as JsonObject) : expect.unreachable();
    const other = NODE_CONFIG_VERSIONS.find((version) => version !== document.apiVersion)!;
    const back = convert(convert(document, other), document.apiVersion as typeof other);
    expect(back).toEqual(document);
  });
});
