import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { memoryInput } from '../../input.ts';
import { sourceSuite } from '../source.suite.ts';
import { kubernetesNodeSource } from './kubernetes-node.ts';

const json = readFileSync(new URL('../../../fixtures/kubernetes/node.json', import.meta.url), 'utf8');
const yaml = readFileSync(new URL('../../../fixtures/kubernetes/nodes.yaml', import.meta.url), 'utf8');
const parse = (content: string) => kubernetesNodeSource.parse(memoryInput('n', content));
const at = (stamp: string) => Date.parse(stamp) * 1000;

test('gives registration and Ready to the second', async () => {
  expect(kubernetesNodeSource.recognise(memoryInput('n', json))).toBeGreaterThan(0.9);
  expect(await parse(json)).toMatchObject([
    {
      clock: 'wall',
      bootId: '46bc72e7a99d4d429784493dd92e074f',
      host: {
        nodeName: 'pool1-000003',
        hostname: 'node-a',
        machineId: 'fed15dab0f30423c9caa9edc59747dfb',
        vmId: '0b6d2c1e-1111-4000-8000-000000000001',
        os: 'Debian GNU/Linux 12 (bookworm)',
        kernel: '6.1.0-54-cloud-amd64',
        kubeletVersion: 'v1.31.2',
        cloud: 'azure',
      },
      milestones: [
        { name: 'node-registered', atUs: at('2026-11-15T21:09:58Z'), errorUs: 1e6, source: 'cluster' },
        { name: 'node-ready', atUs: at('2026-11-15T21:10:12Z'), errorUs: 1e6, source: 'cluster' },
      ],
      spans: [{ id: 'cluster:become-ready', startUs: at('2026-11-15T21:09:58Z'), endUs: at('2026-11-15T21:10:12Z') }],
      notes: [],
    },
  ]);
});

test('gives the same for YAML as for JSON', async () => {
  expect(await parse(stringify(JSON.parse(json)))).toEqual(await parse(json));
});

test('gives one evidence per Node of a list, with or without the kind on its items', async () => {
  const node = JSON.parse(json);
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [node, node] });
  expect(kubernetesNodeSource.recognise(memoryInput('n', list))).toBeGreaterThan(0.9);
  expect(await parse(list)).toHaveLength(2);
  const { kind: _, ...bare } = node;
  expect(await parse(JSON.stringify({ apiVersion: 'v1', kind: 'NodeList', items: [bare] }))).toHaveLength(1);
  expect(await parse(JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items: [bare] }))).toEqual([]);
});

test('ignores the last Ready change of a node that is not Ready or changed long after the boot', async () => {
  expect(kubernetesNodeSource.recognise(memoryInput('n', yaml))).toBeGreaterThan(0.9);
  const [early, old] = await parse(yaml);
  expect(early?.milestones.map((milestone) => milestone.name)).toEqual(['node-registered']);
  expect(early?.notes[0]?.text).toContain('early: is not Ready (status False)');
  expect(old?.bootId).toBe('5734550360ff494cb76ae428fc0a8aac');
  expect(old?.milestones.map((milestone) => milestone.name)).toEqual(['node-registered']);
  expect(old?.notes[0]?.text).toContain('a later change, not the first one of the boot');
});

test('reads a truncated Node as far as possible, and warns with the line', async () => {
  const [boot] = await parse(json.slice(0, json.indexOf('"addresses"')));
  expect(boot?.milestones.map((milestone) => milestone.name)).toEqual(['node-registered']);
  expect(boot?.notes.map((note) => note.text).join('\n')).toMatch(/line \d+: /);
});

test('refuses to expand an alias bomb', async () => {
  const levels = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(', ')}]`);
  const bomb = `apiVersion: v1\nkind: Node\na0: &a0 [x]\n${levels.join('\n')}\n`;
  expect(await parse(bomb)).toEqual([]);
});

test('edge case 50: reads a list of 1,000 nodes', async () => {
  const node = JSON.parse(json);
  const items = Array.from({ length: 1_000 }, (_, i) => ({ ...node, metadata: { ...node.metadata, name: `n${i}` } }));
  const boots = await parse(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  expect(boots).toHaveLength(1_000);
  expect(boots.at(-1)?.host?.nodeName).toBe('n999');
});

sourceSuite(kubernetesNodeSource, json, 'JSON');
sourceSuite(kubernetesNodeSource, yaml, 'YAML');
