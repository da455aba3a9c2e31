// boot/sources/index.ts: every kind of input there is.
import { analyzeBlameSource, analyzeCriticalChainSource, analyzeTimeSource } from './analyze-text.ts';
import { bootRecordSource } from './boot-record.ts';
import { cloudInitDumpSource } from './cloud-init-dump.ts';
import { cloudInitLogSource } from './cloud-init-log.ts';
import { clusterEventsSource } from './cluster-events.ts';
import { dmesgSource } from './dmesg.ts';
import { extensionEventSource } from './extension-event.ts';
import { hostFactsSource } from './host-facts.ts';
import { journalExportSource } from './journal-export.ts';
import { journalJsonSource } from './journal-json.ts';
import { journalTextSource } from './journal-text.ts';
import { kubernetesNodeSource } from './kubernetes-node.ts';
import { kvpSource } from './kvp.ts';
import { nodeStepsSource } from './node-steps.ts';
import { plotJsonSource } from './plot-json.ts';
import { plotSvgSource } from './plot-svg.ts';
import { provisionJsonSource } from './provision-json.ts';
import type { Source } from './source.ts';
import { systemctlManagerSource, systemctlUnitsSource } from './systemctl-show.ts';
import { vmStartSource } from './vm-start.ts';

export const SOURCES: readonly Source[] = [
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
  cloudInitLogSource,
  cloudInitDumpSource,
  kvpSource,
  extensionEventSource,
  provisionJsonSource,
  kubernetesNodeSource,
  clusterEventsSource,
  vmStartSource,
  nodeStepsSource,
  bootRecordSource,
  hostFactsSource,
];
