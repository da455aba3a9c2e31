import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileSource } from './file.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headstart-node-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, content: string) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

describe('fileSource', () => {
  it('reads a plain file, returns undefined if it is missing, and refuses links and folders', async () => {
    put('node.yaml', 'kind: NodeConfig');
    const read = async (path: string) => (await fileSource(join(root, path)).fetch({ timeoutMs: 1 })).document;
    expect(Buffer.from((await read('node.yaml'))!).toString()).toBe('kind: NodeConfig');
    expect(await read('none.yaml')).toBeUndefined();
    symlinkSync(join(root, 'node.yaml'), join(root, 'link.yaml'));
    await expect(read('link.yaml')).rejects.toMatchObject({ name: 'MetadataFailure', isFinal: true });
    await expect(read('.')).rejects.toMatchObject({ name: 'MetadataFailure', isFinal: true });
  });
});
