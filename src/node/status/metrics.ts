// node/status/metrics.ts: the status as metrics, in the text format that Prometheus' node exporter reads from a file.
import { REASONS } from '../reason-codes.ts';
import type { NodeStatus } from './node-status.ts';
import type { TimedStep } from './steps-file.ts';

const PHASES: readonly NodeStatus['phase'][] = [
  'Idle',
  'Fetching',
  'Planned',
  'Blocked',
  'Applying',
  'Verifying',
  'Applied',
  'RollingBack',
  'RolledBack',
  'Degraded',
];

export function renderMetrics(status: NodeStatus, steps: readonly TimedStep[]): string {
  const slots = [
    ['assigned', status.assigned],
    ['active', status.active],
    ['last_known_good', status.lastKnownGood],
  ] as const;
  const last = new Map(steps.filter(({ name }) => !name.includes('/')).map((step) => [step.name, step.tookUs]));
  return [
    family(
      'headstart_node_phase',
      'The current phase of the node.',
      PHASES.map((phase) => [{ phase }, phase === status.phase ? 1 : 0]),
    ),
    family('headstart_node_reason', 'The reason codes of the phase and of every note.', reasons(status)),
    family('headstart_node_ready', 'Whether kubelet may start.', [[{}, status.isReady ? 1 : 0]]),
    family(
      'headstart_node_generation',
      'The generation of the document in each slot.',
      slots.flatMap(([slot, is]) => (is ? [[{ slot }, is.generation] as const] : [])),
    ),
    family('headstart_node_bad_documents', 'Documents that were rolled back and are not retried.', [
      [{}, status.bad.length],
    ]),
    family('headstart_node_phase_since_seconds', 'When the published status last changed, as a Unix time.', [
      [{}, Date.parse(status.since) / 1000],
    ]),
    family(
      'headstart_node_step_seconds',
      'Duration of the last run of each step of the daemon.',
      [...last].sort(([a], [b]) => (a < b ? -1 : 1)).map(([step, tookUs]) => [{ step }, tookUs / 1e6]),
    ),
  ].join('');
}

function reasons({ code, notes }: NodeStatus): Sample[] {
  const all = [code, ...notes.map((note) => note.code)].filter((one) => Object.hasOwn(REASONS, one));
  return [...new Set(all)].map((one) => [{ code: one }, 1]);
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

function family(name: string, help: string, samples: readonly Sample[]): string {
  if (samples.length === 0) return '';
  const lines = samples.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([key, label]) => `${key}="${label.replace(/[\\"\n]/g, '_')}"`);
    return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}
