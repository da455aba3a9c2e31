import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mirrorsFile, readMirrors } from './read-mirrors.ts';

describe('the mirrors file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mirrors-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const read = (text: string) => {
    const file = join(folder, 'mirrors.yaml');
    writeFileSync(file, text);
    return readMirrors(file, { mustExist: true });
  };

  it("maps origins to URLs and folders, relative to the file's folder", async () => {
    const found = await read('mirrors:\n  upstream:kubernetes: https://dl.k8s.io/\n  local:headstart: ../out\n');
    expect([...found]).toEqual([
      ['upstream:kubernetes', 'https://dl.k8s.io/'],
      ['local:headstart', join(folder, '..', 'out')],
    ]);
  });

  it('may be missing unless the user named it', async () => {
    expect(await readMirrors(join(folder, 'none'), { mustExist: false })).toEqual(new Map());
    await expect(readMirrors(join(folder, 'none'), { mustExist: true })).rejects.toMatchObject({
      code: 'image/bad-mirrors',
    });
  });

  it('reports all problems at once, without quoting URLs', async () => {
    const reading = read(
      'miror: x\nmirrors:\n  Wrong Origin: /a\n  upstream:a: ftp://me:secret@host/\n  upstream:b: 7\n',
    );
    await expect(reading).rejects.toMatchObject({ code: 'image/bad-mirrors' });
    const { message } = (await reading.catch((error: unknown) => error)) as Error;
    for (const part of ['miror', 'Wrong Origin', 'upstream:a', 'upstream:b']) expect(message).toContain(part);
    expect(message).not.toContain('secret');
  });

  it.each(['', 'mirrors:\n', '# nothing\n'])('may be empty: %j', async (text) => {
    expect(await read(text)).toEqual(new Map());
  });

  it.each(['{', '- a', 'mirrors: [1]', 'text'])('refuses %j', async (text) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'image/bad-mirrors' });
  });

  it('is found by option, environment variable or the XDG base directories', () => {
    expect(mirrorsFile('/a', { HEADSTART_MIRRORS: '/b' })).toBe('/a');
    expect(mirrorsFile(undefined, { HEADSTART_MIRRORS: '/b' })).toBe('/b');
    expect(mirrorsFile(undefined, { XDG_CONFIG_HOME: '/c', HOME: '/h' })).toBe('/c/headstart/mirrors.yaml');
    expect(mirrorsFile(undefined, { HOME: '/h' })).toBe('/h/.config/headstart/mirrors.yaml');
    // Never in the current folder.
    for (const HOME of [undefined, '', 'relative'])
      expect(mirrorsFile(undefined, { HOME })).toBe('/.config/headstart/mirrors.yaml');
  });
});
