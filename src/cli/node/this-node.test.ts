import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { openNode } from '../../node/daemon/open-node.ts';
import { bytesOf } from '../../node/document/documents.testing.ts';
import { type FetchedMetadata, MetadataFailure } from '../../node/metadata/source.ts';
import { testDeps } from '../testing.ts';
import { document, nodeStandIn } from './testing.ts';
import { openThisNode, resolveDocument, sourceOptions } from './this-node.ts';

const standIn = nodeStandIn();

async function failure(act: () => unknown): Promise<UserError> {
  let error: unknown;
  try {
    await act();
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(UserError);
  return error as UserError;
}

/** The node of this test, with a platform that returns this. */
function openedWith(fetch: () => Promise<FetchedMetadata>) {
  const { root } = standIn.folder;
  return { ...openNode({ root }), source: { name: 'the platform', isFixed: false, fetch } };
}
const unreachablePlatform = () => openedWith(() => Promise.reject(new Error('the platform was called')));
const instance = { platform: 'azure', vmId: 'vm-1', addresses: [], tags: {} } as const;
const { deps } = testDeps({});

describe('sourceOptions', () => {
  it('accepts the known platforms and plain metadata URLs', () => {
    for (const metadataUrl of ['http://169.254.169.254', 'http://127.0.0.1:8080/', 'http://[::1]:80'])
      expect(sourceOptions({ root: '/', platform: 'ec2', metadataUrl })).toMatchObject({
        platform: 'ec2',
        url: metadataUrl,
      });
    expect(sourceOptions({ root: '/x' })).toEqual({ root: '/x' });
  });

  it('names the known platforms for an unknown one', async () => {
    for (const platform of ['gcp', 'Azure', ''])
      expect(await failure(() => sourceOptions({ root: '/', platform }))).toMatchObject({
        code: 'node/bad-option',
        message: `--platform: expected one of azure, ec2, got '${platform}'`,
      });
  });

  it('refuses a URL that is not http:// and a host', async () => {
    const paths = ['http://host/path', 'http://host?x', 'http://user@host'];
    for (const metadataUrl of ['https://host', 'host', 'http://', 'http://a b', '', ...paths])
      expect((await failure(() => sourceOptions({ root: '/', metadataUrl }))).code, metadataUrl).toBe(
        'node/bad-option',
      );
  });
});

describe('openThisNode', () => {
  it('needs root, except for a folder given with --root', async () => {
    const euid = vi.spyOn(process, 'geteuid').mockReturnValue(1000);
    try {
      expect(await failure(() => openThisNode({ root: '/' }))).toMatchObject({ code: 'node/not-root', exitCode: 2 });
      expect((await openThisNode({ root: standIn.folder.root })).root).toBe(standIn.folder.root);
    } finally {
      euid.mockRestore();
    }
  });
});

describe('resolveDocument', () => {
  it('reads the named file without calling the platform', async () => {
    const file = standIn.file(document(3));
    const { assignment } = await resolveDocument(unreachablePlatform(), file, deps);
    expect(assignment).toMatchObject({ origin: `file ${file}`, config: { generation: 3 } });
    expect(assignment.facts.instance.platform).toBe('file');
  });

  it('reads the user data of the platform without a file, with the facts of the instance', async () => {
    const opened = openedWith(async () => ({ document: bytesOf(document(4)), instance }));
    const { assignment } = await resolveDocument(opened, undefined, deps);
    expect(assignment).toMatchObject({ origin: 'the platform', config: { generation: 4 }, facts: { instance } });
  });

  it('accepts a document older than the active one, which the daemon would not', async () => {
    await standIn.applied(7);
    const { assignment } = await resolveDocument(unreachablePlatform(), standIn.file(document(2)), deps);
    expect(assignment.config.generation).toBe(2);
  });

  it('accepts a file larger than the limit of user data', async () => {
    const file = join(standIn.folder.folder, 'large.yaml');
    writeFileSync(file, `# ${'x'.repeat(300_000)}\n${JSON.stringify(document(5))}\n`);
    expect((await resolveDocument(unreachablePlatform(), file, deps)).assignment.config.generation).toBe(5);
    const { code } = await failure(() =>
      resolveDocument(
        openedWith(async () => ({ document: Buffer.from(`# ${'x'.repeat(300_000)}\n`), instance })),
        undefined,
        deps,
      ),
    );
    expect(code).toBe('config/too-large');
  });

  it('reports every problem of an invalid document, with the next step', async () => {
    const file = standIn.file(document(1, { kubernetes: { version: '1.99.0' }, kubelet: { maxPods: 0 } }));
    const error = await failure(() => resolveDocument(unreachablePlatform(), file, deps));
    expect(error.message.split('\n')).toEqual([
      'this node does not accept the document:',
      expect.stringMatching(/^ {7}spec\./),
      expect.stringMatching(/^ {7}spec\./),
    ]);
    expect(error).toMatchObject({ kept: 'Nothing was changed.', next: expect.any(String), exitCode: 2 });
  });

  it('reports that the platform has no document', async () => {
    const opened = openedWith(async () => ({ document: undefined, instance }));
    expect(await failure(() => resolveDocument(opened, undefined, deps))).toMatchObject({
      message: 'the platform has no document for this node',
      code: 'metadata/no-user-data',
      exitCode: 1,
    });
  });

  it('reports the reason of a platform failure; other errors pass', async () => {
    const failing = (error: Error) =>
      resolveDocument(
        openedWith(() => Promise.reject(error)),
        undefined,
        deps,
      );
    const noAnswer = new MetadataFailure('metadata/unreachable', 'nothing answers');
    expect(await failure(() => failing(noAnswer))).toMatchObject({
      message: 'cannot read a document from the platform: nothing answers',
      code: 'metadata/unreachable',
      exitCode: 1,
    });
    const bug = new TypeError('x is not a function');
    await expect(failing(bug)).rejects.toBe(bug);
  });
});
