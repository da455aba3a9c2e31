import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listLocalNodes } from './list-nodes.ts';

it('a cluster that does not exist is an error, not a cluster without Nodes', async () => {
  const home = mkdtempSync(join(tmpdir(), 'headstart-nodes-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  await expect(listLocalNodes({ home, name: 'lab' })).rejects.toMatchObject({ code: 'cluster/none' });
});
