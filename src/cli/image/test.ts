// cli/image/test.ts: `headstart image test FOLDER`: boots a built image in a temporary VM, checks it from inside, and writes the result.
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { type RunCommand, runCommand } from '../../base/command.ts';
import { formatSpan } from '../../base/duration.ts';
import type { BootRecord } from '../../boot/model/record.ts';
import type { ImageTestResult } from '../../image/test/test-image.ts';
import type { BootTest, Check } from '../../image/test/verdict.ts';
import type { QemuProvider } from '../../vms/qemu/local-provider.ts';
import { readBudget } from '../boot/read-budget.ts';
import { type OpenPools, openPools } from '../compose/open-pools.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { writeAnswerFile } from '../output/answer-file.ts';
import { printJson, printJsonLine } from '../output/json.ts';
import { showProgress } from '../output/progress.ts';
import { screenOf } from '../output/screen.ts';
import { type Column, renderTable } from '../output/table.ts';
import { timeoutOption } from '../pool/arguments.ts';
import { homeFolder } from '../pool/home.ts';
import type { CliDeps, Verb } from '../verb.ts';

interface Options {
  budget?: string;
  firmware?: boolean;
  bundle?: string;
  timeout: number;
  keep?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

const ANSWER_IS_NO = 3;
const READY = 'headstart-node-ready.target';

/** Replaced in tests. */
export interface TestVerbDeps {
  open: OpenPools;
  run: RunCommand;
  /** The folder for temporary homes. */
  parent: string;
  collect: typeof collectBoot;
}

export const verb = imageTest({ open: openPools, run: runCommand, parent: tmpdir(), collect: collectBoot });

export function imageTest({ open, run, parent, collect }: TestVerbDeps): Verb {
  return {
    examples: [
      'image test images/node-1.35.8-2026.1116.0 --budget budget.yaml',
      'image test images/node-1.35.8-2026.1116.0 --firmware --json',
    ],
    notes: 'Exit code: 0 passed, 3 failed or over budget, 2 there is no such build.',
    configure: (command) =>
      command
        .argument('<FOLDER>', 'the folder of one image, from `headstart image build`')
        .option('--budget <FILE>', 'the budget of the boot, as for `headstart boot check`')
        .option('--firmware', 'boot the VHD with UEFI firmware, like a cloud, instead of the qcow2 with its kernel')
        .option('--bundle <FILE>', 'save the boot data to this file, for `headstart boot timeline FILE`')
        .addOption(timeoutOption('fail if the node is not ready after this time', '15min'))
        .option('--keep', 'leave the VM running, and print how to reach it')
        .option('--dry-run', 'print what would be started and written, and do nothing')
        .option('--json', 'print JSON: one event per line, the result last'),
    async run([folder = ''], options: Options, deps) {
      const budget = options.budget === undefined ? undefined : readBudget(options.budget);
      const { readBuild } = await import('../../image/build/build-folder.ts');
      await readBuild(folder); // throws before anything is created
      const way = options.firmware ? 'firmware' : 'kernel';
      if (options.dryRun) return printPlan(folder, options, deps);
      const [{ testImage }, { withTemporaryHome }, { shareAccelerator }] = await Promise.all([
        import('../../image/test/test-image.ts'),
        import('../../image/test/temporary-home.ts'),
        import('../../vms/qemu/machine/accelerator.ts'),
      ]);
      const signal = deps.signal();
      const progress = showProgress(deps, 'ImageEvent', options);
      const isKept = options.keep === true;
      const kept = `The build was not changed${isKept ? '' : ', and the VM was deleted'}.`;
      const openHome = (home: string) => open({ home }, deps, 'run');
      const tested = await orInterrupted(
        signal,
        { code: 'image/interrupted', kept, next: 'run the same command again' },
        () =>
          withTemporaryHome({ parent, uid: process.getuid?.() ?? 0, open: openHome }, { isKept }, async (home) => {
            const provider = await openHome(home);
            const usual = homeFolder({}, deps.env);
            shareAccelerator(usual, home);
            if (isKept)
              progress.step(`the VM keeps running: headstart pool exec --home ${home} image-test-000001 -- /bin/sh`);
            const done = await testImage(
              { folder, way, budget, deadlineMs: options.timeout },
              {
                ...{ home, provider, clock: systemClock, run, signal },
                onWaiting: progress.waiting,
                onStep: progress.step,
                collect: (instance) => collect(provider, instance, home, options, deps),
              },
            );
            shareAccelerator(home, usual);
            return done;
          }),
      );
      progress.end();
      await report(tested, folder, options, deps);
      return tested.boot.isPassed ? 0 : ANSWER_IS_NO;
    },
  };
}

async function collectBoot(
  provider: QemuProvider,
  instance: string,
  home: string,
  { bundle }: Options,
  deps: CliDeps,
): Promise<BootRecord> {
  const [{ collectInstance }, { itemsFor }, { bundleOf }, { loadInputs }] = await Promise.all([
    import('../../local/collect-instance.ts'),
    import('../../boot/collect/items.ts'),
    import('../../boot/collect/bundle.ts'),
    import('../../boot/load/load.ts'),
  ]);
  const what = { boot: '0', items: itemsFor('0'), signal: deps.signal() };
  const { bytes } = await bundleOf(await collectInstance(provider, instance, what), { boot: '0', nowUs: deps.nowUs() });
  const path = join(home, 'boot.tar.gz');
  await writeFile(path, bytes, { mode: 0o600 });
  if (bundle !== undefined) writeAnswerFile(bundle, bytes, 'image/output-unwritable', 'private');
  const [record] = await loadInputs([path], { readStdin: deps.readStdin, nowUs: deps.nowUs() });
  if (!record) throw new Error('the boot that was collected is not in its bundle');
  return record;
}

function printPlan(folder: string, { firmware, budget, json }: Options, deps: CliDeps): void {
  const changes = [
    `start ${folder}/${firmware ? 'disk.vhd with UEFI firmware' : 'disk.qcow2 with its kernel'} in a temporary VM`,
    `write ${folder}/test.json`,
    ...(budget === undefined ? [] : [`check its boot against ${budget}`]),
  ];
  if (json) printJson(deps, 'ImageTestPlan', { changes });
  else deps.stdout(changes.map((change) => `would ${change}\n`).join(''));
}

async function report(
  { boot, test, record }: ImageTestResult,
  folder: string,
  { json }: Options,
  deps: CliDeps,
): Promise<void> {
  const { chain } = await import('../../boot/questions/chain.ts');
  const links = record ? chain(record, READY) : [];
  if (json) {
    const { apiVersion: _, kind: __, ...body } = test;
    return printJsonLine(deps, 'ImageTest', { folder, way: boot.way, ...body, chain: links });
  }
  const screen = screenOf(deps);
  deps.stdout(renderTable(CHECKS, boot.checks, screen));
  if (boot.phases.length > 0) deps.stdout(`\n${renderTable(PHASES, boot.phases, screen)}`);
  if (boot.budget.length > 0) deps.stdout(`\n${renderTable(BUDGET, boot.budget, screen)}`);
  if (links.length > 0) {
    const { renderBootChain } = await import('../boot/render-chain.ts');
    deps.stdout(`\n${renderBootChain(links, screen)}`);
  }
  const ready = boot.readyMs === undefined ? '' : `, ready ${inSpan(boot.readyMs)} after its kernel started`;
  deps.stdout(`\n${boot.isPassed ? 'passed' : 'NOT passed'}${ready}; the result is in ${folder}/test.json\n`);
}

const inSpan = (ms: number) => formatSpan(ms * 1000);

const CHECKS: readonly Column<Check>[] = [
  {
    title: '',
    cell: ({ isPassed }) => (isPassed ? 'ok' : 'NO'),
    style: ({ isPassed }) => (isPassed ? 'good' : 'bad'),
  },
  { title: 'WHAT', cell: ({ name }) => name },
  { title: 'FOUND', cell: ({ detail }) => detail, narrow: 'wrap' },
];
const PHASES: readonly Column<BootTest['phases'][number]>[] = [
  { title: 'PHASE', cell: ({ name }) => name },
  { title: 'TOOK', align: 'right', cell: ({ tookMs }) => inSpan(tookMs) },
];
const BUDGET: readonly Column<BootTest['budget'][number]>[] = [
  { title: 'VERDICT', cell: ({ verdict }) => verdict },
  { title: 'LIMIT', align: 'right', cell: ({ limitMs }) => inSpan(limitMs) },
  { title: 'ACTUAL', align: 'right', cell: ({ actualMs }) => (actualMs === undefined ? '-' : inSpan(actualMs)) },
  { title: 'WHAT', cell: ({ path }) => path },
  { title: '', cell: ({ detail }) => detail ?? '', narrow: 'wrap' },
];
