// sims/azure/compute/instance-filters.ts: which instances does the filter of a list name? The documented forms, in any combination with `and`.
import { ArmError } from '../service/arm-error.ts';
import type { SimInstance, SimScaleSet } from '../world.ts';
import { powerCode } from './instance-view.ts';

type Test = (instance: SimInstance, set: SimScaleSet) => boolean;

const FORMS: readonly { form: RegExp; test(found: RegExpExecArray): Test }[] = [
  {
    form: /^(?:properties\/)?latestModelApplied eq (true|false)$/i,
    test:
      ([, wanted = '']) =>
      (instance, set) =>
        (instance.modelVersion === set.modelVersion) === (wanted.toLowerCase() === 'true'),
  },
  {
    form: /^instanceView\/statuses\/code eq '([^']*)'$/i,
    test:
      ([, code = '']) =>
      (instance) =>
        codesOf(instance).includes(code.toLowerCase()),
  },
  {
    form: /^startswith\(\s*instanceView\/statuses\/code\s*,\s*'([^']*)'\s*\)(?: eq (true|false))?$/i,
    test:
      ([, prefix = '', wanted = 'true']) =>
      (instance) =>
        codesOf(instance).some((code) => code.startsWith(prefix.toLowerCase())) === (wanted.toLowerCase() === 'true'),
  },
];

export function filterOf(filter: string | null, set: SimScaleSet): (instance: SimInstance) => boolean {
  if (filter === null || filter.trim() === '') return () => true;
  const tests = filter.split(/\s+and\s+/i).map((clause) => testOf(clause.trim(), filter));
  return (instance) => tests.every((test) => test(instance, set));
}

function testOf(clause: string, filter: string): Test {
  for (const { form, test } of FORMS) {
    const found = form.exec(clause);
    if (found) return test(found);
  }
  throw new ArmError(400, 'BadRequest', `The filter '${filter}' is not supported by the simulator.`);
}

function codesOf({ state, power }: SimInstance): string[] {
  return [`ProvisioningState/${state}`, powerCode(power)].map((code) => code.toLowerCase());
}
