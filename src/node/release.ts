// node/release.ts: what does the image say about itself? Its release file, so that nothing has to be run to learn a version.
import * as z from 'zod/mini';
import { UserError } from '../base/errors.ts';
import type { ImageFacts } from './facts.ts';
import type { Json } from './json.ts';
import { renderProblem } from './problem.ts';
import { check } from './schema/check.ts';
import { API_VERSIONS } from './schema/convert.ts';
import { freeForm, kubernetesVersion, line, path } from './schema/formats.ts';

/** A newer builder may say more than this; that is not for us to judge. */
const release = z.object({
  apiVersion: z.literal('headstart.dev/v1'),
  kind: z.literal('ImageRelease'),
  name: line(128),
  version: line(128),
  kubernetesVersion: kubernetesVersion(),
  containerdVersion: z.optional(line(64)),
  architecture: z.optional(line(32)),
  configApiVersions: z._default(z.array(line(64)), [...API_VERSIONS]),
  cniBinDir: z._default(path(), '/opt/cni/bin'),
  defaults: z._default(freeForm(), {}),
  signers: z._default(z.array(z.string().check(z.maxLength(4096))), []),
});

/** `path`: where the text is from, for the error. */
export function parseRelease(text: string, path = 'release.json'): ImageFacts {
  const { value, problems, missing } = check(release, jsonOf(text, path));
  if (value !== undefined) {
    const { apiVersion: _, kind: __, ...facts } = value;
    return facts;
  }
  const all = [...problems, ...missing].map((problem) => `         ${renderProblem(problem)}`);
  throw unreadable(path, `does not say what it should:\n${all.join('\n')}`);
}

function jsonOf(text: string, path: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw unreadable(path, text.trim() === '' ? 'is empty' : 'is not JSON', cause);
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

function unreadable(path: string, what: string, cause?: unknown): UserError {
  return new UserError(`the release file of the image, ${path}, ${what}`, {
    code: 'config/release-unreadable',
    kept: 'Nothing was changed.',
    next: 'make the node from an image that `headstart image build` built',
    exitCode: 1,
    cause,
  });
}
