// sims/azure/service/tags.ts: which tags does this request body carry, and are they within the service's limits?
import { ArmError } from './arm-error.ts';
import { type JsonObject, objectAt } from './json.ts';

const MOST = 50;
const LONGEST_NAME = 512;
const LONGEST_VALUE = 256;

export function tagsOf(body: JsonObject): Record<string, string> {
  const tags: Record<string, string> = {};
  for (const [name, value] of Object.entries(objectAt(body, 'tags') ?? {})) {
    if (typeof value !== 'string') continue;
    if (name.length > LONGEST_NAME || /[<>%&\\?/]/.test(name))
      throw refused('InvalidTagNameCharacters', `The tag name '${name}' is not allowed.`);
    if (value.length > LONGEST_VALUE)
      throw refused('InvalidTagValueLength', `The value of tag '${name}' is longer than ${LONGEST_VALUE} characters.`);
    tags[name] = value;
  }
  if (Object.keys(tags).length > MOST)
    throw refused('InvalidNumberOfTags', `A resource may have at most ${MOST} tags.`);
  return tags;
}

function refused(code: string, message: string): ArmError {
  return new ArmError(400, code, message);
}
