// boot/compat/cloud-init/exact/compat-version.ts: how do the versions of `cloud-init analyze` differ?
import { UserError } from '../../../../base/errors.ts';

export interface CompatVersion {
  /** As typed by the user, or the newest known version. */
  name: string;
  /** Any repeated stage name ends a boot; in later versions only init-local does. */
  splitsOnRepeatedStage: boolean;
  /** Reports an empty file in one line; earlier versions print a traceback. */
  reportsEmptyFile: boolean;
  /** Stamps without a zone are in UTC; in earlier versions in the local time of the machine that runs the tool. */
  readsUtc: boolean;
  /** Prints instants with `+00:00`. */
  printsOffset: boolean;
  /** Prints a blank after `Finished stage: … seconds`. */
  endsStageWithBlank: boolean;
  /** Reads lines of Amazon Linux (`Apr 30 19:39:11 cloud-init[2673]: …`). */
  readsAmazonLines: boolean;
  /** Has the subcommand `boot`. */
  hasBoot: boolean;
  /** `boot` passes its status word to exit(), which prints it and exits with 1 even on success. */
  exitsWithWord: boolean;
  /** The URL in the message for unknown systems. */
  docsUrl: string;
}

export const NEWEST = '26.2';
const OLDEST = 1701;

export function compatVersion(text: string | true): CompatVersion {
  const name = text === true ? NEWEST : text;
  const match = /^(\d+)\.(\d+)(?:\.\d+)?$/.exec(name);
  if (!match) {
    throw new UserError(`--compat=${name}: not a cloud-init version`, {
      code: 'boot/compat-version',
      next: `use a version such as --compat=22.4, or --compat alone for ${NEWEST}`,
    });
  }
  const number = Number(match[1]) * 100 + Number(match[2]);
  if (number < OLDEST) {
    throw new UserError(`--compat=${name}: cloud-init analyze exists since 17.1`, {
      code: 'boot/compat-version',
      next: `use 17.1 or later, or --compat alone for ${NEWEST}`,
    });
  }
  return {
    name,
    splitsOnRepeatedStage: number < 2204,
    reportsEmptyFile: number >= 2401,
    readsUtc: number >= 2402,
    printsOffset: number >= 2404,
    endsStageWithBlank: number < 1903,
    readsAmazonLines: number >= 2003,
    hasBoot: number >= 1902,
    exitsWithWord: number < 2602,
    docsUrl: number >= 2404 ? 'https://docs.cloud-init.io/en/latest' : 'https://cloudinit.readthedocs.io/en/latest',
  };
}
