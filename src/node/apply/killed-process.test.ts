import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { NodeConfig } from '../document/config.ts';
import { aConfig } from '../document/configs.testing.ts';
import { assignmentOf, NodeFolder } from './node-folder.testing.ts';
import { openNodeStore } from './store.ts';

const ORDERED = { isOrdered: true };
/** Kills at every n-th write; survives.test.ts covers all writes within one process. */
const STRIDE = process.env.HEADSTART_CAMPAIGN === 'full' ? 1 : 5;

/** Contains no secrets, because it is passed as an argument. */
const TO: Partial<NodeConfig> = {
  generation: 2,
  join: { method: 'existing' },
  kubelet: { ...aConfig().kubelet, maxPods: 130 },
  files: { '/opt/a/b': { content: 'x', encoding: 'utf8', mode: 0o644, owner: 'root', group: 'root' } },
};

function applyAndDie(node: NodeFolder, at: number): 'killed' | 'ended' {
  const script = join(import.meta.dirname, 'killed-apply.testing.ts');
  const ran = spawnSync(process.execPath, [script, node.folder, `${at}`, JSON.stringify(TO)], { encoding: 'utf8' });
  if (ran.signal === 'SIGKILL') return 'killed';
  expect(ran.stderr + ran.stdout).toMatch(/^applied after \d+\n$/);
  return 'ended';
}

it('recover restores the old or the new configuration after a process was killed during an apply', async () => {
  const start = new NodeFolder();
  await openNodeStore(start.deps()).apply(assignmentOf({ join: { method: 'existing' } }), ORDERED);
  start.join();
  await openNodeStore(start.deps()).apply(assignmentOf({ join: { method: 'existing' } }), ORDERED);
  const whole = start.copy();
  expect(applyAndDie(whole, 0)).toBe('ended');
  const expected = { old: start.snapshot(), new: whole.snapshot() };
  const ends = { old: 0, new: 0 };
  for (let at = 1; ; at += STRIDE) {
    const node = start.copy();
    const how = applyAndDie(node, at);
    if (how === 'killed') {
      const store = openNodeStore(node.deps());
      await store.recover();
      const end = store.slots().active?.hash === assignmentOf(TO).hash ? 'new' : 'old';
      expect(node.snapshot(), `killed at ${at}`).toEqual(expected[end]);
      ends[end]++;
    }
    node.remove();
    if (how === 'ended') break;
  }
  console.log(`killed processes: ${ends.old + ends.new} cases, ${ends.old} ended old, ${ends.new} new`);
  expect(ends.new).toBeGreaterThan(0);
  for (const node of [start, whole]) node.remove();
}, 300_000);
