// boot/compat/cloud-init/testing.ts: small logs for tests.
import { memoryInput } from '../../load/input.ts';
import type { LogEvent } from './read/log-line.ts';
import { readLog } from './read/read-log.ts';
import { bootsOf, type CloudInitBoot } from './stages.ts';

/** 2026-11-16 in UTC: after all times in the logs below. */
export const NOW_US = Date.UTC(2026, 10, 16) * 1000;

export function banner(stamp: string, stage: string, up: number, version = '22.4.2'): string {
  const clock = `Sun, 15 Nov 2026 ${stamp.slice(11, 19)} +0000`;
  return `${stamp} - util.py[DEBUG]: Cloud-init v. ${version} running '${stage}' at ${clock}. Up ${up.toFixed(2)} seconds.\n`;
}

export function finishedBanner(stamp: string, up: number, datasource = 'DataSourceNoCloud [seed=/dev/vdb]'): string {
  const clock = `Sun, 15 Nov 2026 ${stamp.slice(11, 19)} +0000`;
  return `${stamp} - util.py[DEBUG]: Cloud-init v. 22.4.2 finished at ${clock}. Datasource ${datasource}.  Up ${up} seconds\n`;
}

/** The stamp of a time in seconds after 21:00:00 on that day. */
export function stampAt(seconds: number): string {
  return new Date(Date.UTC(2026, 10, 15, 21) + Math.round(seconds * 1000))
    .toISOString()
    .replace('T', ' ')
    .replace('.', ',')
    .slice(0, 23);
}

export function report(stamp: string, message: string): string {
  return `${stamp} - handlers.py[DEBUG]: ${message}\n`;
}

/** One stage with one module in it: `from` … `from + 4`. */
export function stageLog(name: string, from: number, up = from): string {
  const written = name === 'init-network' ? 'init' : name.replace('modules-', 'modules:');
  return [
    banner(stampAt(from), written, up),
    report(stampAt(from + 1), `start: ${name}/config-a: running config-a`),
    report(stampAt(from + 3), `finish: ${name}/config-a: SUCCESS: config-a ran successfully`),
    report(stampAt(from + 4), `finish: ${name}: SUCCESS: running ${name}`),
  ].join('');
}

export function eventsOf(log: string, nowUs = NOW_US): LogEvent[] {
  return readLog(memoryInput('cloud-init.log', log), nowUs).events;
}

export function bootsIn(log: string, nowUs = NOW_US): CloudInitBoot[] {
  return [...bootsOf(eventsOf(log, nowUs))];
}
