// demo/boots.ts: add a node to a pool, wait until it is ready, and collect its boot.
import { join } from 'node:path';
import { loadInputs } from '../src/boot/load/load.ts';
import { READY_UNIT } from './bootstrap.ts';
import { type Readiness, readinessOf } from './ready.ts';
import type { Stage } from './stage.ts';

export type Kind = 'generic' | 'prototype';

export interface Boot extends Readiness {
  kind: Kind;
  instance: string;
  bundle: string;
}

/** The pool with one more instance. */
export async function bootNode(stage: Stage, kind: Kind, pool: string): Promise<Boot> {
  return recordBoot(stage, kind, await growByOne(stage, pool));
}

/** Returns the name of the new instance. */
export async function growByOne(stage: Stage, pool: string): Promise<string> {
  const before = await instancesOf(stage, pool);
  await stage.headstart('pool', 'scale', pool, String(before.length + 1));
  const [instance] = (await instancesOf(stage, pool)).filter((name) => !before.includes(name));
  if (instance === undefined) throw new Error(`${pool} did not grow`);
  return instance;
}

export async function recordBoot(stage: Stage, kind: Kind, instance: string): Promise<Boot> {
  const bundle = join(stage.folder, `${kind}-${instance}.tar.gz`);
  await stage.brief('boot', 'collect', '--instance', instance, '-o', bundle);
  // The journal of a restarted guest also has its earlier boots.
  const record = (await loadInputs([bundle], { readStdin: () => new Uint8Array(), nowUs: Date.now() * 1000 })).at(-1);
  return { kind, instance, bundle, ...readinessOf(record!, READY_UNIT) };
}

export async function instancesOf(stage: Stage, pool: string): Promise<string[]> {
  const shown: { instances: { name: string }[] } = JSON.parse(await stage.ask('pool', 'show', pool, '--json'));
  return shown.instances.map(({ name }) => name);
}
