// bench/large-inputs.ts: what do very large inputs cost: many boots in one log, a gigabyte of each kind, and the record of a boot?
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, createReadStream, createWriteStream, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Bench, Figure } from './figure.ts';
import { writeLog } from './inputs.ts';
import { type Measured, measure } from './measure.ts';

const GIGABYTE = 1_000_000_000;
const MOST_MB = 400;
const BOOTS = 20_000;
const MOST_SECONDS = 10;

export async function measureLargeInputs(bench: Bench): Promise<Figure[]> {
  await measure([bench.headstart, '--help']); // fills the compile cache
  return [await manyBoots(bench), ...(await gigabytes(bench)), await recordCost(bench)];
}

async function manyBoots({ headstart, folder, progress }: Bench): Promise<Figure> {
  const log = join(folder, 'syslog');
  progress(`a syslog of ${BOOTS} boots`);
  writeSyslog(log, BOOTS);
  const ran = await measure([headstart, 'boot', 'timeline', '-i', log]);
  return {
    name: `timeline of a syslog with ${BOOTS} boots (${megabytes(log)} MB)`,
    goal: `under ${MOST_SECONDS} s`,
    met: ran.code === 0 && ran.seconds < MOST_SECONDS,
    said: `${ran.seconds.toFixed(1)} s, ${ran.peakMb.toFixed(0)} MB`,
    measured: ran,
  };
}

async function gigabytes({ headstart, folder, progress }: Bench): Promise<Figure[]> {
  const journal = join(folder, 'journal.json');
  const log = join(folder, 'cloud-init.log');
  const zeros = join(folder, 'zeros.gz');
  progress('a gigabyte of journal, of cloud-init.log, and of zeros in gzip');
  writeJournal(journal, GIGABYTE);
  await writeLog(log, Math.ceil(GIGABYTE / 128));
  await writeZeros(zeros, GIGABYTE);
  const timeline = [headstart, 'boot', 'timeline', '-i'];
  const figures: Figure[] = [];
  const add = (name: string, ran: Measured, codes: readonly number[]) =>
    figures.push({
      name,
      goal: `under ${MOST_MB} MB`,
      met: codes.includes(ran.code) && ran.peakMb < MOST_MB,
      said: `${ran.peakMb.toFixed(0)} MB, ${ran.seconds.toFixed(1)} s, exit ${ran.code}`,
      measured: ran,
    });
  progress('timeline of each');
  add(`timeline of ${megabytes(journal)} MB of journal JSON`, await measure([...timeline, journal]), [0]);
  add(`timeline of ${megabytes(log)} MB of cloud-init.log`, await measure([...timeline, log]), [0]);
  // Refused: zeros are no input.
  add(`timeline of ${GIGABYTE / 1e6} MB of zeros in gzip`, await measure([...timeline, zeros]), [2]);
  const fifo = join(folder, 'journal.pipe');
  execFileSync('mkfifo', [fifo]);
  const writer = spawn('cp', [journal, fifo], { stdio: 'ignore' });
  const piped = await measure([...timeline, '-'], openSync(fifo, 'r'));
  writer.kill();
  add(`timeline of ${megabytes(journal)} MB of journal JSON on standard input`, piped, [0]);
  return figures;
}

/** Of a recorded boot: the timer of `--install` runs it once, three minutes after the start of a boot. */
async function recordCost({ root, headstart, folder, progress }: Bench): Promise<Figure> {
  progress('boot record of a recorded boot, 5 times');
  const boots = join(root, 'src', 'boot', 'fixtures', 'boots');
  const runs: Measured[] = [];
  const records = join(folder, 'records');
  for (let round = 0; round < 5; round++)
    runs.push(await measure([headstart, 'boot', 'record', '-i', join(boots, 'node-boot.tar.gz'), '--dir', records]));
  const cpuS = Math.max(...runs.map((run) => run.cpuS));
  const bytes = readdirSync(records).reduce((sum, name) => sum + statSync(join(records, name)).size, 0);
  return {
    name: 'boot record, once per boot, three minutes after its start',
    goal: 'under 2 s of CPU, under 64 KB a boot',
    met: runs.every(({ code }) => code === 0) && cpuS < 2 && bytes < 64_000,
    said: `${cpuS.toFixed(2)} s of CPU at most, ${Math.max(...runs.map(({ peakMb }) => peakMb)).toFixed(0)} MB, ${bytes} bytes`,
    measured: { runs, bytes },
  };
}

/** As rsyslog writes it: each boot an hour after the one before. */
function writeSyslog(path: string, boots: number): void {
  const file = openSync(path, 'w');
  const startMs = Date.UTC(2023, 0, 1);
  for (let boot = 0; boot < boots; boot++) {
    const at = (seconds: number) =>
      new Date(startMs + boot * 3_600_000 + seconds * 1000).toISOString().replace('Z', '000+00:00');
    writeSync(
      file,
      [
        `${at(0)} node kernel: [    0.000000] Linux version 6.1.0-18-amd64 (gcc) #1 SMP`,
        `${at(0)} node kernel: [    0.000000] Command line: root=/dev/vda1`,
        `${at(2)} node systemd[1]: Starting slow.service - A slow service...`,
        `${at(7)} node systemd[1]: Started slow.service - A slow service.`,
        `${at(9)} node systemd[1]: Startup finished in 1.500s (kernel) + 7.500s (userspace) = 9.000s.`,
        '',
      ].join('\n'),
    );
  }
  closeSync(file);
}

/** systemd's id of the message. */
const UNIT_STARTED = '39f53479d3a045ac8e11786248231fbf';

/** One boot, whose services log without end. */
function writeJournal(path: string, bytes: number): void {
  const file = openSync(path, 'w');
  const startUs = Date.UTC(2024, 4, 1) * 1000;
  const bootId = '0123456789abcdef0123456789abcdef';
  const line = (us: number, fields: object) =>
    `${JSON.stringify({ __REALTIME_TIMESTAMP: String(startUs + us), __MONOTONIC_TIMESTAMP: String(us), _BOOT_ID: bootId, ...fields })}\n`;
  let written = writeSync(file, line(0, { _TRANSPORT: 'kernel', MESSAGE: 'Linux version 6.1.0-18-amd64' }));
  written += writeSync(
    file,
    line(3e6, { _PID: '1', MESSAGE_ID: UNIT_STARTED, UNIT: 'a.service', JOB_RESULT: 'done', MESSAGE: 'Started a.' }),
  );
  const texts: string[] = [];
  for (let n = 0; n < 10_000; n++)
    texts.push(
      line(4e6 + n * 1000, { _PID: '700', SYSLOG_IDENTIFIER: 'app', MESSAGE: `request ${n} ${'x'.repeat(120)}` }),
    );
  const block = texts.join('');
  while (written < bytes) written += writeSync(file, block);
  closeSync(file);
}

async function writeZeros(path: string, bytes: number): Promise<void> {
  await pipeline(createReadStream('/dev/zero', { end: bytes - 1 }), createGzip(), createWriteStream(path));
}

function megabytes(path: string): string {
  return (statSync(path).size / 1e6).toFixed(0);
}
