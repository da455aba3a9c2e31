// image/build/stages/version-stage.ts: when is a stage of an image done? When the image folder exists, because it appears only when it is complete.
import type { StageOutputs } from '../contract.ts';
import { isImageBuilt } from '../find-image.ts';
import { imageContent } from '../image-content.ts';
import type { VersionStage } from '../stage.ts';

export function versionStage<Needs extends keyof StageOutputs, Gives extends keyof StageOutputs>(
  stage: Omit<VersionStage<Needs, Gives>, 'key' | 'isAvailable'>,
): VersionStage<Needs, Gives> {
  return { ...stage, key: imageContent, isAvailable: isImageBuilt };
}
