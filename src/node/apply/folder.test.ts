import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { CANARY } from '../document/configs.testing.ts';
import { STORE } from './folder.ts';
import { assignmentOf } from './node-folder.testing.ts';
import { aNode, B, inService, kindAndCode, ORDERED, UNORDERED, withPods } from './store.testing.ts';
import { openNodeStore } from './store.ts';

describe('the saved state', () => {
  it('is readable by root only, and its secrets are not in the outcome', async () => {
    const node = aNode();
    const store = openNodeStore(node.deps());
    const secret = new Secret(CANARY);
    const content = { content: secret, encoding: 'utf8', mode: 0o600, owner: 'root', group: 'root' } as const;
    const to = assignmentOf(
      withPods(110, 1, { files: { '/etc/app.conf': content }, join: { method: 'token', token: secret } }),
    );
    const outcome = await store.apply(to, UNORDERED);
    for (const told of [JSON.stringify(outcome), inspect(outcome, { depth: 20 })]) expect(told).not.toContain(CANARY);
    for (const [path, mode] of modes(join(node.root, 'var/lib/headstart'))) {
      expect([path, mode.toString(8)]).toEqual([path, lstatSync(path).isDirectory() ? '700' : '600']);
    }
    expect(openNodeStore(node.deps()).active()?.config.join).toEqual({ method: 'token', token: secret });
    expect(node.text('/etc/app.conf')).toBe(CANARY);
  });

  it('blocks every change while it cannot be read', async () => {
    const { node, store } = await inService();
    for (const text of [
      '',
      '"$secret"\n{}\n',
      '"$secret"\n{"version":2}\n',
      readFileSync(join(node.root, STORE, 'state'), 'utf8').slice(0, -9),
    ]) {
      writeFileSync(join(node.root, STORE, 'state'), text);
      const before = node.snapshot();
      expect(kindAndCode(await store.apply(B, ORDERED))).toEqual(['failed', 'apply/memory-unreadable']);
      expect(kindAndCode(await store.recover())).toEqual(['failed', 'apply/memory-unreadable']);
      expect(() => store.slots()).toThrow('cannot read the saved state');
      expect(node.snapshot()).toEqual(before);
    }
  });

  it('keeps the last ten generations and those in use', async () => {
    const { store } = await inService();
    for (let i = 2; i < 20; i++) await store.apply(assignmentOf(withPods(110 + i, i)), UNORDERED);
    const numbers = store.listGenerations().map(({ number }) => number);
    expect(numbers).toEqual([19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 1]);
  });
});

function modes(path: string): [string, number][] {
  const stat = lstatSync(path);
  const inner = stat.isDirectory() ? readdirSync(path).flatMap((name) => modes(join(path, name))) : [];
  return [[path, stat.mode & 0o777], ...inner];
}
