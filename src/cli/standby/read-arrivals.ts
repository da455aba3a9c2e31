// cli/standby/read-arrivals.ts: reads the file that --arrivals names: lines as a stream, a JSON document at once.
import { createReadStream, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { UserError } from '../../base/errors.ts';
import { whyUnreadable } from '../../base/why-unreadable.ts';
import type { Json } from '../../schema/json.ts';
import type { Arrivals } from '../../standby/arrivals/arrivals.ts';
import { readDocument } from '../../standby/arrivals/read-document.ts';
import { readLine } from '../../standby/arrivals/read-line.ts';

/** The search takes seconds for 100,000, and could not use more than a few million. */
const MOST_ARRIVALS = 2_000_000;

export async function readArrivals(path: string): Promise<Arrivals> {
  try {
    return (await isDocument(path)) ? readJson(path) : await readLines(path);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw bad(`cannot read ${path}: ${whyUnreadable(error)}`, error);
  }
}

/** A JSON object on one line is a line of JSON lines. */
async function isDocument(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    const start = buffer.subarray(0, bytesRead).toString().trimStart();
    return start.startsWith('[') || (start.startsWith('{') && !/^\{[^\n]*"time"[^\n]*\}\s*(\n|$)/.test(start));
  } finally {
    await file.close();
  }
}

function readJson(path: string): Arrivals {
  let document: Json;
  try {
    document = JSON.parse(readFileSync(path, 'utf8')) as Json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw bad(`${path} is not valid JSON: ${error.message}`, error);
  }
  const read = readDocument(document);
  if ('problem' in read) throw bad(`${path}: ${read.problem.where}: ${read.problem.message}`);
  return read;
}

async function readLines(path: string): Promise<Arrivals> {
  const arrivals: Arrivals = { atMs: [], notes: [] };
  let [number, used] = [0, 0];
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    const read = readLine(line, used === 0);
    if (!read) continue;
    used++;
    if ('problem' in read) throw bad(`${path}:${number}: ${read.problem}`);
    for (let node = 0; node < read.count; node++) arrivals.atMs.push(read.atMs);
    if (arrivals.atMs.length > MOST_ARRIVALS)
      throw bad(`${path}:${number}: more than ${MOST_ARRIVALS} arrivals; give a shorter time`);
  }
  return arrivals;
}

const bad = (message: string, cause?: unknown) =>
  new UserError(message, {
    code: 'standby/bad-arrivals',
    next: 'write one time per line, such as 2026-11-09T08:00:00Z, or pass `kubectl get events -A -o json`',
    cause,
  });
