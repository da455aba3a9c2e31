// cli/boot/read-boot.ts: the options every boot verb shares, and the boots they name.
import type { Command } from 'commander';
import type { BootRecord } from '../../boot/record.ts';
import { wrapLines } from '../output/display-width.ts';
import { paint } from '../output/paint.ts';
import { screenOf } from '../output/screen.ts';
import { printable } from '../output/table.ts';
import type { Edges } from '../verb.ts';

export interface BootOptions {
  input?: string[];
  boot?: string;
  json?: boolean;
}

export function withBootOptions(command: Command): Command {
  return command
    .option('-i, --input <FILE|DIR|->', 'read this instead of the live machine; may be repeated', collect)
    .option('-b, --boot <N|ID>', 'which boot: 0 the last one, -1 the one before, or a boot id')
    .option('--json', 'print one JSON document');
}

export function collect(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

/** Every boot the inputs speak of, oldest first; never empty. What could not be read or aligned is told on stderr. */
export async function readBoots(options: BootOptions, edges: Edges): Promise<BootRecord[]> {
  const { loadInputs } = await import('../../boot/load.ts');
  return loadInputs(options.input, {
    readStdin: edges.readStdin,
    nowUs: edges.nowUs(),
    ...(options.boot !== undefined && { boot: options.boot }),
    ...(!options.input && { signal: edges.signal() }),
  });
}

/** The one boot that --boot names, by default the last. */
export async function readBoot(options: BootOptions, edges: Edges): Promise<BootRecord> {
  const { pickBoot } = await import('../../boot/pick-boot.ts');
  // Of the live machine, only the boot asked for was read.
  const boots = await readBoots(options, edges);
  const record = pickBoot(boots, options.input ? (options.boot ?? '0') : '0');
  if (boots.length > 1 && options.boot === undefined) {
    tellNote('note', `the last of ${boots.length} boots; --boot -1 is the one before`, edges);
  }
  tellNotes(record, edges);
  return record;
}

export function tellNotes(record: BootRecord, edges: Edges): void {
  for (const note of new Set(record.notes.filter((n) => n.level === 'warning').map((n) => n.text))) {
    tellNote('warning', note, edges);
  }
}

export function tellNote(kind: 'note' | 'warning', text: string, edges: Edges): void {
  const screen = screenOf(edges, 'stderr');
  const label = paint(`${kind}:`, kind === 'warning' ? 'warning' : undefined, screen);
  edges.stderr(`${wrapLines(`${label} ${printable(text)}`, screen.columns, 2)}\n`);
}
