import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bootRecord, managerTimes, span, unit } from '../../boot/testing.ts';
import { runVerb, type TestWorld } from '../testing.ts';
import { verb } from './timeline.ts';

const stdin = JSON.stringify(
  bootRecord({
    manager: managerTimes({ userspaceUs: 2_000_000, finishUs: 40_000_000 }),
    units: [unit('slow.service', 3, 9)],
    spans: [span('parked', 20, 35, { name: 'parked', source: 'cloud-init', wait: 'until it is claimed' })],
  }),
);
const timeline = (argv: string[] = [], world: TestWorld = {}) =>
  runVerb(verb, ['-i', '-', ...argv], { stdin, ...world });

describe('boot timeline', () => {
  it('ends with the total', async () => {
    const { code, stdout } = await timeline();
    expect(code).toBe(0);
    expect(stdout).toMatch(/40s until startup-finished\.\n$/);
  });

  it('splits the total into the node’s own time and waits', async () => {
    const seed = fileURLToPath(new URL('../../boot/fixtures/seeds/preprovisioned.critical-chain.txt', import.meta.url));
    const { stdout } = await runVerb(verb, ['-i', seed]);
    expect(stdout).toMatch(
      /: [\d.]+s of the node's own time and 16min 41\.443s of waits on the critical path for something outside it\.\n$/,
    );
    const { totalUs, waitUs, ownUs } = JSON.parse((await runVerb(verb, ['-i', seed, '--json'])).stdout);
    expect(ownUs + waitUs).toBe(totalUs);
  });

  it('prints how exact the total of a text log is', async () => {
    const text = [
      "Nov 15 10:00:12 n cloud-init[9]: Cloud-init v. 22.4.2 running 'init-local' at Sun, 15 Nov 2026 10:00:07 +0000. Up 7.21 seconds.",
      'Nov 15 10:00:14 n systemd[1]: Started a.service - A.',
      'Nov 15 10:00:20 n kubelet[7]: I1115 10:00:20.500000    7 kubelet_node_status.go:73] "Successfully registered node" node="n"',
    ].join('\n');
    const { stdout, stderr } = await runVerb(verb, ['-i', '-'], { stdin: text });
    expect(stdout).toMatch(/20\.\d+s ± 0\.\d+ s until node-registered\./);
    expect(stderr).toContain('exact to 1 s');
  });

  it('says that times of a log without an uptime do not count from the kernel start', async () => {
    const text =
      'Nov 15 10:00:14 n systemd[1]: Starting a.service - A.\nNov 15 10:00:20 n systemd[1]: Started a.service - A.\n';
    const { stdout, stderr } = await runVerb(verb, ['-i', '-'], { stdin: text });
    expect(stdout).toMatch(/Times count from the first event: no input says when the kernel started\.\n$/);
    expect(stderr).toContain('the year is unknown');
  });

  it('marks instants with a star, and waits as such', async () => {
    const { stdout } = await timeline();
    expect(stdout).toMatch(/^ *40s +.*\* startup-finished/m);
    expect(stdout).toMatch(/^ *20s +15s +wait +cloud-init +parked/m);
  });

  it('drops the source on a narrow terminal', async () => {
    expect((await timeline()).stdout).toContain('SOURCE');
    expect((await timeline([], { columns: 40, env: { NO_COLOR: '1' } })).stdout).not.toContain('SOURCE');
  });

  it('prints one document with --json', async () => {
    expect(JSON.parse((await timeline(['--json'])).stdout)).toMatchObject({
      ...{ kind: 'BootTimeline', totalUs: 40_000_000, waitUs: 0, ownUs: 40_000_000 },
      endsAt: 'startup-finished',
    });
  });
});
