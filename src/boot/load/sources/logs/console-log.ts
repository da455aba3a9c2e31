// boot/load/sources/logs/console-log.ts: reads what a machine printed on its serial console: the kernel, systemd's status lines,
// cloud-init's banners.
import type { Evidence } from '../../../model/evidence.ts';
import { headText, type Input, linesOf } from '../../input.ts';
import type { EvidenceSource } from '../source.ts';
import { ConsoleBoot } from './console-boot.ts';
import { type ConsoleLine, consolePieces, parseConsoleLine } from './console-line.ts';
import { isWrapped, unwrapped } from './console-wrapper.ts';

export const consoleLogSource = {
  kind: 'console-log',
  title: 'a serial console log',
  recognise,
  async parse(input) {
    const inner = isWrapped(input) ? await unwrapped(input) : input;
    return inner ? parseConsole(inner) : [];
  },
} satisfies EvidenceSource;

function recognise(input: Input): number {
  const head = headText(input);
  if (isWrapped(input))
    return /\[ *\d+\.\d{6}\]|\[ {2}OK {2}\]|login:|Output"?: *"[A-Za-z0-9+/]{60}/.test(head) ? 0.9 : 0;
  const counts = { stamped: 0, banner: 0, status: 0, job: 0, login: 0, program: 0 };
  for (const piece of head.split('\n').flatMap(consolePieces)) {
    const line = parseConsoleLine(piece);
    if (!line) continue;
    counts[line.kind]++;
    if (line.kind === 'stamped' && line.identifier !== 'kernel') counts.program++;
  }
  const timed = counts.stamped + counts.banner;
  if (counts.status >= 2) return timed > 0 ? 0.8 : 0.3;
  // With `quiet` only programs and the prompt are on it.
  return counts.stamped > 0 && counts.program + counts.banner + counts.login > 0 ? 0.75 : 0;
}

/** The kernel starts, or the uptime goes back further than lines overtake each other. */
const REORDERED_US = 30e6;

export function parseConsole(input: Input): Evidence[] {
  const boots: { line: number; boot: ConsoleBoot }[] = [];
  let number = 0;
  let hasTimes = false;
  for (const raw of linesOf(input)) {
    number++;
    for (const line of consolePieces(raw).map(parseConsoleLine)) {
      if (!line) continue;
      if (line.kind === 'stamped' || line.kind === 'banner') hasTimes = true;
      const current = boots.at(-1)?.boot;
      if (!current || isNextBoot(line, current)) boots.push({ line: number, boot: new ConsoleBoot() });
      boots.at(-1)!.boot.add(line);
    }
  }
  if (!hasTimes) return [];
  const timed = boots.filter(({ boot }) => boot.lastUs > 0);
  return timed.flatMap(({ line, boot }) =>
    boot.evidence({ input: input.name, ...(timed.length > 1 && { name: `line ${line}` }) }),
  );
}

function isNextBoot(line: ConsoleLine, current: ConsoleBoot): boolean {
  if (line.kind === 'stamped') {
    const isKernelStart = line.identifier === 'kernel' && line.message.startsWith('Linux version ');
    return (isKernelStart && current.lastUs > 0) || line.atUs < current.lastUs - REORDERED_US;
  }
  return line.kind === 'banner' && line.banner.upUs < current.lastUs - REORDERED_US;
}
