// vms/azure/standby/schema.ts: the fields that we read of standby pools, their runtime views and their VMs.
import { z } from 'zod';

const text = z.string().nullish();
const count = z.number().nullish();

export const standbyPoolSchema = z.object({
  id: z.string(),
  name: z.string(),
  location: z.string(),
  tags: z.record(z.string(), z.string()).nullish(),
  properties: z.object({
    elasticityProfile: z.object({ maxReadyCapacity: z.number(), minReadyCapacity: count }).nullish(),
    virtualMachineState: z.string(),
    vmStateDistribution: z
      .object({ runningPercent: count, deallocatedPercent: count, hibernatedPercent: count })
      .nullish(),
    attachedVirtualMachineScaleSetId: text,
    provisioningState: text,
  }),
});

export type AzureStandbyPool = z.infer<typeof standbyPoolSchema>;

export const runtimeViewSchema = z.object({
  properties: z.object({
    instanceCountSummary: z
      .array(z.object({ instanceCountsByState: z.array(z.object({ state: z.string(), count: z.number() })) }))
      .nullish(),
    status: z.object({ code: text, message: text }).nullish(),
  }),
});

export type RuntimeView = z.infer<typeof runtimeViewSchema>;

export const standbyVmSchema = z.object({ properties: z.object({ virtualMachineResourceId: z.string() }) });
