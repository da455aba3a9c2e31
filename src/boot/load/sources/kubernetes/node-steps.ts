// boot/load/sources/kubernetes/node-steps.ts: what did the `headstart node` daemon spend the boot on? Reads its steps file.

import { type Evidence, evidence } from '../../../model/evidence.ts';
import type { Note, Span } from '../../../model/record.ts';
import { headText, type Input } from '../../input.ts';
import { boundedText } from '../bounded-text.ts';
import type { EvidenceSource } from '../source.ts';

/** `run/headstart/steps.json` of a node (see docs/node-config.md). Times are µs since the kernel started. */
interface NodeSteps {
  bootId?: string;
  anchor?: { monotonicUs: number; wallUs: number };
  steps: NodeStep[];
}

interface NodeStep {
  name: string;
  startUs: number;
  tookUs: number;
  isOk: boolean;
  generation?: number;
  detail?: string;
}

export const nodeStepsSource = {
  kind: 'node-steps',
  title: 'the steps of `headstart node` (run/headstart/steps.json)',
  recognise: (input) => (/^\s*\{[\s\S]{0,200}?"kind"\s*:\s*"NodeSteps"/.test(headText(input)) ? 1 : 0),
  parse,
} satisfies EvidenceSource;

const UNIT = 'headstart-node.service';
const MAX_BYTES = 4 << 20;

/** Steps in which the daemon only polls. */
const WAITS: Readonly<Record<string, string>> = {
  fetch: 'the metadata service to answer',
  verify: 'the node to be healthy for long enough',
};

function parse(input: Input): Evidence[] {
  const { text, isCut } = boundedText(input, MAX_BYTES);
  const read = isCut ? undefined : readSteps(text);
  if (!read)
    return [nodeStepsEvidence(input, {}, [warning(input, 'this steps file is incomplete or has an unknown format')])];
  const { bootId, anchor, steps } = read;
  const ofBoot = stepsOfBoot(steps);
  const notes: Note[] = [];
  const failed = ofBoot.find(({ isOk }) => !isOk);
  if (failed) notes.push(warning(input, `the step ${failed.name} of headstart node failed${aboutOf(failed)}`));
  return [
    nodeStepsEvidence(
      input,
      {
        ...(bootId !== undefined && { bootId }),
        ...(anchor && { anchors: [{ ...anchor, errorUs: 1000 }] }),
        spans: spansOf(ofBoot),
      },
      notes,
    ),
  ];
}

/** The steps until kubelet may start, and the health watch after that change. Later updates are not part of the boot. */
function stepsOfBoot(steps: readonly NodeStep[]): NodeStep[] {
  const readyAt = steps.findIndex(({ name, isOk }) => name === 'ready' && isOk);
  if (readyAt < 0) return [...steps];
  const after = steps.slice(readyAt + 1);
  const watch = ['verify', 'commit', 'roll-back'].flatMap((name) => after.find((step) => step.name === name) ?? []);
  return [...steps.slice(0, readyAt + 1), ...watch];
}

function spansOf(steps: readonly NodeStep[]): Span[] {
  const wholes = steps.filter(({ name }) => !name.includes('/'));
  return steps.map((step) => {
    const { name, startUs, tookUs, isOk } = step;
    const inside = wholes.find(
      (whole) =>
        name.startsWith(`${whole.name}/`) &&
        whole.startUs <= startUs &&
        startUs + tookUs <= whole.startUs + whole.tookUs,
    );
    const detail = aboutOf(step).replace(/^: /, '');
    return {
      id: `node-config:${name}`,
      name,
      source: 'node-config',
      ...(inside ? { parent: `node-config:${inside.name}` } : { unit: UNIT }),
      startUs,
      endUs: startUs + tookUs,
      ...(Object.hasOwn(WAITS, name) && { wait: WAITS[name]! }),
      result: isOk ? 'ok' : 'fail',
      ...(detail !== '' && { detail }),
    };
  });
}

function aboutOf({ generation, detail }: NodeStep): string {
  const words = [generation !== undefined && `generation ${generation}`, detail?.slice(0, 200)].filter(Boolean);
  return words.length > 0 ? `: ${words.join(', ')}` : '';
}

function nodeStepsEvidence(input: Input, facts: Partial<Evidence>, notes: Note[]): Evidence {
  return evidence({ kind: 'node-steps', input: input.name, clock: 'monotonic', ...facts, notes });
}

function warning(input: Input, text: string): Note {
  return { level: 'warning', text: `${input.name}: ${text}` };
}

/** Undefined for an unknown format; skips invalid steps. */
function readSteps(text: string): NodeSteps | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { apiVersion, kind, bootId, anchor, steps } = asObject(value);
  if (apiVersion !== 'headstart.dev/v1' || kind !== 'NodeSteps' || !Array.isArray(steps)) return undefined;
  const plainId = typeof bootId === 'string' ? bootId.replaceAll('-', '').toLowerCase() : '';
  const { monotonicUs, wallUs } = asObject(anchor);
  return {
    ...(/^[0-9a-f]{32}$/.test(plainId) && { bootId: plainId }),
    ...(isTime(monotonicUs) && isTime(wallUs) && { anchor: { monotonicUs, wallUs } }),
    steps: steps.flatMap(stepOf),
  };
}

function stepOf(value: unknown): NodeStep[] {
  const { name, startUs, tookUs, isOk, generation, detail } = asObject(value);
  if (typeof name !== 'string' || !/^[\p{L}\p{N}@._:\\/ -]{1,128}$/u.test(name)) return [];
  if (!isTime(startUs) || !isTime(tookUs) || typeof isOk !== 'boolean') return [];
  return [
    {
      name,
      startUs,
      tookUs,
      isOk,
      ...(typeof generation === 'number' && { generation }),
      ...(typeof detail === 'string' && { detail }),
    },
  ];
}

/** Larger numbers would lose precision. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < 1e16;
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
