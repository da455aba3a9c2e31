// node/desired/aspects/units.ts: which systemd units and drop-ins does the document add, change, switch on or off?
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
    ...(unit.isMasked && unit.content !== undefined ? ['is masked and has content: one or the other'] : []),
    ...(unit.isMasked && unit.isActive ? ['is masked and active: one or the other'] : []),
    ...(name.includes('@.') && unit.isActive !== undefined ? ['is a template: only its instances run'] : []),
    ...(name.startsWith('headstart-') ? ['is what configures this node, and not for a document to change'] : []),
    ...(name === KUBELET && isSwitched ? ['is started by headstart, when the node is ready for it'] : []),
  ];
}

/** Where the file of a unit is that does not come with the image. */
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
    // systemd takes a link to nothing for "never".
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
  // A masked unit that runs on until the next boot is not what anybody means by never.
  if (unit.isMasked) return value('unit-active', false);
  return [...value('unit-enabled', unit.isEnabled), ...value('unit-active', unit.isActive)];
}
