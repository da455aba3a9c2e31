// boot/compat/cloud-init/dump.ts: the events as JSON, in the shape `cloud-init analyze dump` prints and reads.

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
  const said = { ...common, ...level, event_type: event.kind, name: event.name, description: event.description };
  return [event.kind === 'finish' && event.result !== undefined ? { ...said, result: event.result } : said];
}

/** The words of the real dump for what a banner announces: `cloud-init analyze boot` searches for the first. */
const STAGES: Readonly<Record<string, string>> = {
  'init-local': 'starting search for local datasources',
  'init-network': 'searching for network datasources',
  'modules-config': 'running config modules',
  'modules-final': 'finalizing modules',
};
