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

describe('a document on the command line', () => {
  it('is read from standard input for -', async () => {
    expect(Buffer.from(readBytes('-', deps)).toString()).toBe('{"kind": "NodeConfig"}');
    expect(await readObject('-', deps)).toEqual({ kind: 'NodeConfig' });
  });

  it('may be YAML, or YAML in base64', async () => {
    const yaml = 'kind: NodeConfig\nspec: {}\n';
    expect(await readObject(file('a.yaml', yaml), deps)).toEqual({ kind: 'NodeConfig', spec: {} });
    const wrapped = Buffer.from(yaml).toString('base64');
    expect(await readObject(file('a.b64', wrapped), deps)).toEqual({ kind: 'NodeConfig', spec: {} });
  });

  it('causes an error with a hint if it does not exist', () => {
    const missing = () => readBytes(join(folder, 'none'), deps, 'name another');
    expect(missing).toThrow(expect.objectContaining({ code: 'node/no-document', next: 'name another' }));
  });

  it('must not be a folder or a link', () => {
    symlinkSync(file('real', '{}'), join(folder, 'link'));
    for (const path of [folder, join(folder, 'link')])
      expect(() => readBytes(path, deps)).toThrow(expect.objectContaining({ code: 'node/document-unreadable' }));
  });

  it.each([
    ['a list', '[1]'],
    ['a word', 'word'],
    ['half of a document', '{"kind":'],
  ])('causes an error with the next step if it is %s', async (_, text) => {
    const path = file('bad', text);
    await expect(readObject(path, deps)).rejects.toMatchObject({ next: `headstart node check ${path}` });
  });
});
