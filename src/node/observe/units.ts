// node/observe/units.ts: which units are there, do they run, are they switched on? One question to systemd for all of them.
import type { RunCommand } from '../../base/command.ts';
import { TransientError } from '../../base/errors.ts';
import type { HostReader } from './host-reader.ts';

export interface ObservedUnit {
  /** It runs, or has run to its end and that was all it had to do. */
  isActive: boolean;
  isDone: boolean;
  /** There is a file for it that no document can have put there. */
  isOfImage: boolean;
  isMasked: boolean;
  /** fixed: nothing to enable, or made by a generator. */
  enabled: 'yes' | 'no' | 'fixed';
  /** Since this boot. */
  wasStarted: boolean;
}

const PROPERTIES = [
  'Id',
  'LoadState',
  'ActiveState',
  'UnitFileState',
  'ExecMainStartTimestampMonotonic',
  'Type',
  'Result',
];

const OWN_FOLDER = '/etc/systemd/system';
/** Vendors', and those a generator made of something else. */
const IMAGE_FOLDERS = ['/usr/lib/systemd/system', '/run/systemd/generator', '/run/systemd/system'];

/** Only those that exist. */
export async function readUnits(names: readonly string[], host: HostReader): Promise<Map<string, ObservedUnit>> {
  const units = names.filter((name) => !isTemplate(name));
  const states = await showUnits(units, host.run);
  for (const name of names.filter(isTemplate)) {
    const state = await showTemplate(name, host.run);
    if (state) states.set(name, state);
  }
  const isOfImage = (name: string) =>
    IMAGE_FOLDERS.some((folder) => host.at(`${folder}/${fileOf(name)}`, false).kind !== 'absent');
  return new Map(
    [...states].map(([name, state]) => {
      // systemd says no more than that it is masked; what it was enabled by is still there.
      const enabled = state.isMasked ? (isWanted(name, host) ? 'yes' : 'no') : state.enabled;
      return [name, { ...state, enabled, isOfImage: isOfImage(name) }];
    }),
  );
}

function isWanted(name: string, host: HostReader): boolean {
  const folders = host.names(OWN_FOLDER).filter((folder) => /\.(?:wants|requires)$/.test(folder));
  return folders.some((folder) => host.names(`${OWN_FOLDER}/${folder}`).includes(name));
}

type UnitState = Omit<ObservedUnit, 'isOfImage'>;

/** `name@.service`: many units may be made of it. */
export function isTemplate(name: string): boolean {
  return name.includes('@.');
}

/** `name@instance.service` is made of `name@.service`. */
function fileOf(name: string): string {
  return name.replace(/@[^.]*(?=\.[a-z]+$)/, '@');
}

async function showUnits(names: readonly string[], run: RunCommand): Promise<Map<string, UnitState>> {
  if (names.length === 0) return new Map();
  const ran = await run(['systemctl', 'show', `--property=${PROPERTIES.join(',')}`, '--', ...names]);
  if (ran.outcome === 'missing') return new Map(); // not a machine with systemd: a folder that stands in for one
  if (ran.code !== 0) {
    throw new TransientError(`systemd does not say which units there are: ${ran.stderr.trim().slice(0, 200)}`, {
      code: 'node/systemd-silent',
    });
  }
  return parseUnits(ran.stdout.toString('utf8'), names);
}

/** A template can be switched on but never runs, and `show` refuses it. */
async function showTemplate(name: string, run: RunCommand): Promise<UnitState | undefined> {
  const ran = await run(['systemctl', 'is-enabled', '--', name]);
  const state = ran.stdout.toString('utf8').trim();
  if (ran.outcome !== 'exited' || state === '' || state === 'not-found') return undefined;
  return unitOf(new Map([['UnitFileState', state]]));
}

/** One block for each unit, in the order asked; an alias answers with the name of the unit it stands for. */
export function parseUnits(text: string, asked: readonly string[]): Map<string, UnitState> {
  const blocks = text.trim().split(/\n\n+/);
  return new Map(
    asked.flatMap((name, i): [string, UnitState][] => {
      const properties = new Map(
        (blocks[i] ?? '').split('\n').map((line): [string, string] => {
          const equals = line.indexOf('=');
          return [line.slice(0, equals), line.slice(equals + 1)];
        }),
      );
      const load = properties.get('LoadState');
      if (load === undefined || load === 'not-found') return [];
      return [[name, unitOf(properties)]];
    }),
  );
}

function unitOf(properties: ReadonlyMap<string, string>): UnitState {
  const state = properties.get('UnitFileState') ?? '';
  const started = properties.get('ExecMainStartTimestampMonotonic') ?? '0';
  const wasStarted = started !== '0' && started !== '';
  const isRunning = ['active', 'reloading', 'activating'].includes(properties.get('ActiveState') ?? '');
  const isOneshot = properties.get('Type') === 'oneshot' && properties.get('Result') === 'success';
  const isDone = !isRunning && isOneshot && wasStarted;
  return {
    isActive: isRunning || isDone,
    isDone,
    isMasked: properties.get('LoadState') === 'masked' || state.startsWith('masked'),
    enabled: enabledOf(state),
    wasStarted,
  };
}

function enabledOf(state: string): ObservedUnit['enabled'] {
  if (['static', 'generated', 'transient', 'alias', 'indirect'].includes(state)) return 'fixed';
  return state.startsWith('enabled') ? 'yes' : 'no';
}
