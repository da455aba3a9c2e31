// node/status/steps-file.ts: how long did each step of the daemon take in this boot? A file with monotonic times that
// `headstart boot` reads as spans. Never rename a step: budgets refer to the names.

/** Relative to the root, on a tmpfs. */
export const STEPS_PATH = 'run/headstart/steps.json';

export interface NodeSteps {
  apiVersion: 'headstart.dev/v1';
  kind: 'NodeSteps';
  /** In the format of the kernel, with dashes. */
  bootId?: string | undefined;
  /** Both clocks, read at the same time. */
  anchor: { monotonicUs: number; wallUs: number };
  /** In the order of their ends. */
  steps: readonly TimedStep[];
}

export interface TimedStep {
  /** One of STEPS; below `apply` also `apply/<part>`, for example `apply/daemon-reload`. */
  name: string;
  /** Microseconds since the kernel started. */
  startUs: number;
  tookUs: number;
  isOk: boolean;
  generation?: number | undefined;
  /** A source, a unit or a reason code. */
  detail?: string | undefined;
}

/** In the order of a first boot. */
export const STEPS = {
  start: 'the process starts, up to its first log line',
  load: 'the process loads the program',
  turn: 'the daemon waits until the identity, file systems and settings of this machine are set up',
  recover: 'the daemon finishes or rolls back an interrupted change',
  fetch: 'the daemon queries the metadata service until it answers',
  read: 'the daemon reads and checks the document',
  apply: 'the daemon observes the node, then plans and makes the change',
  standby: 'the instance is in standby, until it is claimed',
  join: 'the daemon starts kubelet after the instance has left standby',
  ready: 'the daemon notifies systemd that kubelet may start',
  verify: 'the daemon watches the health of the node after the change',
  commit: 'the generation becomes the last known good',
  'roll-back': 'the daemon rolls back a change',
} as const;

export type StepName = keyof typeof STEPS;

export interface StepRecorder {
  /** Runs `act` and records its duration, also when it throws. */
  time<T>(name: StepName, act: () => Promise<T>, about?: DescribeStep<T>): Promise<T>;
  add(step: TimedStep): void;
  /** Records a step from `startUs` until now. */
  since(name: StepName, startUs: number, about?: ReturnType<DescribeStep<unknown>>): void;
  nowUs(): number;
  has(name: StepName): boolean;
  steps(): NodeSteps;
}

/** Describes a successful result; a step that throws is recorded as not ok. */
export type DescribeStep<T> = (result: T) => Partial<Pick<TimedStep, 'isOk' | 'generation' | 'detail'>>;

export interface StepClocks {
  monotonicUs(): number;
  wallUs(): number;
  bootId?: string | undefined;
}

/** A boot analysis needs the first steps, so they are kept; of later ones only the latest. */
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
