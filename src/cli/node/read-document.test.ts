import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { testEdges } from '../testing.ts';
import { readBytes, readObject } from './read-document.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-read-document-'));
afterAll(() => rmSync(folder, { recursive: true }));

const { edges } = testEdges({ stdin: '{"kind": "NodeConfig"}' });
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe('the document that a person names', () => {
  it('is standard input for -', async () => {
    expect(Buffer.from(readBytes('-', edges)).toString()).toBe('{"kind": "NodeConfig"}');
    expect(await readObject('-', edges)).toEqual({ kind: 'NodeConfig' });
  });

  it('may be YAML or base64 of it', async () => {
    const yaml = 'kind: NodeConfig\nspec: {}\n';
    expect(await readObject(file('a.yaml', yaml), edges)).toEqual({ kind: 'NodeConfig', spec: {} });
    const wrapped = Buffer.from(yaml).toString('base64');
    expect(await readObject(file('a.b64', wrapped), edges)).toEqual({ kind: 'NodeConfig', spec: {} });
  });

  it('that does not exist says what to name instead', () => {
    const missing = () => readBytes(join(folder, 'none'), edges, 'name another');
    expect(missing).toThrow(expect.objectContaining({ code: 'node/no-document', next: 'name another' }));
  });

  it('is not a folder and not a link', () => {
    symlinkSync(file('real', '{}'), join(folder, 'link'));
    for (const path of [folder, join(folder, 'link')])
      expect(() => readBytes(path, edges)).toThrow(expect.objectContaining({ code: 'node/document-unreadable' }));
  });

  it.each([
    ['a list', '[1]'],
    ['a word', 'word'],
    ['half of a document', '{"kind":'],
  ])('that is %s is an error with the next step', async (_, text) => {
    const path = file('bad', text);
    await expect(readObject(path, edges)).rejects.toMatchObject({ next: `headstart node check ${path}` });
  });
});
