// boot/load/sources/index.ts: all supported kinds of input.

import { bootRecordSource } from './boot-record.ts';
import { cloudInitDumpSource } from './cloud-init-dump.ts';
import { cloudInitLogSource } from './cloud-init-log.ts';
import { cloudInitOutputSource } from './cloud-init-output.ts';
import { hostFactsSource } from './host-facts.ts';
import { clusterEventsSource } from './kubernetes/cluster-events.ts';
import { kubeletMetricsSource } from './kubernetes/kubelet-metrics.ts';
import { kubernetesEventsSource } from './kubernetes/kubernetes-events.ts';
import { kubernetesNodeSource } from './kubernetes/kubernetes-node.ts';
import { nodeClaimSource } from './kubernetes/node-claim.ts';
import { nodeStepsSource } from './kubernetes/node-steps.ts';
import { consoleLogSource } from './logs/console-log.ts';
import { dmesgSource } from './logs/dmesg.ts';
import { journalExportSource } from './logs/journal-export.ts';
import { journalJsonSource } from './logs/journal-json.ts';
import { journalTextSource } from './logs/journal-text.ts';
import { claimSource } from './platform/claim.ts';
import { extensionEventSource } from './platform/extension-event.ts';
import { kvpSource } from './platform/kvp.ts';
import { nodeadmLogSource } from './platform/nodeadm-log.ts';
import { provisionJsonSource } from './platform/provision-json.ts';
import { vmStartSource } from './platform/vm-start.ts';
import type { EvidenceSource } from './source.ts';
import { analyzeBlameSource, analyzeCriticalChainSource, analyzeTimeSource } from './systemd/analyze-text.ts';
import { plotJsonSource } from './systemd/plot-json.ts';
import { plotSvgSource } from './systemd/plot-svg.ts';
import { systemctlManagerSource, systemctlUnitsSource } from './systemd/systemctl-show.ts';

export const SOURCES: readonly EvidenceSource[] = [
  systemctlManagerSource,
  systemctlUnitsSource,
  analyzeTimeSource,
  analyzeBlameSource,
  analyzeCriticalChainSource,
  plotSvgSource,
  plotJsonSource,
  journalJsonSource,
  journalExportSource,
  journalTextSource,
  dmesgSource,
  consoleLogSource,
  cloudInitLogSource,
  cloudInitDumpSource,
  cloudInitOutputSource,
  kvpSource,
  extensionEventSource,
  provisionJsonSource,
  nodeadmLogSource,
  kubernetesNodeSource,
  kubernetesEventsSource,
  nodeClaimSource,
  kubeletMetricsSource,
  clusterEventsSource,
  vmStartSource,
  claimSource,
  nodeStepsSource,
  bootRecordSource,
  hostFactsSource,
];
