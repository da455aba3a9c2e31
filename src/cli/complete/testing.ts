// cli/complete/testing.ts: a home folder with pools, galleries and a cluster, and the replies of `headstart __complete` about it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { run } from '../testing.ts';

export const BUNDLE = fileURLToPath(new URL('../../boot/fixtures/boots/first-boot.tar.gz', import.meta.url));

export interface CompletionHome {
  readonly folder: string;
  readonly home: string;
  put(path: string, content: object | string): void;
  /** The reply that fish gets. */
  lines(words: string[], env?: Record<string, string>): Promise<string[]>;
}

export function completionHome(): CompletionHome {
  let folder: string;
  let home: string;

  function put(path: string, content: object | string): void {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'headstart-complete-'));
    home = join(folder, 'home');
    put('pools/pool1/pool.json', { spec: { image: { id: 'galleries/headstart/debian-12' } } });
    put('pools/pool1/instances/pool1-000001/instance.json', { wanted: 'running' });
    put('pools/pool1/instances/pool1-000002/instance.json', '{ cut off');
    put('pools/gpu/instances/gpu-000001/instance.json', { wanted: 'stopped' });
    put('pools/.deleting-old/pool.json', {});
    put('galleries/headstart/debian-12/2026.1116.0/version.json', {});
    put('galleries/SIG_local/kamino-pool1-prototype/2026.9.30/version.json', {});
    put('galleries/SIG_local/kamino-pool1-prototype/2026.10.2/version.json', {
      tags: { 'headstart-donor': 'pool1-000001' },
    });
    put('galleries/SIG_local/kamino-pool1-prototype/definition.json', {});
    put('clusters/lab/cluster.json', {});
    put('kubeconfig', 'contexts: [{name: "arn:aws:eks:x", context: {cluster: prod}}, {name: \'a\\b\'}]\n');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  return {
    get folder() {
      return folder;
    },
    get home() {
      return home;
    },
    put,
    async lines(words, env = {}) {
      const { code, stdout, stderr } = await run(['__complete', 'fish', '--', ...words], {
        env: { HEADSTART_HOME: home, ...env },
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout.trimEnd().split('\n');
    },
  };
}
