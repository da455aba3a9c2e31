// node/observe/units.ts: which units exist, run and are enabled? One systemctl call for all units except templates.
import type { RunCommand } from '../../base/command.ts';
import { TransientError } from '../../base/errors.ts';
import type { HostReader } from './host-reader.ts';

export interface ObservedUnit {
  /** It runs, or it is a oneshot that finished successfully. */
  isActive: boolean;
  isDone: boolean;
  /** It has a unit file in a folder that documents cannot write to. */
  isOfImage: boolean;
  isMasked: boolean;
  /** fixed: cannot be enabled, for example static or generated. */
  enabled: 'yes' | 'no' | 'fixed';
  /** In this boot. */
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
/** Unit files of packages and of generators. */
const IMAGE_FOLDERS = ['/usr/lib/systemd/system', '/run/systemd/generator', '/run/systemd/system'];

/** Without units that do not exist. */
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
      // For a masked unit systemd does not report whether it is enabled, but its .wants links still exist.
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

/** `name@.service`. */
export function isTemplate(name: string): boolean {
  return name.includes('@.');
}

/** The unit file of `name@instance.service` is `name@.service`. */
function fileOf(name: string): string {
  return name.replace(/@[^.]*(?=\.[a-z]+$)/, '@');
}

async function showUnits(names: readonly string[], run: RunCommand): Promise<Map<string, UnitState>> {
  if (names.length === 0) return new Map();
  const ran = await run(['systemctl', 'show', `--property=${PROPERTIES.join(',')}`, '--', ...names]);
  if (ran.outcome === 'missing') return new Map(); // no systemd: a folder in a test
  if (ran.code !== 0) {
    throw new TransientError(`systemctl show failed: ${ran.stderr.trim().slice(0, 200)}`, {
      code: 'node/systemd-silent',
    });
  }
  return parseUnits(ran.stdout.toString('utf8'), names);
}

/** A template can be enabled but never runs, and `systemctl show` refuses it. */
async function showTemplate(name: string, run: RunCommand): Promise<UnitState | undefined> {
  const ran = await run(['systemctl', 'is-enabled', '--', name]);
  const state = ran.stdout.toString('utf8').trim();
  if (ran.outcome !== 'exited' || state === '' || state === 'not-found') return undefined;
  return unitOf(new Map([['UnitFileState', state]]));
}

/** One block per unit, in the order of `requested`; the block of an alias has the name of its target. */
export function parseUnits(text: string, requested: readonly string[]): Map<string, UnitState> {
  const blocks = text.trim().split(/\n\n+/);
  return new Map(
    requested.flatMap((name, i): [string, UnitState][] => {
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
