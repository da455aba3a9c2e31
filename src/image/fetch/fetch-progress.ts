// image/fetch/fetch-progress.ts: how far is the download? Reports in steps of ten percent, because each report is a line in a log.
import type { WaitReporter } from '../../base/call-options.ts';
import type { FetchRequest } from './cache.ts';

export interface FetchProgress {
  at(request: FetchRequest, bytes: number): void;
  done(request: FetchRequest): void;
}

const STEP_PERCENT = 10;

export function fetchProgress(all: readonly FetchRequest[], onWaiting: WaitReporter | undefined): FetchProgress {
  const here = new Map<string, number>();
  const total = all.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  // If a size is unknown, progress counts files instead of bytes.
  const hasSizes = all.every(({ bytes }) => bytes !== undefined);
  let have = 0;
  let files = 0;
  let reported = -1;
  const report = () => {
    const part = hasSizes && total > 0 ? have / total : files / all.length;
    const percent = STEP_PERCENT * Math.floor((100 * part) / STEP_PERCENT);
    if (percent === reported) return;
    reported = percent;
    const amount = hasSizes ? `, ${inMb(have)} of ${inMb(total)} MB` : '';
    onWaiting?.(`the files to be fetched: ${files} of ${all.length}${amount}`, Math.min(100, percent));
  };
  return {
    at({ sha256 }, bytes) {
      have += bytes - (here.get(sha256) ?? 0);
      here.set(sha256, bytes);
      report();
    },
    done() {
      files++;
      report();
    },
  };
}

const inMb = (bytes: number) => Math.ceil(bytes / 1e6);
