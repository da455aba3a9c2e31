// node/observe/release.ts: what is in the image's release file? It names versions, so that no program has to run to find them.
import * as z from 'zod/mini';
import { UserError } from '../../base/errors.ts';
import { checkValue } from '../../schema/check.ts';
import { freeForm, kubernetesVersion, line, path } from '../../schema/formats.ts';
import type { Json } from '../../schema/json.ts';
import { renderProblem } from '../../schema/problem.ts';
import { NODE_CONFIG_VERSIONS } from '../document/schema/convert.ts';
import { type ImageFacts, RELEASE_FILE } from './facts.ts';

/** Not strict: a newer builder may add fields. */
const release = z.object({
  apiVersion: z.literal('headstart.dev/v1'),
  kind: z.literal('ImageRelease'),
  name: line(128),
  version: line(128),
  kubernetesVersion: kubernetesVersion(),
  containerdVersion: z.optional(line(64)),
  architecture: z.optional(line(32)),
  configApiVersions: z._default(z.array(line(64)), [...NODE_CONFIG_VERSIONS]),
  cniBinDir: z._default(path(), '/opt/cni/bin'),
  defaults: z._default(freeForm(), {}),
  signers: z._default(z.array(z.string().check(z.maxLength(4096))), []),
});

/** For errors: the path of the text, and the next command if it is invalid. */
export interface ReleaseOrigin {
  path: string;
  next: string;
}

const ON_A_NODE: ReleaseOrigin = {
  path: RELEASE_FILE,
  next: 'make the node from an image that `headstart image build` built',
};

export function parseImageRelease(text: string, origin: Partial<ReleaseOrigin> = {}): ImageFacts {
  const from = { ...ON_A_NODE, ...origin };
  const { value, problems, missing } = checkValue(release, jsonOf(text, from));
  if (value !== undefined) {
    const { apiVersion: _, kind: __, ...facts } = value;
    return facts;
  }
  const all = [...problems, ...missing].map((problem) => `         ${renderProblem(problem)}`);
  throw unreadable(from, `is invalid:\n${all.join('\n')}`);
}

function jsonOf(text: string, from: ReleaseOrigin): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw unreadable(from, text.trim() === '' ? 'is empty' : 'is not JSON', cause);
  }
}

export function noRelease(path: string): UserError {
  return new UserError(
    `this is not a node of a headstart image: ${path}, the release file of the image, does not exist`,
    {
      code: 'config/release-unreadable',
      kept: 'Nothing was changed.',
      next: 'run this on a node made from an image that `headstart image build` built; `headstart node check FILE` checks a document on any machine',
      exitCode: 1,
    },
  );
}

function unreadable({ path, next }: ReleaseOrigin, what: string, cause?: unknown): UserError {
  return new UserError(`the release file of the image, ${path}, ${what}`, {
    code: 'config/release-unreadable',
    kept: 'Nothing was changed.',
    next,
    exitCode: 1,
    cause,
  });
}
