// boot/compat/cloud-init/step-text.ts: prints one step with the codes of `show --format`.
import { seconds08 } from './exact/python-numbers.ts';
import type { CloudInitBoot, CloudInitStep } from './stages.ts';

/** Only a damaged log has deep nesting; lines are not indented further than this. */
const MAX_INDENT = 40;

export function stepWriter(format: string): (step: CloudInitStep, boot: CloudInitBoot) => string {
  const parts = format.split(/(%[dDEeIlnortT])/);
  return (step, boot) => {
    let text = '';
    for (const part of parts) text += part.charCodeAt(0) === PERCENT ? codeText(part, step, boot) : part;
    return text;
  };
}

const PERCENT = 37;

function codeText(code: string, step: CloudInitStep, boot: CloudInitBoot): string {
  switch (code) {
    case '%d':
      return step.tookUs === undefined ? '?' : seconds08(step.tookUs / 1e6);
    case '%D':
      return maskControls(step.description || step.name);
    case '%E':
      return step.startUs === undefined ? '?' : seconds08((step.startUs - boot.firstUs) / 1e6);
    case '%e':
      return step.endUs === undefined ? 'start' : 'finish';
    case '%I':
      return `|${' '.repeat(Math.min(MAX_INDENT, Math.max(0, step.depth - 1)))}\`->`;
    case '%l':
      return step.level ?? '?';
    case '%n':
      return maskControls(step.name);
    case '%o':
      return 'cloudinit';
    case '%r':
      return step.result ?? '?';
    case '%t':
      return seconds08((step.endUs ?? step.startUs ?? 0) / 1e6);
    case '%T':
      return step.ownUs === undefined ? '?' : seconds08(step.ownUs / 1e6);
    default:
      return code; // not a code: text that starts with a percent sign
  }
}

/** Labels printed after the duration: ` [WARN]`, ` [wait, …]`, ` [clock step: …]`. Empty for a plain success. */
export function remarks(step: CloudInitStep): string {
  const labels: string[] = [];
  if (step.result !== undefined && step.result !== 'SUCCESS') labels.push(step.result);
  if (step.wait) labels.push(`wait, ${step.wait}`);
  if (step.clockStepUs !== undefined) {
    const seconds = (step.clockStepUs / 1e6).toFixed(3);
    labels.push(`clock step: the clock moved by ${step.clockStepUs > 0 ? '+' : ''}${seconds}s meanwhile`);
  }
  if (step.startUs === undefined) labels.push('its start is not in this log');
  else if (step.endUs === undefined) labels.push('its finish is not in this log');
  return labels.map((text) => ` [${text}]`).join('');
}

/** Replaces control characters: a log line may contain terminal escape sequences. */
export function maskControls(text: string): string {
  return CONTROL.test(text) ? text.replace(/[\x00-\x1f\x7f-\x9f]/g, '\ufffd') : text;
}

const CONTROL = /[\x00-\x1f\x7f-\x9f]/;
