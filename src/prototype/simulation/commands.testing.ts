// prototype/simulation/commands.testing.ts: the only place that knows how the verbs of the command line call this project's code.

import { versionOfDay } from '../../base/clock.ts';
import { rollBackPool } from '../after/run-rollback.ts';
import { PROVEN_MS } from '../donor/candidates.ts';
import { findDonor, type NamedDonor } from '../donor/find-donor.ts';
import { findSitePool } from '../donor/find-pool.ts';
import { locateDonor } from '../donor/out-of-service.ts';
import { recoverDonor } from '../run/engine.ts';
import { runOnSite } from '../run/run-on-site.ts';
import { recoveryIntent } from '../run/scene.ts';
import { POOL } from '../testing.ts';
import type { SimProcess } from './process.testing.ts';
import { SECRET } from './world.testing.ts';

export type SimCommand =
  | { verb: 'run'; named: NamedDonor; isReleased: boolean; imageHistory: number }
  | { verb: 'recover'; node: string }
  | { verb: 'rollback'; to?: string | undefined };

export function perform(command: SimCommand, process: SimProcess): Promise<unknown> {
  switch (command.verb) {
    case 'run':
      return run(command, process);
    case 'recover':
      return recover(command.node, process);
    case 'rollback':
      return rollback(command.to, process);
  }
}

async function run(
  { named, isReleased, imageHistory }: Extract<SimCommand, { verb: 'run' }>,
  { site, clock, signal, onEvent, id }: SimProcess,
): Promise<unknown> {
  const terms = { mayBeUnpatched: false, mayLoseBootstrap: true };
  const deps = { clock, signal, onInspect: () => undefined, onWarning: () => undefined };
  const donor = await findDonor(site, { named, ...terms, provenMs: PROVEN_MS }, deps);
  const version = versionOfDay(clock.nowMs());
  const order = {
    intentFor: (nodeName: string) => ({
      ...{ nodeName, gallery: site.gallery, version, replicas: 3, imageHistory, graceSeconds: 300 },
      ...{ isDrainForced: false, isReleased, mayBeManaged: false },
    }),
    terms,
    runId: id,
  };
  return runOnSite(site, donor, order, { ...deps, onEvent });
}

async function recover(node: string, { site, clock, signal, onEvent, id }: SimProcess): Promise<unknown> {
  const { ref } = await locateDonor(site, node, signal);
  const { provider, cluster } = site;
  const seal = async () => undefined;
  const deps = { ...provider, cluster, clock, signal, seal, onEvent };
  return recoverDonor(recoveryIntent(node, site.gallery), ref, id, deps);
}

async function rollback(to: string | undefined, { site, clock, signal, onEvent, id }: SimProcess): Promise<unknown> {
  const pool = await findSitePool(site, POOL, signal);
  const request = { pool, holder: id, to, readBootstrap: () => SECRET };
  return rollBackPool(site, request, { clock, signal, onEvent });
}

export function describeCommand(command: SimCommand): string {
  switch (command.verb) {
    case 'run':
      return 'node' in command.named ? `run --node ${command.named.node}` : `run --pool ${command.named.pool}`;
    case 'recover':
      return `recover --node ${command.node}`;
    case 'rollback':
      return `rollback${command.to === undefined ? '' : ` --to ${command.to}`}`;
  }
}
