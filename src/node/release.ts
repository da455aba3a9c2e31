// node/release.ts: what does the image say about itself? Its release file, so that nothing has to be run to learn a version.
import * as z from 'zod/mini';
import { UserError } from '../base/errors.ts';
import { type ImageFacts, RELEASE_FILE } from './facts.ts';
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

export function parseRelease(text: string): ImageFacts {
  const { value, problems, missing } = check(release, jsonOf(text));
  if (value !== undefined) {
    const { apiVersion: _, kind: __, ...facts } = value;
    return facts;
  }
  const all = [...problems, ...missing].map((problem) => `         ${renderProblem(problem)}`);
  throw unreadable(`does not say what it should:\n${all.join('\n')}`);
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw unreadable('is not JSON', cause);
  }
}

function unreadable(what: string, cause?: unknown): UserError {
  return new UserError(`the release file of this image, ${RELEASE_FILE}, ${what}`, {
    code: 'config/release-unreadable',
    kept: 'Nothing was changed on this node.',
    next: 'make the node from an image that `headstart image` built',
    exitCode: 1,
    cause,
  });
}
