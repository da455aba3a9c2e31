import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../schema/json.ts';
import { document, nodeStandIn } from './testing.ts';

const standIn = nodeStandIn();
const { node, file, daemonThat } = standIn;

describe('headstart node apply', () => {
  const ok = ({ do: what }: JsonObject) =>
    what === 'status'
      ? { status: {} }
      : { result: { kind: 'applied', code: 'verify/running', reason: 'done', changes: 3 } };

  it('needs either the daemon or --once, and refuses both', async () => {
    expect(await node('apply', file(document(1)))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('node/no-daemon'),
    });
    await daemonThat(ok);
    expect(await node('apply', file(document(1)), '--once')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('node/daemon-runs'),
    });
  });

  it('sends the daemon exactly the document that was planned', async () => {
    const heard = await daemonThat(ok);
    const { code, stdout, stderr } = await node('apply', file(document(1)));
    expect([code, stdout]).toEqual([0, 'applied: done (verify/running)\n']);
    expect(stderr).toContain(`next:  headstart node wait --root ${standIn.folder.root} --for applied`);
    const sent = Buffer.from(String(heard.at(-1)!.document), 'base64').toString();
    expect(JSON.parse(sent)).toEqual(document(1));
  });

  it('prints the plan with --dry-run, without asking', async () => {
    const heard = await daemonThat(ok);
    expect(await node('apply', file(document(1)), '--dry-run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('+ /etc/test'),
    });
    expect(heard).toEqual([]);
  });

  it('refuses a change that must not be made on a node', async () => {
    const heard = await daemonThat(ok);
    mkdirSync(join(standIn.folder.root, 'etc/test'));
    expect(await node('apply', file(document(1)), '--yes')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('plan/obstructed'),
    });
    expect(heard).toEqual([]);
  });

  it('keeps a document that is on trial', async () => {
    const heard = await daemonThat(ok);
    expect((await node('apply', '--keep')).code).toBe(0);
    expect(heard.at(-1)).toEqual({ do: 'keep' });
    expect((await node('apply', file(document(1)), '--keep')).code).toBe(2);
  });
});
