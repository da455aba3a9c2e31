import { expect, test } from 'vitest';
import { run } from '../../../../cli/testing.ts';
import { memoryInput } from '../../input.ts';
import { sourceSuite } from '../source.suite.ts';
import { consoleLogSource, parseConsole } from './console-log.ts';
import { dmesgSource } from './dmesg.ts';

const OK = '[\u001b[0;32m  OK  \u001b[0m]';
const CONSOLE = `SeaBIOS (version 1.16.0)\r
Booting from Hard Disk...\r
[    0.000000] Linux version 6.1.0-13-cloud-amd64 (build@host)\r
[    1.500000] Run /init as init process\r
[    2.500000] systemd[1]: systemd 252.17 running in system mode (+PAM)\r
${OK} Created slice \u001b[0;1;39mSystem Slice\u001b[0m.\r
         Starting \u001b[0;1;39mNetwork Service\u001b[0m...\r
[    6.100000] cloud-init[301]: Cloud-init v. 22.4.2 running 'init-local' at Tue, 17 Nov 2026 10:00:06 +0000. Up 6.05 seconds.\r
[    8.000000] virtio_net virtio0 eth0: link up\r
${OK} Reached target \u001b[0;1;39mNetwork is Online\u001b[0m.\r
[   12.000000] cloud-init[402]: Cloud-init v. 22.4.2 running 'init' at Tue, 17 Nov 2026 10:00:12 +0000. Up 11.98 seconds.\r
\u001b[K[ ***  ] A start job is running for Wait for Disk (45s / 1min 30s)\r\u001b[K[FAILED] Failed to start \u001b[0;1;39mWait for Disk\u001b[0m.\r
[   60.000000] cloud-init[500]: Cloud-init v. 22.4.2 running 'modules:final' at Tue, 17 Nov 2026 10:01:00 +0000. Up 59.90 seconds.\r
[   70.000000] cloud-init[500]: Cloud-init v. 22.4.2 finished at Tue, 17 Nov 2026 10:01:10 +0000. Datasource DataSourceNoCloud.  Up 69.95 seconds\r
${OK} Started \u001b[0;1;39mkubelet: The Kubernetes Node Agent\u001b[0m.\r
\r
Debian GNU/Linux 12 node-1 ttyS0\r
\r
node-1 login: `;

sourceSuite(consoleLogSource, CONSOLE);
sourceSuite(consoleLogSource, JSON.stringify({ InstanceId: 'i-0', Output: CONSOLE }, null, 2), 'the JSON of a cloud');

test('has the times of the kernel and of cloud-init; lines without a time are placed between their neighbours', () => {
  const [boot, output, ...more] = parseConsole(memoryInput('console.txt', CONSOLE));
  expect(more).toEqual([]);
  expect(boot).toMatchObject({
    host: { hostname: 'node-1', kernel: '6.1.0-13-cloud-amd64', systemdVersion: '252.17' },
  });
  expect(boot!.spans).toMatchObject([{ id: 'kernel:until-init', endUs: 1.5e6 }]);
  // Between the line at 8 s and the banner with the uptime 11.98 s.
  expect(boot!.milestones).toContainEqual(
    expect.objectContaining({ name: 'network-online', atUs: 9.99e6, errorUs: 1.99e6 }),
  );
  expect(output).toMatchObject({
    kind: 'cloud-init-output',
    spans: [{ name: 'modules-final', startUs: 59.9e6, endUs: 69.95e6 }],
    host: { cloud: 'nocloud' },
  });
});

test('an instant after the last time on the console is unknown: no milestone', () => {
  const [boot] = parseConsole(memoryInput('console.txt', CONSOLE));
  expect(boot!.milestones.map(({ name }) => name)).not.toContain('kubelet-started');
});

test('failures, long start jobs and the missing times are told', () => {
  const notes = parseConsole(memoryInput('console.txt', CONSOLE)).flatMap((each) => each.notes.map(({ text }) => text));
  expect(notes).toEqual([
    'console.txt: systemd reports failures: Failed to start Wait for Disk.',
    'console.txt: systemd waited for start jobs: Wait for Disk at least 45s',
    'console.txt: 4 status lines of systemd without a time: when these units started is unknown',
    expect.stringContaining('init-local at 6.050s, init-network at 11.980s'),
  ]);
});

test('a console with several boots gives each its own kernel start and name', async () => {
  const second = CONSOLE.replaceAll('17 Nov', '18 Nov').replace('6.1.0-13', '6.1.0-14');
  const { code, stdout, stderr } = await run(['boot', 'export', '-', '--boot', '1'], {
    stdin: `${CONSOLE}\r\n${second}`,
  });
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { name: 'line 3', host: { kernel: '6.1.0-13-cloud-amd64' } }]);
  expect(stderr).not.toContain('6.1.0-14');
});

test('a console whose kernel part fills the head is read as a console, not only as dmesg', () => {
  const kernel = Array.from({ length: 3000 }, (_, at) => `[    1.${String(at).padStart(6, '0')}] pci: device ${at}`);
  const text = CONSOLE.replace('[    1.500000]', () => `${kernel.join('\r\n')}\r\n[    1.500000]`);
  const input = memoryInput('console.txt', text);
  expect(dmesgSource.recognise(input)).toBeGreaterThan(consoleLogSource.recognise(input));
  expect(dmesgSource.parse(input).map(({ kind }) => kind)).toEqual(['console-log', 'cloud-init-output']);
});

test('status lines without any time are no boot: the error says what it looks like', async () => {
  const { code, stderr } = await run(['boot', 'timeline', '-'], {
    stdin: '[  OK  ] Started A.\n[  OK  ] Started B.\n',
  });
  expect(code).toBe(2);
  expect(stderr).toContain('looks like a serial console log, but nothing in it could be read');
});
