// host/debian/mmdebstrap-progress.ts: report progress from mmdebstrap's output.
import type { WaitReporter } from '../../base/call-options.ts';

const STEPS: readonly (readonly [RegExp, string])[] = [
  [/^I: running apt-get update/, 'the package lists'],
  [/^I: downloading packages/, 'the packages to be downloaded'],
  [/^I: extracting archives/, 'the essential packages to be unpacked'],
  [/^I: installing essential packages/, 'the essential packages to be installed'],
  [/^I: installing remaining packages/, 'all packages to be installed'],
  [/^I: running --customize-hook/, 'the settings of the image'],
];

/** `count`: the total number of packages. The returned function takes output in chunks that may end anywhere. */
export function mmdebstrapProgress({ onWaiting, count }: { onWaiting?: WaitReporter | undefined; count: number }) {
  let what = 'the package lists';
  let done = 0;
  let rest = '';
  return (text: string): void => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      what = STEPS.find(([pattern]) => pattern.test(line))?.[1] ?? what;
      // dpkg prints each of these once per package.
      if (/^(?:Unpacking|Setting up) /.test(line)) done++;
    }
    const percent = Math.min(100, 10 * Math.floor((10 * done) / (2 * count))); // in steps of 10: in a log, every change is a line
    if (lines.length > 0) onWaiting?.(what, ...(what.endsWith('installed') ? [percent] : []));
  };
}
