import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { memoryInput } from '../../input.ts';
import { sourceSuite } from '../source.suite.ts';
import { provisionJsonSource } from './provision-json.ts';

const text = readFileSync(new URL('../../../fixtures/azure/provision.json', import.meta.url), 'utf8');
const parse = (content: string) => provisionJsonSource.parse(memoryInput('p.json', content));
const at = (stamp: string) => Date.parse(stamp) * 1000;

test('reads boot times to the second, in both date formats', () => {
  expect(provisionJsonSource.recognise(memoryInput('p', text))).toBeGreaterThan(0.9);
  const [boot] = parse(text);
  expect(boot?.milestones.map(({ name, atUs }) => [name, atUs])).toEqual([
    ['kernel-start', at('2026-11-15T21:07:58Z')],
    ['cloud-init-activated', at('2026-11-15T21:08:22Z')],
    ['guest-agent-started', at('2026-11-15T21:09:20Z')],
    ['extension-started', at('2026-11-15T21:09:44Z')],
    ['kubelet-started', at('2026-11-15T21:09:53Z')],
  ]);
  expect(boot?.anchors).toEqual([{ monotonicUs: 0, wallUs: at('2026-11-15T21:07:58Z'), errorUs: 1e6 }]);
  expect(boot?.spans).toMatchObject([
    { id: 'extension:cse', startUs: at('2026-11-15T21:09:44Z'), endUs: at('2026-11-15T21:10:02Z'), result: 'ok' },
  ]);
});

test('reads the boot phases from the summary', () => {
  expect(parse(text)[0]?.manager).toMatchObject({
    firmwareUs: 3_579_000,
    loaderUs: 2_345_000,
    userspaceUs: 10_494_000,
    finishUs: 104_768_000,
  });
});

test('edge case 43: ignores an unset property, which appears as midnight or not as a date, with a note', () => {
  const notes = parse(text)[0]!.notes.map((note) => note.text);
  expect(notes).toEqual([
    expect.stringContaining('CloudInitStartTime is exactly midnight'),
    'p.json: NetworkdStartTime is not a date; ignored',
  ]);
});

test("edge case 46: the script's exit code is the result", () => {
  const [boot] = parse(text.replace('"ExitCode": "0"', '"ExitCode": "50"'));
  expect(boot?.spans[0]).toMatchObject({ result: 'fail', detail: 'exit code 50' });
  expect(boot?.notes.at(-1)?.text).toContain('ended with exit code 50');
});

test('copies no script output', () => {
  expect(JSON.stringify(parse(text))).not.toContain('abcdef');
});

test('reads the complete members of a truncated file, and warns', () => {
  const [boot] = parse(text.slice(0, text.indexOf('"GuestAgentStartTime"') + 10));
  expect(boot?.milestones.map((milestone) => milestone.name)).toEqual([
    'kernel-start',
    'cloud-init-activated',
    'extension-started',
  ]);
  expect(boot?.notes.at(-1)?.text).toContain('only the readable part is used');
});

test('reads systemctl stamps, which older set-up scripts copy unchanged', () => {
  const [boot] = parse('{"ExitCode":"0","ExecDuration":"9","KernelStartTime":"Tue 2026-11-10 08:00:04 UTC"}');
  expect(boot?.milestones).toMatchObject([{ name: 'kernel-start', atUs: at('2026-11-10T08:00:04Z') }]);
  expect(boot?.notes).toEqual([]);
});

sourceSuite(provisionJsonSource, text);
