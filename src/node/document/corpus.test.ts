// Documents of every released version are read for ever as they were when they were added.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../schema/json.ts';
import { renderProblem } from '../../schema/problem.ts';
import { parseDocument } from './document.ts';
import { aDocumentContext } from './documents.testing.ts';
import { parseText } from './parse-text.ts';
import { convert, NODE_CONFIG_VERSIONS } from './schema/convert.ts';

const folder = new URL('../fixtures/documents/', import.meta.url);

/** What each says, as sha256. A line is added with a document and never changed. */
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

  it.each(Object.entries(CORPUS))('%s is read as it always was', async (name, documentHash) => {
    const bytes = readFileSync(new URL(name, folder));
    const parsed = await parseDocument(bytes, { ...aDocumentContext, isStrict: true });
    expect(parsed.outcome === 'refused' ? parsed.problems.map(renderProblem) : []).toEqual([]);
    expect(parsed).toMatchObject({ outcome: 'accepted', documentHash });
  });

  it.each(Object.keys(CORPUS))('%s goes to the other version and back', async (name) => {
    const parsed = await parseText(readFileSync(new URL(name, folder), 'utf8'));
    const document = 'value' in parsed ? (parsed.value as JsonObject) : expect.unreachable();
    const other = NODE_CONFIG_VERSIONS.find((version) => version !== document.apiVersion)!;
    const back = convert(convert(document, other), document.apiVersion as typeof other);
    expect(back).toEqual(document);
  });
});
