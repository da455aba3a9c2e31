// image/build/disk/data-ranges.ts: which parts of a sparse file contain data? Asks the file system, because reading gigabytes of holes would take most of the time.
import { z } from 'zod';
import type { RunCommand } from '../../../base/command.ts';
import { runTool } from '../../../host/run-tool.ts';

export interface DataRange {
  start: number;
  end: number;
}

const mapSchema = z.array(z.object({ start: z.number(), length: z.number(), data: z.boolean() }));

/** In order. Bytes outside the ranges are zeros; bytes inside may be. */
export async function dataRanges(file: string, run: RunCommand, signal?: AbortSignal): Promise<DataRange[]> {
  const text = await runTool(run, ['qemu-img', 'map', '-f', 'raw', '--output=json', file], signal);
  return mapSchema
    .parse(JSON.parse(text))
    .filter(({ data }) => data)
    .map(({ start, length }) => ({ start, end: start + length }));
}
