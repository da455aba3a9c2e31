import { describe, expect, it } from 'vitest';
import { memoryInput } from './input.ts';
import { loadInputs } from './load.ts';
import { unrecognised } from './unrecognised.ts';

const commandWith = (from: string, to: string) => `headstart boot chain -i ${to} # not ${from}`;

const errorFor = (name: string, content: string | Uint8Array) => unrecognised(memoryInput(name, content), commandWith);

const bytes = (latin1: string) => Buffer.from(latin1, 'latin1');

describe('an input in an unsupported packed format', () => {
  it.each([
    ['xz', 'a.tar.xz', '\xfd7zXZ\x00\x00', 'xz -dc a.tar.xz | headstart boot chain -i - # not a.tar.xz'],
    ['bzip2', 'a.bz2', 'BZh91AY', 'bzip2 -dc a.bz2 | headstart boot chain -i - # not a.bz2'],
    ['lz4', 'a.lz4', '\x04\x22\x4d\x18', 'lz4 -dc a.lz4 | headstart boot chain -i - # not a.lz4'],
    [
      'zip',
      'a b.zip',
      'PK\x03\x04',
      "unzip -q -d unpacked 'a b.zip' && headstart boot chain -i unpacked # not a b.zip",
    ],
    ['xz', 'standard input', '\xfd7zXZ\x00\x00', 'xz -dc FILE | headstart boot chain -i - # not -'],
    ['binary journal', 'j', 'LPKSHHRH', 'journalctl -o json --file j | headstart boot chain -i - # not j'],
  ])('%s (%s) gets a next command that unpacks it', (kind, name, start, next) => {
    const error = errorFor(name, bytes(start.padEnd(600, '\x80')));
    expect(error.message).toContain(`cannot read a boot from ${name}: found`);
    expect(error.message).toContain(kind);
    expect(error).toMatchObject({ next, code: 'boot/input-unrecognised' });
  });

  it('is not parsed as text, even if the compression left words readable', async () => {
    const listing = `[    0.000000] Linux version 6.1.0\n[    0.100000] systemd[1]: Started x.\n`;
    const packed = Buffer.concat([bytes('\x04\x22\x4d\x18'), Buffer.from(listing.repeat(20))]);
    const reading = loadInputs(['-'], { readStdin: () => packed, nowUs: 0 });
    await expect(reading).rejects.toThrow(/compressed with lz4/);
  });
});

describe('a Kubernetes input without a Node', () => {
  const ASK = /`kubectl get node NAME -o json > node\.json`/;

  it.each([
    [
      'a list of events',
      '{"apiVersion":"v1","items":[{"kind":"Event"},{"kind":"Event"}],"kind":"List"}',
      'events of Kubernetes, and none that says',
    ],
    ['a list without kinds', '{"apiVersion":"v1","items":[{}],"kind":"PodList"}', 'kind Pod,'],
    ['an empty list', '{"apiVersion":"v1","items":[],"kind":"List"}', 'kind List without items,'],
    ['YAML', 'apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata:\n  name: x\n', 'kind NodeClaim,'],
    ['a table', 'NAME   STATUS   ROLES\nn1     Ready    <none>\n', 'a table of `kubectl get`'],
  ])('names %s and the command that prints a Node', (_, content, found) => {
    const error = errorFor('in', content);
    expect(error.message).toContain(found);
    expect(error.next).toMatch(ASK);
  });

  it('does not mistake events about a Node for a damaged Node', async () => {
    const event = { apiVersion: 'v1', kind: 'Event', involvedObject: { kind: 'Node', name: 'n' } };
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [event] });
    const reading = loadInputs(['-'], { readStdin: () => Buffer.from(text), nowUs: 0 });
    await expect(reading).rejects.toMatchObject({
      message: expect.stringMatching(/^cannot read a boot from standard input: found events of Kubernetes, and none/),
      next: expect.stringMatching(ASK),
    });
  });
});

it('loadInputs reads an input once even if it is given twice', async () => {
  const stdin = () =>
    Buffer.from('[    0.100000] systemd[1]: Started x.service.\n[    0.200000] Run /init as init process\n');
  const read = (paths: string[]) => loadInputs(paths, { readStdin: stdin, nowUs: 0 });
  expect(await read(['-', '-'])).toEqual(await read(['-']));
});

describe('any other input', () => {
  it.each([
    ['package.json', '{"name":"x","version":"1"}', 'JSON with the fields name, version', /plot --json|journal JSON/],
    ['list.json', '[1,2,3]', 'a JSON list of 3', /JSON/],
    ['plot.svg', '<html>', 'text starting "<html>"', /nearest: `systemd-analyze plot`, `systemctl show.*, \S+/],
    ['kubelet.log', 'hello\n', 'text starting "hello"', /nearest: journal text/],
    ['my-blame.txt', 'hello\n', 'text starting "hello"', /nearest: `systemd-analyze blame`, `systemctl show.*, \S+/],
    ['notes', 'milk\n', 'text starting "milk"', /among them: /],
    ['void', '', 'an empty file', /among them: /],
    ['serial.txt', 'hello\n', 'text starting "hello"', /nearest: a serial console log, /],
    ['metrics', 'go_goroutines 5\n', 'text starting', /nearest: kubelet's \/metrics, /],
  ])('describes %s, with three kinds', (name, content, found, kinds) => {
    const error = errorFor(name, content);
    expect(error.message).toContain(found);
    expect(error.message).toMatch(kinds);
    expect(error.next).toContain('docs/inputs.md');
    expect(error.message.length).toBeLessThan(260);
  });

  it.each([
    ['[  OK  ] Started A.\n[  OK  ] Started B.\n', /its lines have no times: pass the journal/],
    ['# TYPE kubelet_node_name gauge\nkubelet_node_name 1\n', /pass the Node instead/],
  ])('%j is known and has no times: the next step names an input that has', async (text, next) => {
    const reading = loadInputs(['-'], { readStdin: () => Buffer.from(text), nowUs: 0 });
    await expect(reading).rejects.toMatchObject({ code: 'boot/input-empty', next: expect.stringMatching(next) });
  });

  it('never throws on arbitrary bytes', () => {
    for (let seed = 0; seed < 200; seed++) {
      const content = Buffer.from(Array.from({ length: seed }, (_, i) => (seed * 7919 + i * i * 104_729) % 256));
      expect(errorFor('x', content).message).toContain('x');
    }
  });
});
