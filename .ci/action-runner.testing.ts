// .ci/action-runner.testing.ts: runs the steps of a composite action as GitHub's runner does: shell flags, environment, GITHUB_ files, commands in the log.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

interface ActionStep {
  id?: string;
  shell: string;
  run: string;
  env?: Record<string, string>;
}

export interface Action {
  inputs: Record<string, { description: string; required?: boolean; default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: ActionStep[] };
}

/** A command that the runner found in the log and acts on. */
export interface Annotation {
  level: string;
  title: string;
  file?: string;
  message: string;
}

export interface ActionRun {
  code: number | null;
  log: string;
  annotations: Annotation[];
  outputs: Record<string, string>;
  summary: string;
}

export interface RunnerWorld {
  /** The checkout of the action. */
  action: string;
  /** The checkout of the workflow's repository, where steps run. */
  workspace: string;
  path: string;
}

export const readAction = (folder: string): Action => parse(readFileSync(join(folder, 'action.yml'), 'utf8')) as Action;

export function runAction(
  given: Readonly<Record<string, string>>,
  { action, workspace, path }: RunnerWorld,
): ActionRun {
  const { inputs, outputs, runs } = readAction(action);
  if (runs.using !== 'composite') throw new Error(`expected a composite action, got ${runs.using}`);
  const unknown = Object.keys(given).filter((name) => !(name in inputs));
  if (unknown.length > 0) throw new Error(`the action has no input ${unknown.join(', ')}`);
  const temporary = mkdtempSync(join(tmpdir(), 'headstart-runner-'));
  try {
    const context: Context = { inputs: {}, steps: {} };
    for (const [name, input] of Object.entries(inputs)) context.inputs[name] = given[name] ?? input.default ?? '';
    const run: ActionRun = { code: 0, log: '', annotations: [], outputs: {}, summary: '' };
    for (const [index, step] of runs.steps.entries()) {
      const folder = join(temporary, `${index}`);
      mkdirSync(folder);
      const ran = runStep(step, context, { action, workspace, path, folder });
      if (step.id) context.steps[step.id] = ran.outputs;
      run.log += ran.log;
      run.summary += ran.summary;
      run.annotations.push(...annotationsIn(ran.log));
      run.code = ran.code;
      if (ran.code !== 0) break;
    }
    for (const [name, { value }] of Object.entries(outputs)) run.outputs[name] = evaluate(value, context);
    return run;
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

interface Context {
  inputs: Record<string, string>;
  steps: Record<string, Record<string, string>>;
}

const SHELLS: Readonly<Record<string, readonly string[]>> = {
  bash: ['bash', '--noprofile', '--norc', '-eo', 'pipefail'],
};

function runStep(step: ActionStep, context: Context, world: RunnerWorld & { folder: string }) {
  const { action, workspace, path, folder } = world;
  const file = (name: string, text = '') => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const files = { GITHUB_OUTPUT: file('output'), GITHUB_STEP_SUMMARY: file('summary'), GITHUB_ENV: file('env') };
  const temporary = join(folder, 'temp');
  mkdirSync(temporary);
  const env = {
    ...{ PATH: path, HOME: folder, CI: 'true', GITHUB_ACTIONS: 'true', RUNNER_OS: 'Linux', LANG: 'C.UTF-8' },
    ...{ GITHUB_ACTION_PATH: action, GITHUB_WORKSPACE: workspace, RUNNER_TEMP: temporary },
    ...files,
    ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluate(value, context)])),
  };
  const script = file('script.sh', evaluate(step.run, context));
  const [shell, ...flags] = SHELLS[step.shell] ?? [];
  if (shell === undefined) throw new Error(`the step uses an unknown shell: ${step.shell}`);
  const { status, stdout, stderr } = spawnSync(shell, [...flags, script], { cwd: workspace, env, encoding: 'utf8' });
  return {
    code: status,
    log: stdout + stderr, // the runner reads both
    outputs: parseOutputs(readFileSync(files.GITHUB_OUTPUT, 'utf8')),
    summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8'),
  };
}

/** Only the contexts that composite actions of this project need. */
function evaluate(text: string, { inputs, steps }: Context): string {
  return text.replace(/\$\{\{ *([\w.-]+) *\}\}/g, (_, path: string) => {
    const [root, first = '', , last = ''] = path.split('.');
    if (root === 'inputs' && first in inputs) return inputs[first]!;
    if (root === 'steps') return steps[first]?.[last] ?? '';
    throw new Error(`the runner would not know ${path}`);
  });
}

function parseOutputs(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const [, name, value] = /^([\w-]+)=(.*)$/.exec(line) ?? [];
        if (name === undefined) throw new Error(`not a line of GITHUB_OUTPUT: ${line}`);
        return [name, value!];
      }),
  );
}

/** Commands stand at the start of a line; `::stop-commands::TOKEN` switches them off until `::TOKEN::`. */
export function annotationsIn(log: string): Annotation[] {
  let token: string | undefined;
  const found: Annotation[] = [];
  for (const line of log.split(/\r\n|\n|\r/)) {
    const [, name, properties = '', data] = /^\s*::([\w-]+)(?: (.*?))?::(.*)$/.exec(line) ?? [];
    if (token !== undefined) {
      if (line.trim() === `::${token}::`) token = undefined;
    } else if (name === 'stop-commands') token = data!;
    else if (name !== undefined) {
      const given = new Map(properties.split(',').map((pair) => pair.split('=') as [string, string]));
      const of = (key: string) =>
        unescaped(given.get(key) ?? '')
          .replaceAll('%3A', ':')
          .replaceAll('%2C', ',');
      found.push({
        level: name,
        title: of('title'),
        ...(given.has('file') && { file: of('file') }),
        message: unescaped(data!),
      });
    }
  }
  return found;
}

function unescaped(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}
