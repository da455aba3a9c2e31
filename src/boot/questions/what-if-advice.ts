// boot/questions/what-if-advice.ts: how is an edit made on a node, what is its risk, and how sure is its saving?
import type { WhatIfEdit } from './edits.ts';
import { type Advice, moduleAdvice, movesToImage } from './module-advice.ts';

export interface AdviceFacts {
  /** Only one After= per unit is known. */
  isPartial: boolean;
  savedUs: number;
  /** How long the removed unit or step took. */
  tookUs: number;
  description?: string;
  /** Why the unit or the device failed in this boot. */
  failure?: string;
  /** Units that would not be started any more. */
  lost?: readonly string[];
}

/** Undefined if no known change of a node makes this edit. */
export function adviceFor(edit: WhatIfEdit, facts: AdviceFacts): Advice | undefined {
  const advice = basicAdvice(edit, facts);
  const { lost = [] } = facts;
  if (!advice || lost.length === 0) return advice;
  if (edit.kind === 'without' && movesToImage(edit.unit)) return startedByImage(advice, lost);
  return {
    ...advice,
    risk: `${advice.risk}; ${lost.join(', ')} not started by it`,
    confidence: 'low',
    because: `something else must start ${lost.join(', ')}, and its time is not known`,
  };
}

/** What a script started, the units of the image can start. Mounts and slices come with their service. */
function startedByImage(advice: Advice, lost: readonly string[]): Advice {
  const services = lost.filter((name) => name.endsWith('.service')).join(', ');
  return {
    ...advice,
    command: services === '' ? advice.command : `${advice.command}; enable ${services} in it`,
    confidence: 'low',
    because: `the scripts also started ${lost.join(', ')}: when the image starts them instead is not known`,
  };
}

function basicAdvice(edit: WhatIfEdit, facts: AdviceFacts): Advice | undefined {
  if (edit.kind === 'mask') return maskAdvice(edit.unit, facts);
  if (edit.kind === 'drop-after') return dropAdvice(edit.unit, edit.dependency);
  if (edit.kind === 'set' && facts.failure !== undefined) return timeoutAdvice(edit.unit, facts.failure);
  if (edit.kind !== 'without') return undefined;
  if (edit.unit === 'cloud-init') {
    return {
      command: 'sudo touch /etc/cloud/cloud-init.disabled',
      risk: 'no user data, SSH keys, host name or network configuration from the cloud',
      confidence: 'medium',
      because: 'something else must configure the node, and its time is not known',
    };
  }
  if (edit.unit === 'image-pulls') {
    return {
      command: 'pull these images while the node image is built (crictl pull IMAGE)',
      risk: 'an image in the node image can be outdated',
      confidence: 'medium',
      because: 'the container runtime still unpacks and starts them',
    };
  }
  return moduleAdvice(edit.unit);
}

function timeoutAdvice(device: string, failure: string): Advice {
  return {
    command: `find what needs it (systemctl list-dependencies --reverse ${quoted(device)}); remove its line from /etc/fstab or /etc/crypttab, or add the options nofail,x-systemd.device-timeout=5s`,
    risk: 'a disk that appears only after that time is not mounted at boot',
    confidence: 'high',
    because: `the device never appeared (${failure}), so the wait gained nothing`,
  };
}

function maskAdvice(unit: string, { isPartial, savedUs, tookUs, description, failure }: AdviceFacts): Advice {
  const [, risk] = KNOWN_UNITS.find(([name]) => name.test(unit)) ?? [];
  const common = {
    command: `sudo systemctl mask ${quoted(unit)}`,
    risk:
      failure === undefined
        ? (risk ?? `not done any more: ${description ?? unit}`)
        : `it failed in this boot (${failure}): better repair it`,
  };
  if (isPartial)
    return {
      ...common,
      confidence: 'low',
      because: 'the listing shows one After= per unit: another may hold it as long',
    };
  if (savedUs > tookUs)
    return { ...common, confidence: 'low', because: 'most of it comes from orderings that end with this unit' };
  return { ...common, confidence: 'medium', because: 'other units may need what it does without saying so' };
}

function dropAdvice(unit: string, dependency: string): Advice {
  return {
    // A drop-in can add orderings only: systemd does not reset After= from a drop-in.
    command: `sudo systemctl edit --full ${quoted(unit)}   # delete ${dependency} from After= (or ${unit} from Before= of ${dependency})`,
    risk: `${unit} may need what ${dependency} does first`,
    confidence: 'medium',
    because: 'both then run at the same time and share CPU and disk',
  };
}

function quoted(unit: string): string {
  return /^[\w@.:-]+$/.test(unit) ? unit : `'${unit}'`;
}

const KNOWN_UNITS: readonly (readonly [RegExp, string])[] = [
  [/^snapd?[.-]/, 'snaps are not mounted, seeded or updated'],
  [/^(?:unattended-upgrades|apt-daily|dnf-automatic|packagekit)/, 'no automatic security updates'],
  [/^plymouth/, 'no boot splash, and no prompt for a disk password on it'],
  [/^rsyslog/, 'no log files in /var/log'],
];
