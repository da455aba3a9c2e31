import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readProtectedSettings } from './protected-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string): unknown {
  const file = join(folder, 'settings.json');
  writeFileSync(file, text);
  return readProtectedSettings(file);
}

describe('readProtectedSettings', () => {
  it('reads settings by the name of the extension', () => {
    expect(read('{"vmssCSE": {"commandToExecute": "join"}}')).toEqual({ vmssCSE: { commandToExecute: 'join' } });
  });

  it.each(['{"canary-31d2"', '[]', 'null', '{"vmssCSE": "canary-31d2"}', '{"vmssCSE": null}'])(
    'refuses %s and does not repeat the text',
    (text) => {
      expect(() => read(text)).toThrow(/settings\.json: /);
      expect(() => read(text)).not.toThrow(/canary/);
    },
  );

  it('names a file that does not exist', () => {
    expect(() => readProtectedSettings(join(folder, 'absent'))).toThrow('cannot be read (ENOENT)');
  });
});
