import { describe, expect, it } from 'vitest';
import { TransientError, UserError } from '../base/errors.ts';
import { trace } from '../base/trace.ts';
import { printJson, printJsonLine } from './output/json.ts';
import { type CliProgram, runProgram } from './program.ts';
import { testDeps } from './testing.ts';
import type { CliDeps, Verb } from './verb.ts';

const failure = new UserError('no room', {
  code: 'x/no-room',
  kept: 'Nothing was touched.',
  next: 'make room',
  exitCode: 4,
});

describe('a failure with --json', () => {
  it('is one document with the same facts as the text', async () => {
    const { stdout, stderr, code } = await ask(['go', '--json'], () => {
      throw failure;
    });
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toEqual({
      apiVersion: 'headstart.dev/v1',
      kind: 'Error',
      code: 'x/no-room',
      message: 'no room',
      kept: 'Nothing was touched.',
      next: 'make room',
      exitCode: 4,
    });
    expect(stderr).toBe('error: no room\n       Nothing was touched.\nnext:  make room\ncode:  x/no-room\n');
  });

  it('comes on one line after the events of a verb', async () => {
    const { stdout } = await ask(['go', '--json'], (deps) => {
      printJsonLine(deps, 'PoolEvent', { step: 'start' });
      throw new TransientError('busy', { code: 'x/busy' });
    });
    const kinds = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).kind);
    expect(kinds).toEqual(['PoolEvent', 'Error']);
  });

  it.each([
    ['one document', (deps: CliDeps) => printJson(deps, 'Pool', {})],
    ['the last line', (deps: CliDeps) => printJsonLine(deps, 'Pool', {})],
  ])('prints no Error after the answer was printed as %s', async (_what, print) => {
    const { stdout } = await ask(['go', '--json'], (deps) => {
      print(deps);
      throw failure;
    });
    expect(JSON.parse(stdout).kind).toBe('Pool');
  });

  it('is not printed when the answer is "no"', async () => {
    const { stdout, code } = await ask(['go', '--json'], (deps) => {
      printJson(deps, 'Check', {});
      return 3;
    });
    expect({ code, kind: JSON.parse(stdout).kind }).toEqual({ code: 3, kind: 'Check' });
  });

  it('names a bug without its stack; stderr has the stack', async () => {
    const { stdout, stderr, code } = await ask(['go', '--json'], () => {
      throw new Error('undefined is not a function');
    });
    expect(code).toBe(70);
    expect(JSON.parse(stdout)).toMatchObject({ code: 'cli/bug', message: 'undefined is not a function', exitCode: 70 });
    expect(stdout).not.toContain('    at ');
    expect(stderr).toContain('    at ');
  });

  it('has the exit code of the signal that ended the verb', async () => {
    const world = { signalExitCode: () => 130 };
    const interrupted = () => {
      throw failure;
    };
    expect(JSON.parse((await ask(['go', '--json'], interrupted, world)).stdout).exitCode).toBe(130);
  });

  it('keeps its exit code when standard output cannot be written', async () => {
    const stdout = () => {
      throw new UserError('the disk is full', { code: 'cli/stdout-unwritable', exitCode: 1 });
    };
    const fail = () => {
      throw failure;
    };
    const { code, stderr } = await ask(['go', '--json'], fail, { stdout });
    expect(code).toBe(4);
    expect(stderr).toMatch(/^error: no room\n[\s\S]*error: the disk is full\n/);
  });

  it('goes only to stderr without --json, and if standard output cannot be written', async () => {
    const fail = (code: string) => () => {
      throw new UserError('x', { code });
    };
    expect((await ask(['go'], fail('x/y'))).stdout).toBe('');
    expect((await ask(['go', '--json'], fail('cli/stdout-unwritable'))).stdout).toBe('');
  });
});

describe('--verbose', () => {
  const call = () => trace('azure', 'GET /subscriptions?sig=abc');

  it.each([
    ['go', '--verbose'],
    ['--verbose', 'go'],
  ])('shows calls for `%s %s`, with secrets masked', async (...argv) => {
    expect((await ask(argv, call)).stderr).toBe('verbose: azure      GET /subscriptions?sig=***\n');
  });

  it('is also set by HEADSTART_VERBOSE', async () => {
    expect((await ask(['go'], call, { env: { HEADSTART_VERBOSE: '1' } })).stderr).toContain('verbose: azure');
    expect((await ask(['go'], call, { env: { HEADSTART_VERBOSE: '0' } })).stderr).toBe('');
  });

  it('ends with the command, and prints no control characters', async () => {
    const { stderr } = await ask(['go', '--verbose'], () => trace('run', 'a\u001b[2Jb'));
    expect(stderr).not.toContain('\u001b');
    expect((await ask(['go'], call)).stderr).toBe('');
  });
});

function ask(argv: string[], go: (deps: CliDeps) => ReturnType<Verb['run']>, world: Partial<CliDeps> = {}) {
  const verb: Verb = {
    examples: [],
    configure: (command) => command.option('--json', 'print JSON'),
    run: (_args, _options, deps) => go(deps),
  };
  const program: CliProgram = {
    summary: '',
    groups: {},
    examples: [],
    verbs: { go: { summary: '', load: async () => ({ verb }) } },
  };
  const { ran, deps } = testDeps({});
  return runProgram(program, argv, { ...deps, ...world }).then((code) => ({ ...ran, code }));
}
