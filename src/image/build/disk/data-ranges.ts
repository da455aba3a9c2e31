// image/build/disk/data-ranges.ts: which parts of a sparse file hold anything? The file system knows; reading gigabytes of holes to find out takes longer than all else.
import { z } from 'zod';
import type { RunCommand } from '../../../base/command.ts';
import { runTool } from '../../../host/run-tool.ts';

export interface DataRange {
  start: number;
  end: number;
}

const mapSchema = z.array(z.object({ start: z.number(), length: z.number(), data: z.boolean() }));

/** What is outside of them is zeros; what is inside may be. In order. */
export async function dataRanges(file: string, run: RunCommand, signal?: AbortSignal): Promise<DataRange[]> {
  const text = await runTool(run, ['qemu-img', 'map', '-f', 'raw', '--output=json', file], signal);
  return mapSchema
    .parse(JSON.parse(text))
    .filter(({ data }) => data)
    .map(({ start, length }) => ({ start, end: start + length }));
}
