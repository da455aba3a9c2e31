// image/build/stages/version-stage.ts: when is a part of an image there? When the image is: its folder appears when it is whole.
import type { Made } from '../contract.ts';
import { isImageThere } from '../find-image.ts';
import { imageContent } from '../image-content.ts';
import type { VersionStage } from '../stage.ts';

export function versionStage<Needs extends keyof Made, Gives extends keyof Made>(
  stage: Omit<VersionStage<Needs, Gives>, 'key' | 'isThere'>,
): VersionStage<Needs, Gives> {
  return { ...stage, key: imageContent, isThere: isImageThere };
}
