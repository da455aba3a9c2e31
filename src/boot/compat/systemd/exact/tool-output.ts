// boot/compat/systemd/exact/tool-output.ts: the output and exit code of the real tool.
import { formatSpan } from '../../../../base/duration.ts';

export interface ToolOutput {
  stdout: string;
  stderr: string;
  exitCode: 0 | 1;
}

export function toolOutput(stdout: string, stderr = ''): ToolOutput {
  return { stdout, stderr, exitCode: 0 };
}

/** The real tool fails or aborts on an assertion; `stderr` explains it in one line. */
export function toolFailure(stderr: string): ToolOutput {
  return { stdout: '', stderr: `${stderr}\n`, exitCode: 1 };
}

/** The tool uses unsigned 64-bit microseconds: negative values wrap around to about 584542 years. */
export function formatUnsigned(us: number): string {
  return formatSpan(us < 0 ? BigInt.asUintN(64, BigInt(us)) : us);
}

export function unsigned(us: number): number {
  return us < 0 ? Number(BigInt.asUintN(64, BigInt(us))) : us;
}
