// demo/run.ts: the whole loop on real VMs: a generic node and where its time went, its prototype, clones, the difference, a rollback.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatSpan } from '../src/base/duration.ts';
import { median } from '../src/boot/model/noise.ts';
import { renderTable } from '../src/cli/output/table.ts';
import { type Boot, bootNode, instancesOf, recordBoot } from './boots.ts';
import { bootstrapConfig, READY_UNIT, SERVER_ADDRESS } from './bootstrap.ts';
import { readIdentity, sharedIdentifiers } from './identity.ts';
import { onInterruption, tellFailure } from './interruption.ts';
import { openStage, type Stage } from './stage.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const isQuick = process.env.QUICK === '1';
/** Boots of each kind after the first, alternating. */
const MORE_BOOTS = isQuick ? 0 : 2;
const [POOL, GENERIC] = ['demo', 'demo-generic'];

const signal = onInterruption();
let workshop: Workshop | undefined;
try {
  const folder = join(root, 'out', 'demo');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  workshop = await openWorkshop(signal);
  const stage = openStage({ root, folder, home: workshop.home, signal });
  await play(stage, workshop);
} catch (error) {
  tellFailure(error, signal);
} finally {
  // Also after Ctrl-C: no process keeps running, and only out/demo and the caches stay.
  await workshop?.close();
}

async function play(stage: Stage, { packages, server }: Workshop): Promise<void> {
  stage.act('1. a pool whose nodes bootstrap on first boot: packages and files from a local server');
  const customData = join(stage.folder, 'bootstrap.yaml');
  writeFileSync(customData, bootstrapConfig(packages));
  stage.say(`${customData}: ${packages.length} packages to fetch and install, configuration, one service`);
  const recipe = [
    ...['--custom-data', customData, '--ready-unit', READY_UNIT],
    ...['--service', `${SERVER_ADDRESS}:80=127.0.0.1:${server.port}`],
  ];
  await stage.headstart('pool', 'create', POOL, '--count', '1', ...recipe);
  const [donor = ''] = await instancesOf(stage, POOL);

  stage.act('2. the boot of a generic node, explained');
  const boots = [await recordBoot(stage, 'generic', donor)];
  const generic = boots[0]!.bundle;
  await stage.headstart('boot', 'timeline', '-i', generic);
  await stage.headstart('boot', 'chain', READY_UNIT, '-i', generic);
  await stage.headstart('boot', 'blame', '-i', generic, '--at-least', '2s');

  stage.act(
    '3. its best node becomes the prototype: sealed, captured, the copy scrubbed, published, the model switched',
  );
  await stage.headstart('prototype', 'candidates', '--pool', POOL, '--ready-for', '1s');
  await stage.headstart('prototype', 'run', '--pool', POOL, '--ready-for', '1s');
  const identities = [await readIdentity(stage, donor)];

  stage.act('4. two new nodes from the prototype, one after the other');
  // One at a time: on two cores, two guests at once would slow each other down.
  await stage.headstart('pool', 'stop', donor);
  for (const _ of [1, 2]) {
    const boot = await bootNode(stage, 'prototype', POOL);
    boots.push(boot);
    identities.push(await readIdentity(stage, boot.instance));
    await stage.headstart('pool', 'exec', boot.instance, '--', 'systemctl', 'is-active', READY_UNIT);
    await stage.headstart('pool', 'stop', boot.instance);
  }
  stage.say(`\nthe donor and its clones:\n${identityTable(identities)}`);
  const shared = sharedIdentifiers(identities);
  if (shared.length > 0) throw new Error(`two of them share their ${shared.join(', ')}`);
  stage.say('all of them differ.');

  stage.act('5. generic and prototype compared');
  if (MORE_BOOTS > 0) await stage.headstart('pool', 'create', GENERIC, '--count', '0', ...recipe);
  for (let i = 0; i < MORE_BOOTS; i++) {
    for (const [kind, pool] of [
      ['generic', GENERIC],
      ['prototype', POOL],
    ] as const) {
      const boot = await bootNode(stage, kind, pool);
      boots.push(boot);
      await stage.headstart('pool', 'stop', boot.instance);
    }
  }
  const sides = boots.flatMap(({ kind, bundle }) => [kind === 'generic' ? '--before' : '--after', bundle]);
  await stage.headstart('boot', 'compare', ...sides, '--target', READY_UNIT, '--limit', '12');
  const report = join(stage.folder, 'report.html');
  await stage.headstart('boot', 'report', generic, boots[1]!.bundle, '-o', report);

  stage.act('6. roll back to the original model, proved by one more boot');
  await stage.headstart('prototype', 'rollback', '--pool', POOL, '--to', 'original');
  const servedBefore = server.served();
  const back = await bootNode(stage, 'generic', POOL);
  if (server.served() === servedBefore) throw new Error('the node did not bootstrap: it fetched nothing');
  stage.say(`${back.instance} fetched ${server.served() - servedBefore} packages again: it bootstrapped.`);
  boots.push(back);

  stage.act('what was measured');
  stage.say(`${boots.length} boots, ${READY_UNIT} active after the start of the VM:\n${bootTable(boots)}`);
  stage.say(summary(boots));
  stage.say(`report: ${report}`);
}

function identityTable(identities: Awaited<ReturnType<typeof readIdentity>>[]): string {
  return renderTable(
    [
      { title: 'INSTANCE', cell: ({ instance }) => instance },
      { title: 'HOST NAME', cell: ({ hostName }) => hostName },
      { title: 'MACHINE-ID', cell: ({ machineId }) => machineId },
      { title: 'SSH HOST KEY', cell: ({ hostKey }) => hostKey },
    ],
    identities,
  );
}

function bootTable(boots: readonly Boot[]): string {
  return renderTable(
    [
      { title: 'KIND', cell: ({ kind }) => kind },
      { title: 'INSTANCE', cell: ({ instance }) => instance },
      { title: 'READY AFTER', align: 'right', cell: ({ readyUs }) => formatSpan(readyUs) },
      { title: '±', align: 'right', cell: ({ errorUs }) => formatSpan(errorUs) },
      { title: 'KERNEL', align: 'right', cell: ({ kernelUs }) => formatSpan(kernelUs) },
    ],
    boots,
  );
}

function summary(boots: readonly Boot[]): string {
  const of = (kind: Boot['kind']) => median(boots.filter((boot) => boot.kind === kind).map(({ readyUs }) => readyUs));
  const [generic, prototype] = [of('generic'), of('prototype')];
  return (
    `median: generic ${formatSpan(generic)}, prototype ${formatSpan(prototype)}: ${(prototype / generic).toFixed(2)} of it. ` +
    'The kernel is the same in all: where it took longer, the machine was slower.'
  );
}
