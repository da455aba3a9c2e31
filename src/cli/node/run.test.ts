import { describe, expect, it } from 'vitest';
import { run } from '../testing.ts';
import { nodeStandIn } from './testing.ts';

const standIn = nodeStandIn();
const { node } = standIn;

describe('headstart node run', () => {
  it('logs its start first, prints its status as JSON lines, answers on its socket, and ends on a signal', async () => {
    const stop = new AbortController();
    const ran = run(['node', 'run', '--root', standIn.folder.root, '--json'], { signal: stop.signal });
    const status = async (): Promise<string> => {
      const { code, stdout } = await node('status', '--json');
      return code === 0 ? String((JSON.parse(stdout) as { code: string }).code) : '';
    };
    while ((await status()) !== 'metadata/no-user-data') await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    const { code, stdout, stderr } = await ran;
    expect(code).toBe(0);
    expect(stderr.split('\n')[0]).toMatch(/^headstart node starts pid=\d+$/);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; phase: string });
    expect(lines.every(({ kind }) => kind === 'NodeStatus')).toBe(true);
    expect(lines.at(-1)).toMatchObject({ phase: 'Idle', code: 'metadata/no-user-data', isReady: false });
  });

  it.each([
    ['--platform', 'moon'],
    ['--metadata-url', 'https://user@host/path'],
  ])('exits 2 for %s %s', async (option, value) => {
    expect((await node('run', option, value)).code).toBe(2);
  });
});
