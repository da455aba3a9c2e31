import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { testDeps } from '../testing.ts';
import { readBytes, readObject } from './read-document.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-read-document-'));
afterAll(() => rmSync(folder, { recursive: true }));

const { deps } = testDeps({ stdin: '{"kind": "NodeConfig"}' });
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe('the document that a person names', () => {
  it('is standard input for -', async () => {
    expect(Buffer.from(readBytes('-', deps)).toString()).toBe('{"kind": "NodeConfig"}');
    expect(await readObject('-', deps)).toEqual({ kind: 'NodeConfig' });
  });

  it('may be YAML or base64 of it', async () => {
    const yaml = 'kind: NodeConfig\nspec: {}\n';
    expect(await readObject(file('a.yaml', yaml), deps)).toEqual({ kind: 'NodeConfig', spec: {} });
    const wrapped = Buffer.from(yaml).toString('base64');
    expect(await readObject(file('a.b64', wrapped), deps)).toEqual({ kind: 'NodeConfig', spec: {} });
  });

  it('that does not exist says what to name instead', () => {
    const missing = () => readBytes(join(folder, 'none'), deps, 'name another');
    expect(missing).toThrow(expect.objectContaining({ code: 'node/no-document', next: 'name another' }));
  });

  it('is not a folder and not a link', () => {
    symlinkSync(file('real', '{}'), join(folder, 'link'));
    for (const path of [folder, join(folder, 'link')])
      expect(() => readBytes(path, deps)).toThrow(expect.objectContaining({ code: 'node/document-unreadable' }));
  });

  it.each([
    ['a list', '[1]'],
    ['a word', 'word'],
    ['half of a document', '{"kind":'],
  ])('that is %s is an error with the next step', async (_, text) => {
    const path = file('bad', text);
    await expect(readObject(path, deps)).rejects.toMatchObject({ next: `headstart node check ${path}` });
  });
});
