import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../base/command.ts';
import type { ScriptResult } from './cluster.ts';
import { privateOutput } from './private-output.ts';

/** Runs the script like a node would, in a folder instead of /run. */
async function runHere(script: string, env?: NodeJS.ProcessEnv): Promise<ScriptResult> {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-private-'));
  try {
    const { code, stdout, stderr } = await runCommand(['/bin/sh', '-c', script.replaceAll('/run/', `${folder}/`)], {
      ...(env && { env }),
    });
    expect(readdirSync(folder)).toEqual([]);
    return { exitCode: code ?? -1, stdout: stdout.toString(), stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the output of a script that prints secrets', () => {
  it.each(['s3cret', '', `it's "quoted" $HOME \\ ü\n\n`])('leaves the node encrypted: %j', async (text) => {
    const { script, open } = privateOutput(`printf '%s' '${text.replaceAll("'", "'\\''")}'; echo told >&2; exit 3`);
    const result = await runHere(script);
    if (text !== '') expect(result.stdout).not.toContain(text);
    expect(open(result)).toEqual({ exitCode: 3, stdout: text, stderr: 'told\n' });
  });

  it('may be long', async () => {
    const { script, open } = privateOutput("head -c 300000 /dev/zero | tr '\\0' x");
    expect(open(await runHere(script)).stdout).toBe('x'.repeat(300_000));
  });

  it('is rejected when a part is missing', async () => {
    const { script, open } = privateOutput('echo s3cret');
    const result = await runHere(script);
    const [key = ''] = result.stdout.split('\n');
    expect(() => open({ ...result, stdout: key })).toThrow('incomplete');
  });

  it('is not read without openssl', async () => {
    const { script, open } = privateOutput('echo s3cret');
    const result = await runHere(script, { PATH: '/nowhere' });
    expect(() => open(result)).toThrow('no openssl');
  });
});
