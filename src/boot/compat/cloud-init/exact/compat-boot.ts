// boot/compat/cloud-init/exact/compat-boot.ts: what does `cloud-init analyze boot` print, and how does it exit?
import type { BootRecord } from '../../../model/record.ts';
import { isContainerHost } from '../boot-times.ts';
import { utcText } from '../utc-text.ts';
import { ToolCrash } from './compat-crash.ts';
import type { CompatVersion } from './compat-version.ts';
import type { PythonValue } from './python-json.ts';
import { floatRepr } from './python-numbers.ts';

export interface CompatBoot {
  text: string;
  code: number;
  /** Set for versions that pass their status word to exit(), which prints it on stderr even on success. */
  word?: string;
}

export function compatBoot(events: PythonValue, record: BootRecord | undefined, version: CompatVersion): CompatBoot {
  const startedAt = lastSearch(events);
  const times = record && systemdTimes(record);
  if (startedAt === undefined || !times) return exit('failure', failureText(version), version);
  const zone = version.printsOffset ? '+00:00' : '';
  const at = (seconds: number) => `${utcText(Math.round(seconds * 1e6))}${zone}`;
  const { kernelStart, kernelEnd, activated } = times;
  const activatedLine = `    Cloud-init activated by systemd at: ${at(activated)}\n`;
  const startedLine = `    Cloud-init start: ${at(startedAt)}\n`;
  if (isContainerHost(record)) {
    const text = `-- Most Recent Container Boot Record --\n    Container started at: ${at(kernelStart)}\n${activatedLine}${startedLine}`;
    return exit('container', text, version);
  }
  const text =
    `-- Most Recent Boot Record --\n    Kernel Started at: ${at(kernelStart)}\n    Kernel ended boot at: ${at(kernelEnd)}\n` +
    `    Kernel time to boot (seconds): ${floatRepr(kernelEnd - kernelStart)}\n${activatedLine}` +
    `    Time between Kernel end boot and Cloud-init activation (seconds): ${floatRepr(activated - kernelEnd)}\n${startedLine}`;
  return exit('successful', text, version);
}

function exit(word: 'successful' | 'container' | 'failure', text: string, version: CompatVersion): CompatBoot {
  return version.exitsWithWord ? { text, code: 1, word } : { text, code: word === 'failure' ? 1 : 0 };
}

/** Adds seconds as doubles like the real tool, so that the last digits have the same rounding errors. */
function systemdTimes(record: BootRecord): { kernelStart: number; kernelEnd: number; activated: number } | undefined {
  const { manager, clock } = record;
  const local = record.units.find((unit) => unit.name === 'cloud-init-local.service');
  if (!manager || !local || clock.zero !== 'kernel' || clock.wallAtZeroUs === undefined) return undefined;
  const offsetUs = isContainerHost(record) ? manager.userspaceUs : manager.kernelUs;
  const kernelStart = (clock.wallAtZeroUs + offsetUs) / 1e6;
  return {
    kernelStart,
    kernelEnd: kernelStart + (manager.userspaceUs - offsetUs) / 1e6,
    activated: kernelStart + (local.activatingUs - offsetUs) / 1e6,
  };
}

function lastSearch(events: PythonValue): number | undefined {
  if (!Array.isArray(events)) throw new ToolCrash('TypeError: the JSON is not a list of events');
  let found: number | undefined;
  for (const event of events) {
    if (event === null || typeof event !== 'object' || Array.isArray(event))
      throw new ToolCrash('TypeError: not an event');
    if (!Object.hasOwn(event, 'name')) throw new ToolCrash("KeyError: 'name'");
    if (event.name !== 'init-local') continue;
    if (typeof event.description !== 'string') throw new ToolCrash("KeyError: 'description'");
    if (event.description.includes('starting search')) found = Number(event.timestamp);
  }
  return found;
}

function failureText({ docsUrl }: CompatVersion): string {
  return (
    'Your Linux distro or container does not support this functionality.\n' +
    'You must be running a Kernel Telemetry supported distro.\n' +
    `Please check ${docsUrl}/topics/analyze.html for more information on supported distros.\n`
  );
}
