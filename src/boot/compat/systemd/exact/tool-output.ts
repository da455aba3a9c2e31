// boot/compat/systemd/exact/tool-output.ts: what the real tool would have written, and how it would have ended.
import { formatSpan } from '../../../../base/duration.ts';

export interface ToolOutput {
  stdout: string;
  stderr: string;
  exitCode: 0 | 1;
}

export function toolOutput(stdout: string, stderr = ''): ToolOutput {
  return { stdout, stderr, exitCode: 0 };
}

/** The real tool gives up, or dies of an assertion: one line says so. */
export function toolFailure(stderr: string): ToolOutput {
  return { stdout: '', stderr: `${stderr}\n`, exitCode: 1 };
}

/** The tool counts in unsigned 64-bit microseconds: what would be negative wraps around to about 584542 years. */
export function formatUnsigned(us: number): string {
  return formatSpan(us < 0 ? BigInt.asUintN(64, BigInt(us)) : us);
}

export function unsigned(us: number): number {
  return us < 0 ? Number(BigInt.asUintN(64, BigInt(us))) : us;
}
