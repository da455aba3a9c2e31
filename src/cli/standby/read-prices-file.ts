// cli/standby/read-prices-file.ts: reads the YAML or JSON document that --prices names.
import { readFileSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { whyUnreadable } from '../../base/why-unreadable.ts';
import type { Json } from '../../schema/json.ts';
import { readPrices, type StandbyPrices } from '../../standby/plan/prices.ts';

export async function readPricesFile(path: string): Promise<StandbyPrices> {
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(textOf(path), { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken) throw bad(`${path}:${lines.linePos(broken.pos[0]).line}: is not YAML: ${broken.message}`);
  const read = readPrices(plainValue(document, path));
  if ('prices' in read) return read.prices;
  throw bad(`${path} is not a valid list of prices:\n${read.problems.map((text) => `         ${text}`).join('\n')}`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw bad(`cannot read ${path}: ${whyUnreadable(error)}`, error);
  }
}

/** Aliases that cannot be resolved are found only here. */
function plainValue(document: { toJS(): unknown }, path: string): Json {
  try {
    return document.toJS() as Json;
  } catch (error) {
    throw bad(`${path} has aliases that cannot be resolved`, error);
  }
}

const bad = (message: string, cause?: unknown) =>
  new UserError(message, {
    code: 'standby/bad-prices',
    next: 'write prices such as {currency: EUR, tiers: {paused: {perHour: 0.01}}}',
    cause,
  });
