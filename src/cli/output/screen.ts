// cli/output/screen.ts: how wide is the screen that an answer is printed on, and does it show colour?
import type { CliDeps } from '../verb.ts';

export interface Screen {
  /** `Infinity` for a pipe, a file, and a terminal of unknown width. */
  columns: number;
  hasColour: boolean;
}

export const PIPE: Screen = { columns: Number.POSITIVE_INFINITY, hasColour: false };

/** On a narrower terminal lines are laid out for this width, and the terminal wraps them. */
const LEAST_COLUMNS = 20;

export function screenOf(
  deps: Pick<CliDeps, 'env' | 'isTerminal' | 'columnsOf'>,
  stream: 'stdout' | 'stderr' = 'stdout',
): Screen {
  return { columns: columnsOf(deps, stream), hasColour: hasColour(deps, stream) };
}

/** COLUMNS wins over the terminal: shells rarely export it, so the user set it. It does not apply to a pipe. */
function columnsOf({ env, isTerminal, columnsOf: ask }: Parameters<typeof screenOf>[0], stream: 'stdout' | 'stderr') {
  if (!isTerminal[stream]) return PIPE.columns;
  const columns = /^[1-9]\d{0,4}$/.test(env.COLUMNS ?? '') ? Number(env.COLUMNS) : ask?.(stream);
  return columns ? Math.max(LEAST_COLUMNS, columns) : PIPE.columns;
}

/** https://no-color.org first, then FORCE_COLOR and CLICOLOR_FORCE, which also apply to a pipe. */
function hasColour({ env, isTerminal }: Parameters<typeof screenOf>[0], stream: 'stdout' | 'stderr'): boolean {
  if (env.NO_COLOR || /^(?:0|false)$/.test(env.FORCE_COLOR ?? '')) return false;
  if (env.FORCE_COLOR || (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0')) return true;
  return isTerminal[stream] && env.TERM !== 'dumb';
}
