// boot/load/sources/kubernetes/kubelet-metrics.ts: reads the gauges `kubelet_node_startup_*` of kubelet's /metrics: how long each part of the
// way to Ready took, counted from the start of the kernel.
import { type Evidence, evidence } from '../../../model/evidence.ts';
import { KUBELET_UNIT } from '../../../model/known-units.ts';
import type { Milestone, Span } from '../../../model/record.ts';
import { headText, type Input, linesOf } from '../../input.ts';
import type { EvidenceSource } from '../source.ts';

export const kubeletMetricsSource = {
  kind: 'kubelet-metrics',
  title: "kubelet's /metrics",
  recognise,
  parse,
} satisfies EvidenceSource;

const GAUGE =
  /^kubelet_node_startup_(pre_kubelet_|pre_registration_|registration_|post_registration_|)duration_seconds(?:\{[^}]{0,500}\})? ([0-9.eE+-]{1,30})(?: \d{1,15})?$/;
/** kubelet takes the start of the kernel from the uptime in whole seconds, and cuts the result to seconds. */
const BOOT_TIME_ERROR_US = 1e6;

function recognise(input: Input): number {
  const head = headText(input);
  if (/^(?:# (?:HELP|TYPE) )?kubelet_node_startup_/m.test(head)) return 0.9;
  // The metrics are sorted by name, and the gauges may come after the first bytes.
  return /^# TYPE \w+ (?:counter|gauge|histogram|summary)$/m.test(head) && /^(?:# TYPE )?kubelet_/m.test(head)
    ? 0.7
    : 0;
}

type Part = 'pre_kubelet_' | 'pre_registration_' | 'registration_' | 'post_registration_' | '';

function parse(input: Input): Evidence[] {
  const tookUs = new Map<Part, number>();
  for (const line of linesOf(input)) {
    const found = line.startsWith('kubelet_node_startup_') ? GAUGE.exec(line) : null;
    const us = found ? Math.round(Number(found[2]) * 1e6) : 0;
    // Gauges are 0 until kubelet sets them, which it does for the first registration only.
    if (found && us > 0 && Number.isFinite(us)) tookUs.set(found[1] as Part, us);
  }
  const startedUs = tookUs.get('pre_kubelet_');
  if (startedUs === undefined) return [];
  const attemptUs = plus(startedUs, tookUs.get('pre_registration_'));
  const registeredUs = plus(attemptUs, tookUs.get('registration_'));
  const readyUs = plus(registeredUs, tookUs.get('post_registration_')) ?? tookUs.get('');
  return [
    evidence({
      kind: 'kubelet-metrics',
      input: input.name,
      clock: 'monotonic',
      milestones: [
        ...milestone('kubelet-started', startedUs),
        ...milestone('node-registered', registeredUs),
        ...milestone('node-ready', readyUs),
      ],
      spans: [
        ...span('start', 'kubelet start to first registration', startedUs, attemptUs),
        ...span('register', 'register node', attemptUs, registeredUs),
        ...span('become-ready', 'registered to Ready', registeredUs, readyUs),
      ],
    }),
  ];
}

function plus(startUs: number | undefined, tookUs: number | undefined): number | undefined {
  return startUs === undefined || tookUs === undefined ? undefined : startUs + tookUs;
}

function milestone(name: Milestone['name'], atUs: number | undefined): Milestone[] {
  return atUs === undefined ? [] : [{ name, atUs, errorUs: BOOT_TIME_ERROR_US, source: 'kubelet' }];
}

/** The same ids as kubelet's log gives: the two tell of the same steps. */
function span(id: string, name: string, startUs: number | undefined, endUs: number | undefined): Span[] {
  if (startUs === undefined || endUs === undefined || endUs <= startUs) return [];
  return [{ id: `kubelet:${id}`, name, source: 'kubelet', unit: KUBELET_UNIT, startUs, endUs }];
}
