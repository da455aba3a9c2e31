// boot/compat/cloud-init/dump.ts: prints events as JSON in the format of `cloud-init analyze dump`.

import { dumpsJson, type PythonValue } from './exact/python-json.ts';
import type { LogEvent } from './read/log-line.ts';

export function dumpText(events: readonly LogEvent[]): string {
  return `${dumpsJson(events.flatMap(dumped))}\n`;
}

function dumped(event: LogEvent): PythonValue[] {
  const common = { origin: 'cloudinit', timestamp: event.atUs / 1e6 };
  if (event.kind === 'banner') {
    return [
      { ...common, event_type: 'start', name: event.name, description: STAGES[event.name] ?? `running ${event.name}` },
    ];
  }
  if (event.kind !== 'start' && event.kind !== 'finish') return [];
  const level = event.level ? { level: event.level } : {};
  const dumpedEvent = { ...common, ...level, event_type: event.kind, name: event.name, description: event.description };
  return [
    event.kind === 'finish' && event.result !== undefined ? { ...dumpedEvent, result: event.result } : dumpedEvent,
  ];
}

/** The descriptions of the real dump for a banner: `cloud-init analyze boot` searches for the first one. */
const STAGES: Readonly<Record<string, string>> = {
  'init-local': 'starting search for local datasources',
  'init-network': 'searching for network datasources',
  'modules-config': 'running config modules',
  'modules-final': 'finalizing modules',
};
