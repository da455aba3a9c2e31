// sims/azure/standby/standby.testing.ts: a simulator with a Flexible scale set and what a client asks of its standby pool, for tests.
import type { ScenarioInput } from '../scenario.ts';
import type { ArmAnswer } from '../service/call.ts';
import { type JsonObject, numberAt, objectAt, objectsAt, stringAt } from '../service/json.ts';
import { type Ask, Bench } from '../testing.ts';

export const SET = 'virtualMachineScaleSets/pool1';

type ScaleSet = Partial<ScenarioInput['scaleSets'][number]>;

export class StandbyBench extends Bench {
  constructor(set: ScaleSet = {}) {
    super({ scaleSets: [{ name: 'pool1', mode: 'Flexible', instances: 2, hibernation: true, ...set }] });
  }

  poolPath(more = ''): string {
    const group = `/subscriptions/${this.world.subscriptionId}/resourceGroups/demo`;
    return `${group}/providers/Microsoft.StandbyPool/standbyVirtualMachinePools/warm${more}`;
  }

  body(properties: JsonObject, capacity = 3): JsonObject {
    return {
      location: 'westeurope',
      properties: {
        attachedVirtualMachineScaleSetId: this.set().id,
        elasticityProfile: { maxReadyCapacity: capacity, minReadyCapacity: capacity },
        virtualMachineState: 'Running',
        ...properties,
      },
    };
  }

  put(properties: JsonObject = {}, ask: Ask & { capacity?: number } = {}): ArmAnswer {
    const { capacity, ...others } = ask;
    return this.ask('PUT', this.poolPath(), { body: this.body(properties, capacity), ...others });
  }

  /** Only the states that are not empty. */
  counts(): Record<string, number> {
    const view = this.ask('GET', this.poolPath('/runtimeViews/latest'));
    const counted = objectsAt(view.body, 'properties', 'instanceCountSummary').flatMap((one) =>
      objectsAt(one, 'instanceCountsByState'),
    );
    const counts: Record<string, number> = {};
    for (const one of counted) {
      const [state, count] = [stringAt(one, 'state') ?? '', numberAt(one, 'count') ?? 0];
      if (count > 0) counts[state] = (counts[state] ?? 0) + count;
    }
    return counts;
  }

  health(): string | undefined {
    const view = this.ask('GET', this.poolPath('/runtimeViews/latest'));
    return stringAt(view.body, 'properties', 'status', 'code');
  }

  members(): string[] {
    const list = this.ask('GET', this.poolPath('/standbyVirtualMachines'));
    return objectsAt(list.body, 'value').map((one) => stringAt(one, 'properties', 'virtualMachineResourceId') ?? '');
  }

  wait(seconds: number): void {
    this.nowMs += seconds * 1000;
  }

  grow(capacity: number, ask: Ask = {}): ArmAnswer {
    return this.askAndWait('PATCH', SET, { body: { sku: { capacity } }, ...ask });
  }

  /** Of the instances of the set, as the VM itself reports it: undefined when no standby pool made it. */
  origins(): (boolean | undefined)[] {
    const listed = objectsAt(this.ask('GET', `${SET}/virtualMachines`).body, 'value');
    return listed.map((one) => {
      const vm = this.ask('GET', `virtualMachines/${stringAt(one, 'name')}`, { query: '$expand=instanceView' });
      const flag = objectAt(vm.body, 'properties', 'instanceView')?.isVMInStandbyPool;
      return typeof flag === 'boolean' ? flag : undefined;
    });
  }
}
