// node/status/steps-file.ts: where did the daemon's time go in this boot? Every step it took, on the clock that the kernel and systemd
// use, in a file that `headstart boot` reads as spans. Names are stable: budgets are written against them.

/** Below the root; gone with the boot that it speaks of. */
export const STEPS_PATH = 'run/headstart/steps.json';

export interface NodeSteps {
  apiVersion: 'headstart.dev/v1';
  kind: 'NodeSteps';
  /** As the kernel writes it, with dashes. */
  bootId?: string | undefined;
  /** Both clocks, read at the same moment. */
  anchor: { monotonicUs: number; wallUs: number };
  /** In the order in which they ended. */
  steps: readonly TimedStep[];
}

export interface TimedStep {
  /** One of STEPS; below `apply` also `apply/<what>`, such as `apply/daemon-reload`. */
  name: string;
  /** Microseconds since the kernel started. */
  startUs: number;
  tookUs: number;
  isOk: boolean;
  generation?: number | undefined;
  /** What it was about: a source, a unit, a reason code. */
  detail?: string | undefined;
}

/** In the order of a first boot. */
export const STEPS = {
  start: 'from the start of the process to its first line in the log',
  load: 'the program itself is loaded',
  turn: 'this machine has an identity, file systems and settings of its own, which the daemon is started beside',
  recover: 'what an interrupted change left behind is finished or undone',
  fetch: 'the metadata service is asked until it answers',
  read: 'the document is read and checked',
  apply: 'the node is looked at, the change is planned and made',
  ready: 'systemd is told that kubelet may start',
  verify: 'the health of the node after the change is watched',
  commit: 'the generation becomes the last one known to be good',
  'roll-back': 'a change is taken back',
} as const;

export type StepName = keyof typeof STEPS;

export interface StepRecorder {
  /** Runs `act` and remembers how long it took, also when it throws. */
  time<T>(name: StepName, act: () => Promise<T>, about?: DescribeStep<T>): Promise<T>;
  add(step: TimedStep): void;
  /** One that began at `startUs` and is over now. */
  since(name: StepName, startUs: number, about?: ReturnType<DescribeStep<unknown>>): void;
  nowUs(): number;
  has(name: StepName): boolean;
  /** What belongs into the file. */
  steps(): NodeSteps;
}

/** What to say of a result; a step that throws is not ok. */
export type DescribeStep<T> = (result: T) => Partial<Pick<TimedStep, 'isOk' | 'generation' | 'detail'>>;

export interface StepClocks {
  monotonicUs(): number;
  wallUs(): number;
  bootId?: string | undefined;
}

/** The boot is what a boot analysis asks about, so its steps stay; of those after it the latest do. */
const FIRST_KEPT = 64;
const LAST_KEPT = 192;

export function recordSteps({ monotonicUs, wallUs, bootId }: StepClocks): StepRecorder {
  const steps: TimedStep[] = [];
  const add = (step: TimedStep) => {
    steps.push(step);
    if (steps.length > FIRST_KEPT + LAST_KEPT) steps.splice(FIRST_KEPT, 1);
  };
  return {
    add,
    async time(name, act, about = () => ({})) {
      const startUs = monotonicUs();
      try {
        const result = await act();
        add({ name, startUs, tookUs: monotonicUs() - startUs, isOk: true, ...about(result) });
        return result;
      } catch (error) {
        add({ name, startUs, tookUs: monotonicUs() - startUs, isOk: false });
        throw error;
      }
    },
    since(name, startUs, about = {}) {
      add({ name, startUs, tookUs: monotonicUs() - startUs, isOk: true, ...about });
    },
    nowUs: monotonicUs,
    has: (name) => steps.some((step) => step.name === name),
    steps: () => ({
      apiVersion: 'headstart.dev/v1',
      kind: 'NodeSteps',
      bootId,
      anchor: { monotonicUs: monotonicUs(), wallUs: wallUs() },
      steps: [...steps],
    }),
  };
}

export function renderSteps(steps: NodeSteps): string {
  return `${JSON.stringify(steps)}\n`;
}
