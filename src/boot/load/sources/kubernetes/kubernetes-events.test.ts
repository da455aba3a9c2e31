import { describe, expect, it } from 'vitest';
import { memoryInput } from '../../input.ts';
import { loadInputs, recognise } from '../../load.ts';
import { sourceSuite } from '../source.suite.ts';
import { kubernetesEventsSource } from './kubernetes-events.ts';

/** As `kubectl get events -o json` prints them. */
function event(reason: string, at: string, more: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    involvedObject: { kind: 'Node', name: 'pool-1', uid: 'pool-1' },
    reason,
    message: reason === 'Starting' ? 'Starting kubelet.' : `Node pool-1 event: ${reason}`,
    source: { component: 'kubelet', host: 'pool-1' },
    firstTimestamp: at,
    lastTimestamp: at,
    eventTime: null,
    metadata: { name: `pool-1.${reason}`, namespace: 'default', creationTimestamp: at },
    count: 1,
    ...more,
  };
}

const list = (...items: object[]) => JSON.stringify({ apiVersion: 'v1', items, kind: 'List', metadata: {} }, null, 4);
const sample = list(
  event('Starting', '2026-11-15T21:08:50Z'),
  event('RegisteredNode', '2026-11-15T21:08:55Z'),
  event('NodeReady', '2026-11-15T21:09:10Z'),
);
const parse = (text: string) => kubernetesEventsSource.parse(memoryInput('events.json', text));

sourceSuite(kubernetesEventsSource, sample, 'events of a node');

describe('Kubernetes events', () => {
  it('say when kubelet started and when the node became Ready, to the second', async () => {
    expect(recognise(memoryInput('x', sample))?.kind).toBe('kubernetes-events');
    expect(await parse(sample)).toMatchObject([
      {
        clock: 'wall',
        host: { nodeName: 'pool-1' },
        milestones: [
          { name: 'kubelet-started', atUs: Date.parse('2026-11-15T21:08:50Z') * 1000, errorUs: 1e6 },
          { name: 'node-ready', atUs: Date.parse('2026-11-15T21:09:10Z') * 1000, errorUs: 1e6 },
        ],
      },
    ]);
  });

  it('are read as YAML, also a single one', async () => {
    const yaml =
      'apiVersion: v1\nkind: Event\nfirstTimestamp: "2026-11-15T21:09:10Z"\ninvolvedObject:\n  kind: Node\n  name: a\nreason: NodeReady\n';
    expect(await parse(yaml)).toMatchObject([{ host: { nodeName: 'a' }, milestones: [{ name: 'node-ready' }] }]);
  });

  it('use the last start that became Ready, and its boot id', async () => {
    const found = await parse(
      list(
        event('Starting', '2026-11-15T20:00:00Z'),
        event('NodeReady', '2026-11-15T20:00:30Z'),
        event('Starting', '2026-11-15T21:08:50Z'),
        event('Rebooted', '2026-11-15T21:08:51Z', {
          message: 'Node pool-1 has been rebooted, boot id: 5a0e1b7c-1111-2222-3333-444455556666',
        }),
        event('NodeReady', '2026-11-15T21:09:10Z'),
      ),
    );
    expect(found).toMatchObject([
      {
        bootId: '5a0e1b7c111122223333444455556666',
        milestones: [{ atUs: Date.parse('2026-11-15T21:08:50Z') * 1000 }, { name: 'node-ready' }],
        notes: [{ level: 'info', text: expect.stringContaining('kubelet started 2 times') }],
      },
    ]);
  });

  it('keep nodes apart, and warn about one that did not become Ready', async () => {
    const other = { involvedObject: { kind: 'Node', name: 'pool-2' } };
    const found = await parse(
      list(event('NodeReady', '2026-11-15T21:09:10Z'), event('Starting', '2026-11-15T21:10:00Z', other)),
    );
    expect(found.map(({ host }) => host?.nodeName)).toEqual(['pool-1', 'pool-2']);
    expect(found[1]!.notes).toMatchObject([{ level: 'warning', text: expect.stringContaining('became Ready') }]);
  });

  it('about pods only are an error that names the reason', async () => {
    const pod = event('Scheduled', '2026-11-15T21:09:10Z', { involvedObject: { kind: 'Pod', name: 'web-1' } });
    const reading = loadInputs(['-'], { readStdin: () => Buffer.from(list(pod)), nowUs: 0 });
    await expect(reading).rejects.toMatchObject({
      message: expect.stringContaining('events of Kubernetes, and none that says when a node started'),
      next: expect.stringContaining('kubectl get events'),
    });
  });
});
