// node/desired/aspects/units.ts: which systemd units and drop-ins does the document add, change, enable or disable?
import type { UnitSpec } from '../../document/config.ts';
import { classOfUnit } from '../../plan/disruption.ts';
import type { FileEffect, LiveKind, LiveValue, OwnedFile, Treatment } from '../tree.ts';
import { type AspectFunction, invalidField, KUBELET, textFile } from './aspect.ts';

export const unitsAspect: AspectFunction = (config) => {
  const entries = Object.entries(config.units);
  return {
    files: entries.flatMap(([name, unit]) => filesOf(name, unit)),
    live: entries.flatMap(([name, unit]) => liveOf(name, unit)),
    problems: entries.flatMap(([name, unit]) =>
      problemsOf(name, unit).map((message) => invalidField(['units', name], message)),
    ),
  };
};

function problemsOf(name: string, unit: UnitSpec): string[] {
  const isSwitched = unit.isMasked || unit.isEnabled !== undefined || unit.isActive !== undefined;
  return [
    ...(unit.isMasked && unit.content !== undefined ? ['must not be masked and have content'] : []),
    ...(unit.isMasked && unit.isActive ? ['must not be masked and active'] : []),
    ...(name.includes('@.') && unit.isActive !== undefined
      ? ['is a template and cannot be active; only its instances can']
      : []),
    ...(name.startsWith('headstart-') ? ['belongs to headstart; a document cannot change it'] : []),
    ...(name === KUBELET && isSwitched ? ['is started by headstart; enabled, active and masked cannot be set'] : []),
  ];
}

/** Path of a unit file that overrides the image. */
export function unitPath(name: string): string {
  return `/etc/systemd/system/${name}`;
}

function filesOf(name: string, unit: UnitSpec): OwnedFile[] {
  const treatment: Treatment = {
    aspect: 'units',
    class: classOfUnit(name).class,
    after: [{ do: 'daemon-reload' }, { do: 'restart', unit: name }],
  };
  if (unit.isMasked) {
    // systemd treats a link to /dev/null as masked.
    const after = [{ do: 'daemon-reload' }] as const;
    return [{ ...textFile(unitPath(name), '', { ...treatment, after }), linkTo: '/dev/null' }];
  }
  const dropIns = Object.entries(unit.dropIns).map(([file, content]) =>
    textFile(`${unitPath(name)}.d/${file}`, content, treatment),
  );
  if (unit.content === undefined) return dropIns;
  const after: FileEffect[] = unit.isEnabled
    ? [...treatment.after, { do: 'enable', unit: name }]
    : [...treatment.after];
  return [textFile(unitPath(name), unit.content, { ...treatment, after }), ...dropIns];
}

function liveOf(name: string, unit: UnitSpec): LiveValue[] {
  const value = (kind: LiveKind, is: boolean | undefined): LiveValue[] =>
    is === undefined ? [] : [{ kind, key: name, value: is ? 'yes' : 'no', aspect: 'units' }];
  // Masking does not stop a running unit, so stop it too.
  if (unit.isMasked) return value('unit-active', false);
  return [...value('unit-enabled', unit.isEnabled), ...value('unit-active', unit.isActive)];
}
