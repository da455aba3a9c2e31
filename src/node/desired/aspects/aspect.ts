// node/desired/aspects/aspect.ts: what does one aspect contribute to the desired state of a node?
import type { Secret } from '../../../base/secret.ts';
import type { JsonObject } from '../../../schema/json.ts';
import { renderPath } from '../../../schema/problem.ts';
import type { NodeConfig } from '../../document/config.ts';
import type { Problem } from '../../document/problem.ts';
import type { Facts } from '../../observe/facts.ts';
import type { DisruptionClass, LiveValue, OwnedFile, Treatment } from '../tree.ts';

export interface AspectResult {
  files?: readonly OwnedFile[];
  live?: readonly LiveValue[];
  /** For our drop-in over the image's kubelet configuration. */
  kubeletConfig?: JsonObject;
  kubeletFlags?: Readonly<Record<string, string>>;
  problems?: readonly Problem[];
}

export type AspectFunction = (config: NodeConfig, facts: Facts) => AspectResult;

export const HEADER = '# Written by headstart; changes are undone.\n';

/** A problem of the document that its schema cannot detect. */
export function invalidField(path: readonly string[], message: string): Problem {
  return { reason: 'config/invalid', path: renderPath(['spec', ...path]), message };
}

/** A text file owned by root. */
export function textFile(
  path: string,
  content: string | Secret,
  treatment: Treatment & { mode?: number; isOnlyToJoin?: boolean },
): OwnedFile {
  const mode = treatment.mode ?? (typeof content === 'string' ? 0o644 : 0o600);
  return { ...treatment, path, content, encoding: 'utf8', mode, owner: 'root', group: 'root' };
}

/** A drop-in; a change restarts the unit. */
export function dropIn(
  unit: string,
  name: string,
  lines: readonly string[],
  treatment: Pick<Treatment, 'aspect'> & { class: DisruptionClass },
): OwnedFile {
  return textFile(`/etc/systemd/system/${unit}.d/${name}`, `${HEADER}${lines.join('\n')}\n`, {
    ...treatment,
    after: [{ do: 'daemon-reload' }, { do: 'restart', unit }],
  });
}

export const KUBELET = 'kubelet.service';
export const CONTAINERD = 'containerd.service';
