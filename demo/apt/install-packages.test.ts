import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/errors.ts';
import { fakeClock } from '../../src/base/fake-clock.ts';
import { type AptRan, aptWaitS, installPackages } from './install-packages.ts';

const LISTS_LOCKED = [
  'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)',
  'E: Unable to lock directory /var/lib/apt/lists/',
];
const WAITING =
  'Waiting for cache lock: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 8 (unattended-upgr)...';

/** An apt-get whose locks are held for a given time; like the real one, it waits for dpkg's lock by itself. */
function machine({ listsS = 0, dpkgS = 0, install = { code: 0, lines: ['Setting up figlet'] } as AptRan } = {}) {
  const clock = fakeClock();
  const begunMs = clock.nowMs();
  const heldFor = (seconds: number) => clock.nowMs() < begunMs + seconds * 1000;
  const said: string[] = [];
  const runs: string[] = [];
  const runApt = async (args: readonly string[], onLine: (line: string) => void): Promise<AptRan> => {
    runs.push(args.find((arg) => arg === 'update' || arg === 'install')!);
    const emit = (code: number, lines: readonly string[]) => {
      for (const line of lines) onLine(line);
      return { code, lines: [...lines] };
    };
    if (args.includes('update')) return heldFor(listsS) ? emit(100, LISTS_LOCKED) : emit(0, []);
    const patienceMs = clock.nowMs() + Number(/Timeout=(\d+)/.exec(args.join(' '))![1]) * 1000;
    while (heldFor(dpkgS)) {
      onLine(WAITING);
      if (clock.nowMs() >= patienceMs)
        return emit(100, [WAITING, 'E: … (/var/lib/dpkg/), is another process using it?']);
      clock.advance(1000);
    }
    return emit(install.code, install.lines);
  };
  const deps = { runApt, clock, say: (line: string) => said.push(line) };
  return { said, runs, clock, install: (waitS: number) => installPackages(['figlet'], waitS, deps) };
}

describe('installing packages while another package manager is busy', () => {
  it.each([
    { what: "apt's lists", held: { listsS: 40 }, holder: 'process 7 (apt-get) holds /var/lib/apt/lists/lock' },
    {
      what: "dpkg's lock",
      held: { dpkgS: 40 },
      holder: 'process 8 (unattended-upgr) holds /var/lib/dpkg/lock-frontend',
    },
  ])('waits for $what, reports it at once and every 15 s, then installs', async ({ held, holder }) => {
    const { said, install } = machine(held);
    await install(600);
    const waits = said.filter((line) => line.includes('waiting for another package manager'));
    expect(waits).toHaveLength(3);
    for (const line of waits) expect(line).toContain(holder);
    expect(waits.map((line) => Number(/\((\d+) s, at most 600 s\)/.exec(line)![1]))).toEqual([
      0,
      expect.closeTo(15, -1),
      expect.closeTo(30, -1),
    ]);
  });

  it.each([{ listsS: 10_000 }, { dpkgS: 10_000 }])('gives up at the deadline: %o', async (held) => {
    const { install, clock } = machine(held);
    const begunMs = clock.nowMs();
    const error = await install(60).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ code: 'tools/package-manager-busy', exitCode: 1 });
    expect(error.message).toMatch(/process \d \(.*\) holds \/var\/lib/);
    expect(error.next).toContain('HEADSTART_APT_WAIT');
    expect((clock.nowMs() - begunMs) / 1000).toBeLessThan(65);
  });

  it('has one deadline for both locks', async () => {
    await expect(machine({ listsS: 50, dpkgS: 100 }).install(60)).rejects.toThrow('is busy');
    await expect(machine({ listsS: 20, dpkgS: 40 }).install(60)).resolves.toBeUndefined();
  });

  it("prints apt's last lines and the next command when it fails for another reason, and does not retry", async () => {
    const lines = [...Array.from({ length: 40 }, (_, i) => `line ${i}`), 'E: Unable to locate package figlet'];
    const { said, runs, install } = machine({ install: { code: 100, lines } });
    await expect(install(600)).rejects.toMatchObject({
      code: 'tools/apt-failed',
      next: 'apt-get update && apt-get install --yes --no-install-recommends figlet',
    });
    expect(said.slice(-15)).toEqual(lines.slice(-15).map((line) => `     ${line}`));
    expect(runs).toEqual(['update', 'install']);
  });

  it.each([
    [undefined, 600],
    ['', 600],
    ['0', 0],
    ['90', 90],
  ])('waits as long as HEADSTART_APT_WAIT=%s says: %d s', (text, seconds) => {
    expect(aptWaitS(text)).toBe(seconds);
  });

  it.each(['ten', '-1', '1.5', '9999999'])('refuses HEADSTART_APT_WAIT=%s', (text) => {
    expect(() => aptWaitS(text)).toThrow('expected a number of seconds');
  });
});
