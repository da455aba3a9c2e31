// boot/load/sources/host-facts.ts: reads facts about the host from small files (os-release, uname, boot id, versions). Ignores a
// 32-digit id without dashes: it may be a machine id as well as a boot id.

import { type Evidence, evidence } from '../../model/evidence.ts';
import type { HostFacts } from '../../model/record.ts';
import { headText, type Input, inputText } from '../input.ts';
import type { EvidenceSource } from './source.ts';

export const hostFactsSource = {
  kind: 'host-facts',
  title: 'host facts (os-release, uname -a, boot id, systemctl --version)',
  recognise: (input) => (input.head.length <= MAX_BYTES ? (readFacts(headText(input))?.confidence ?? 0) : 0),
  parse,
} satisfies EvidenceSource;

const MAX_BYTES = 16 * 1024;

function parse(input: Input): Evidence[] {
  const found = readFacts(inputText(input).slice(0, MAX_BYTES));
  if (!found) return [];
  const { host, bootId } = found;
  return [
    evidence({
      kind: 'host-facts',
      input: input.name,
      clock: 'monotonic',
      ...(host && { host }),
      ...(bootId && { bootId }),
    }),
  ];
}

interface RecognisedFacts {
  confidence: number;
  host?: HostFacts;
  bootId?: string;
}

function readFacts(text: string): RecognisedFacts | undefined {
  const trimmed = text.trim();
  return (
    osRelease(trimmed) ??
    uname(trimmed) ??
    bootIdentity(trimmed) ??
    systemdVersion(trimmed) ??
    cloudInitVersion(trimmed)
  );
}

function osRelease(text: string): RecognisedFacts | undefined {
  if (!/^(?:NAME|ID|PRETTY_NAME|VERSION_ID)=/m.test(text) || !/^ID=/m.test(text)) return undefined;
  const os = /^PRETTY_NAME=(?:"([^"\n]*)"|'([^'\n]*)'|(\S*))/m.exec(text);
  const name = os?.[1] ?? os?.[2] ?? os?.[3];
  return name ? { confidence: 0.6, host: { os: name } } : undefined;
}

/** `Linux host release #build … machine GNU/Linux` */
function uname(text: string): RecognisedFacts | undefined {
  const m = /^Linux (\S+) (\S+) (#[^\n]*) (\S+) GNU\/Linux$/.exec(text);
  if (!m) return undefined;
  return { confidence: 0.6, host: { hostname: m[1]!, kernel: m[2]!, kernelBuild: m[3]!, architecture: m[4]! } };
}

function bootIdentity(text: string): RecognisedFacts | undefined {
  const m = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.exec(text);
  return m ? { confidence: 0.4, bootId: text.replaceAll('-', '') } : undefined;
}

function systemdVersion(text: string): RecognisedFacts | undefined {
  const m = /^systemd (\d+)(?: \(([^)\s]+)\))?\r?\n[+-][A-Z]/.exec(text);
  return m ? { confidence: 0.6, host: { systemdVersion: m[2] ?? m[1]! } } : undefined;
}

function cloudInitVersion(text: string): RecognisedFacts | undefined {
  const m = /^\S*cloud-init (\d+\.[\w.~+-]+)$/.exec(text);
  return m ? { confidence: 0.5, host: { cloudInitVersion: m[1]! } } : undefined;
}
