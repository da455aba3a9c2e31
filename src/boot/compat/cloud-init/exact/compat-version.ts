// boot/compat/cloud-init/exact/compat-version.ts: what did each version of `cloud-init analyze` do differently?
import { UserError } from '../../../../base/errors.ts';

export interface CompatVersion {
  /** As written by the user, or the newest known. */
  name: string;
  /** A boot ends at any repeated stage name; later only at init-local. */
  splitsOnRepeatedStage: boolean;
  /** An empty file is told in one line; earlier it was a traceback. */
  reportsEmptyFile: boolean;
  /** Stamps without a zone are UTC; earlier the local time of the machine that runs it. */
  readsUtc: boolean;
  /** Instants are printed with `+00:00`. */
  printsOffset: boolean;
  /** A start that is the log's last event is not printed. */
  dropsLastStart: boolean;
  /** `boot` hands its status word to exit(), which prints it and exits 1 even on success. */
  exitsWithWord: boolean;
  /** The address in the message for systems it does not know. */
  docsUrl: string;
}

export const NEWEST = '26.2';

export function compatVersion(asked: string | true): CompatVersion {
  const name = asked === true ? NEWEST : asked;
  const match = /^(\d+)\.(\d+)(?:\.\d+)?$/.exec(name);
  if (!match) {
    throw new UserError(`--compat=${name}: not a cloud-init version`, {
      code: 'boot/compat-version',
      next: `give a version such as --compat=22.4, or --compat alone for ${NEWEST}`,
    });
  }
  const number = Number(match[1]) * 100 + Number(match[2]);
  return {
    name,
    splitsOnRepeatedStage: number < 2204,
    reportsEmptyFile: number >= 2401,
    readsUtc: number >= 2402,
    printsOffset: number >= 2402,
    dropsLastStart: number >= 2502,
    exitsWithWord: number < 2602,
    docsUrl: number >= 2502 ? 'https://docs.cloud-init.io/en/latest' : 'https://cloudinit.readthedocs.io/en/latest',
  };
}
