import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Argv } from '../../base/command.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import { chooseSource, DOCUMENT_FILE, type SourceOptions } from './choose.ts';
import { withServer } from './testing.ts';

let root: string;
const ran: Argv[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hs-'));
  ran.length = 0;
});
afterEach(() => rmSync(root, { recursive: true }));

function choose(more: Partial<SourceOptions> = {}) {
  return chooseSource({
    root,
    clock: fakeClock(),
    newRequestId: () => 'x',
    run: async (argv) => {
      ran.push(argv);
      return { outcome: 'exited', code: 1, stdout: Buffer.alloc(0), stderr: '' };
    },
    ...more,
  });
}

const put = (path: string, text: string) => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};

describe('chooseSource', () => {
  it('uses the named source, else the detected platform, else a file', () => {
    expect(choose().name).toBe(join(root, DOCUMENT_FILE));
    put('sys/class/dmi/id/sys_vendor', 'Amazon EC2\n');
    expect(choose().name).toContain('EC2');
    expect(choose({ platform: 'azure' }).name).toContain('Azure userData');
    expect(choose({ platform: 'azure', file: '/a/b' }).name).toBe('/a/b');
  });

  it('reads a file that may appear later', async () => {
    const source = choose();
    expect((await source.fetch({ timeoutMs: 1 })).document).toBeUndefined();
    put(DOCUMENT_FILE, 'kind: NodeConfig');
    expect(Buffer.from((await source.fetch({ timeoutMs: 1 })).document!).toString()).toBe('kind: NodeConfig');
  });

  it('reads custom data if there is no user data, and mounts the disk only once', async () => {
    mkdirSync(join(root, 'sys/block/sr0'), { recursive: true });
    put('var/lib/waagent/CustomData', Buffer.from('kind: NodeConfig').toString('base64'));
    await withServer(
      (_, response) => response.end(JSON.stringify({ compute: { userData: '' } })),
      async (url) => {
        const source = choose({ platform: 'azure', url });
        for (let i = 0; i < 3; i++) expect((await source.fetch({ timeoutMs: 5000 })).document).toBeDefined();
      },
    );
    expect(ran.filter(([program]) => program === 'mount').length).toBeLessThanOrEqual(1);
  });
});
