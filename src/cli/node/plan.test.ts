import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { document, nodeStandIn } from './testing.ts';

const standIn = nodeStandIn();
const { node, file } = standIn;

describe('headstart node plan', () => {
  it('shows what would change and that it is allowed, and changes nothing', async () => {
    const before = standIn.folder.snapshot();
    const { code, stdout } = await node('plan', file(document(1)));
    expect(code).toBe(0);
    expect(stdout).toContain('+ /etc/test');
    expect(stdout).toMatch(/may be applied: /);
    expect(standIn.folder.snapshot()).toEqual(before);
  });

  it('exits 3 if the document is blocked, and prints the whole plan as JSON', async () => {
    mkdirSync(join(standIn.folder.root, 'etc/test'));
    const { code, stdout } = await node('plan', file(document(1)), '--json');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'NodePlan',
      generation: 1,
      verdict: { decision: 'blocked', code: 'plan/obstructed' },
    });
  });

  it('has every field of its JSON documented', async () => {
    const {
      kind,
      apiVersion: _,
      ...body
    } = JSON.parse((await node('plan', file(document(1)), '--json')).stdout) as Record<string, unknown>;
    const docs = readFileSync(new URL('../../../docs/json.md', import.meta.url), 'utf8');
    const section = docs.split(/^## /m).find((text) => text.startsWith(`${kind}\n`));
    for (const field of Object.keys(body)) expect(section).toContain(`\`${field}\``);
  });

  it('exits 2 for a document that the node would not accept, with every problem', async () => {
    const { code, stdout, stderr } = await node(
      'plan',
      file(document(1, { kubernetes: { version: '1.99.0' }, kubelet: { maxPods: 0 } })),
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('expected 1.34.2, the version on this image, got 1.99.0');
    expect(stderr).toContain('spec.kubelet.maxPods: 0 is below 1');
  });

  it('exits 1 if the platform has no document', async () => {
    expect(await node('plan')).toMatchObject({ code: 1, stderr: expect.stringContaining('metadata/no-user-data') });
  });
});
