import { describe, expect, it } from 'vitest';
import { objectsAt } from '../service/json.ts';
import { Bench, codeOf } from '../testing.ts';

const SET = 'virtualMachineScaleSets/pool1';

/** Instance 1 is stopped and was made from an older model. */
function pool(): Bench {
  const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 3 }] });
  bench.askAndWait('POST', `${SET}/virtualMachines/1/powerOff`);
  for (const instance of bench.instances()) if (instance.instanceId !== '1') instance.modelVersion = 2;
  bench.set().modelVersion = 2;
  return bench;
}

describe('a filter of instances', () => {
  it.each([
    ["startswith(instanceView/statuses/code,'PowerState')", ['0', '1', '2']],
    ["startswith(instanceView/statuses/code, 'PowerState') eq true", ['0', '1', '2']],
    ["startswith(instanceView/statuses/code, 'PowerState') eq false", []],
    ["startswith(instanceView/statuses/code, 'PowerState/stop')", ['1']],
    ["instanceView/statuses/code eq 'PowerState/running'", ['0', '2']],
    ['properties/latestModelApplied eq true', ['0', '2']],
    ['properties/latestModelApplied eq false', ['1']],
    ["properties/latestModelApplied eq true and instanceView/statuses/code eq 'PowerState/running'", ['0', '2']],
    ["properties/latestModelApplied eq true and startswith(instanceView/statuses/code, 'PowerState/stop')", []],
    ['', ['0', '1', '2']],
  ])('%s', (filter, expected) => {
    const query = new URLSearchParams({ $filter: filter, $expand: 'instanceView' }).toString();
    const { body } = pool().ask('GET', `${SET}/virtualMachines`, { query });
    expect(objectsAt(body, 'value').map(({ instanceId }) => instanceId)).toEqual(expected);
  });

  it.each(['name eq 1', 'startswith(name, x)', 'properties/latestModelApplied eq true and bogus'])(
    'that Azure does not document is refused: %s',
    (filter) => {
      const query = new URLSearchParams({ $filter: filter }).toString();
      expect(codeOf(pool().ask('GET', `${SET}/virtualMachines`, { query }))).toEqual([400, 'BadRequest']);
    },
  );
});
